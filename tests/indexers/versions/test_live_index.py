"""What readers get is of one moment, of sound files, and of the source that has the name now."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from two_world.stand_ins import FixedPermissions, HashEncoder, MemoryVectors, MemoryVersions
from two_world.worlds import ANALYSER, DIRECTORY, NOW, PUBLIC, SOURCE, make_record, publish

from indexers.live_index import LiveIndex
from indexers.publishing.index_store import IndexStore
from vouch.access import PUBLIC_TAGS, Permissions, Rule, RuleBook

pytestmark = pytest.mark.usefixtures("quick_disk")

SHUT = Permissions.settled(1, {SOURCE: RuleBook((Rule("**", frozenset({"group:people"})),))}, DIRECTORY)
OPEN = Permissions.settled(2, {SOURCE: RuleBook((Rule("**", PUBLIC_TAGS),))}, DIRECTORY)


class Place:
    """An index of one document, and a clock."""

    def __init__(self, home: Path) -> None:
        self.home, self.now = home, NOW
        self.store = IndexStore(home, MemoryVersions(), ANALYSER, 8.0)
        self.vectors = MemoryVectors(HashEncoder())
        self.held = FixedPermissions(OPEN)
        self.index = LiveIndex(self.store, self.held, lambda: self.now)

    def put(self, words: str) -> None:
        publish(self.store, self.vectors, [make_record(SOURCE, "a.md", [("R", (f"travel {words}",))])])

    def seen(self) -> set[str]:
        view = self.index.view(PUBLIC)
        return {passage.text for passage in view.passages([hit.chunk_id for hit in view.lexical(["travel"], 9)])}

    def harm(self) -> Callable[[], None]:
        """The newest texts are others from now on, until what is returned is called."""
        file = self.home / "parts" / self.store.manifest(self.store.versions.current() or 0).parts[-1].id / "texts.bin"
        sound = file.read_bytes()
        file.write_bytes(b"x" * len(sound))
        return lambda: file.write_bytes(sound) and None


@pytest.fixture
def place(memory_folder: Path) -> Place:
    place = Place(memory_folder)
    place.put("secret")
    return place


def test_permissions_that_open_what_an_ingest_cleared_show_nothing_of_before(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between a look at the version and one at the permissions the secret is cleared, and then opened."""
    place.held.held = SHUT
    assert place.seen() == set()

    def permissions() -> Permissions:
        if place.held.held is SHUT:
            place.put("cleared")
            place.held.held = OPEN
        return place.held.held

    monkeypatch.setattr(place.held, "permissions", permissions)
    assert place.seen() == {"travel cleared"}


def test_files_that_change_under_a_reader_are_noticed_within_a_second(place: Place) -> None:
    place.put("new")
    assert place.seen() == {"travel new"}
    place.harm()
    place.now += timedelta(seconds=1)
    assert place.index.version().number == 1


def test_a_damaged_version_is_looked_at_again_every_half_minute(place: Place) -> None:
    place.put("new")
    restore = place.harm()
    assert place.index.version().number == 1
    restore()
    place.now += timedelta(seconds=29)
    assert place.index.version().number == 1
    place.now += timedelta(seconds=1)
    assert place.index.version().number == 2 and place.seen() == {"travel new"}


def test_what_a_former_source_left_under_a_name_is_nobodys(place: Place) -> None:
    assert place.seen() == {"travel secret"}
    place.held.held = replace(OPEN, epoch=3, generations={SOURCE: "2"})
    assert place.seen() == set()
