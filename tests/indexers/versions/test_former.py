"""A version chosen by its number shows what it held, as far as nothing of it was narrowed or went since."""

from pathlib import Path

import pytest
from two_world.stand_ins import FixedPermissions, HashEncoder, MemoryVectors, MemoryVersions
from two_world.worlds import ANALYSER, DIRECTORY, NOW, PUBLIC, SOURCE, make_record, publish

from indexers.publishing.index_store import IndexStore
from indexers.version_snapshot import FormerIndex
from vouch.access import PUBLIC_TAGS, Permissions, Rule, RuleBook
from vouch.errors import IndexDown, NotFound

pytestmark = pytest.mark.usefixtures("quick_disk")

SHUT = Permissions.settled(1, {SOURCE: RuleBook((Rule("**", frozenset({"group:people"})),))}, DIRECTORY)
OPEN = Permissions.settled(2, {SOURCE: RuleBook((Rule("**", PUBLIC_TAGS),))}, DIRECTORY)


class Place:
    def __init__(self, home: Path) -> None:
        self.versions = MemoryVersions()
        self.store = IndexStore(home, self.versions, ANALYSER, 8.0)
        self.vectors, self.held = MemoryVectors(HashEncoder()), FixedPermissions(OPEN)

    def put(self, path: str, words: str) -> None:
        publish(self.store, self.vectors, [make_record(SOURCE, path, [("R", (f"travel {words}",))])])

    def take(self, path: str) -> None:
        publish(self.store, self.vectors, [], removed=[path])

    def index(self, number: int, encoder: str = "") -> FormerIndex:
        made = encoder or self.store.manifest(1).fingerprints["encoder"]
        return FormerIndex(self.store, self.held, number, made, lambda: NOW)

    def seen(self, number: int) -> set[str]:
        view = self.index(number).view(PUBLIC)
        return {passage.text for passage in view.passages([hit.chunk_id for hit in view.lexical(["travel"], 9)])}


@pytest.fixture
def place(memory_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    place = Place(memory_folder)
    monkeypatch.setattr(place.versions, "former_rules", {1: {SOURCE: ()}, 2: {SOURCE: ()}}.get)
    place.put("a.md", "first")
    place.put("b.md", "second")
    return place


def test_each_version_shows_what_it_held(place: Place) -> None:
    place.put("a.md", "third")
    assert place.seen(1) == {"travel first"} and place.seen(2) == {"travel first", "travel second"}
    assert place.seen(3) == {"travel third", "travel second"} and place.index(2).view(PUBLIC).version == 2


def test_what_went_since_is_not_shown(place: Place) -> None:
    place.take("a.md")
    assert place.seen(2) == {"travel second"}


def test_it_is_searched_under_the_permissions_of_now(place: Place) -> None:
    chunks = [hit.chunk_id for hit in place.index(1).view(PUBLIC).lexical(["travel"], 9)]
    assert place.index(1).visible(PUBLIC, chunks) == set(chunks)
    place.held.held = SHUT
    assert place.seen(1) == set() and place.index(1).visible(PUBLIC, chunks) == set()


def test_where_it_is_not_known_who_could_read_it_nobody_does(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """A secret is cleared, and only then opened."""
    place.put("a.md", "cleared")
    monkeypatch.setattr(place.versions, "former_rules", {1: {SOURCE: None}, 2: {SOURCE: None}}.get)
    assert place.seen(2) == {"travel second"}


def test_one_that_is_not_there_or_of_another_encoder_is_not_searched(place: Place) -> None:
    with pytest.raises(NotFound):
        place.seen(9)
    with pytest.raises(IndexDown, match="another encoder"):
        place.index(1, "other").view(PUBLIC)


def test_one_that_is_older_than_a_retired_one_is_not_searched(place: Place) -> None:
    """Somebody may have it open still; what the retired one took back nobody can tell."""
    place.put("c.md", "third")
    assert place.seen(1) == {"travel first"}
    place.versions.retire(2)
    with pytest.raises(NotFound, match="older than 2, which is retired"):
        place.seen(1)
    assert place.seen(3) == {"travel first", "travel second", "travel third"}
