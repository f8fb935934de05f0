"""Whom the later history of a document allows to read it as it was; where that is not known, nobody."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from two_world.stand_ins import HashEncoder, MemoryVectors, MemoryVersions
from two_world.worlds import ANALYSER, SOURCE, make_record, publish

from indexers.publishing.index_store import IndexStore
from vouch.access import NOBODY, PUBLIC_TAGS, Limits, Rule, RuleBook, Stand
from vouch.documents.document import DocumentRecord

pytestmark = pytest.mark.usefixtures("quick_disk")

A = (SOURCE, "a.md")
PEOPLE = frozenset({"group:people"})
Former = Mapping[str, tuple[RuleBook, ...] | None] | None


class Place:
    """The history of one document."""

    def __init__(self, home: Path) -> None:
        self.home, self.versions, self.vectors = home, MemoryVersions(), MemoryVectors(HashEncoder())

    @property
    def store(self) -> IndexStore:
        """The index as another process finds it."""
        return IndexStore(self.home, self.versions, ANALYSER, 8.0)

    def put(self, words: str, path: str = "a.md", **facts: Any) -> None:
        self.publish(make_record(SOURCE, path, [("Rules", (words,))], **facts))

    def publish(self, *records: DocumentRecord, removed: Sequence[str] = ()) -> None:
        publish(self.store, self.vectors, records, removed=removed)


@pytest.fixture
def place(memory_folder: Path) -> Place:
    return Place(memory_folder)


@pytest.mark.parametrize(("former", "limits"), [
    (None, NOBODY),
    ({SOURCE: None}, NOBODY),
    ({SOURCE: ()}, ()),
    ({SOURCE: (RuleBook((Rule("**", PEOPLE),)),)}, ((Stand("a.md", PEOPLE),),)),
    ({SOURCE: (RuleBook(),)}, NOBODY),
    ({SOURCE: (RuleBook((Rule("**", PUBLIC_TAGS),)),)}, ()),
], ids=["not known", "nobody could read", "no condition", "a group", "no rule", "the public"])
def test_what_was_edited_since_is_read_by_whom_it_was_granted_to(
    place: Place, monkeypatch: pytest.MonkeyPatch, former: Former, limits: Limits
) -> None:
    place.put("travel")
    place.put("budget")
    monkeypatch.setattr(place.versions, "former_rules", {1: former}.get)
    assert place.store.limits(1) == ({A: limits} if limits else {})


def test_what_a_version_before_a_retired_one_granted_does_not_count(place: Place) -> None:
    """What the retired one took back is not known any more."""
    place.put("travel")
    place.put("budget")
    assert place.store.rollback(1) == 3
    place.put("badge")
    assert place.store.limits(3) == {}
    place.versions.retire(2)
    assert place.store.limits(3) == {A: NOBODY}


def test_of_a_version_that_has_earlier_documents_that_earlier_one_need_not_be_read(place: Place) -> None:
    place.put("travel")
    place.put("budget")
    assert place.store.rollback(1) == 3
    place.put("leave", "b.md")
    (place.home / "versions" / "1" / "manifest.json").write_bytes(b"damage")
    assert place.store.limits(3) == {}


def test_the_same_bytes_as_of_another_version_tell_nothing_of_this_one(place: Place) -> None:
    place.put("travel")
    place.put("leave", "b.md")
    assert (place.store.rollback(1), place.store.rollback(2)) == (3, 4)
    assert place.store.limits(3) == {}
    for number in (1, 2):
        place.versions.retire(number)
    assert place.store.limits(3) == {A: NOBODY}


def test_a_version_that_is_restored_says_again_whom_it_allowed(place: Place) -> None:
    for words in ("travel", "budget", "badge"):
        place.put(words)
    manifest, store = place.home / "versions" / "2" / "manifest.json", place.store
    sound = manifest.read_bytes()
    manifest.write_bytes(b"damage")
    assert store.limits(1) == {A: NOBODY}
    manifest.write_bytes(sound)
    assert store.limits(1) == {}


def test_what_is_nobodys_by_one_version_is_nobodys_whatever_the_others_allow(place: Place) -> None:
    place.put("travel")
    place.put("travel", narrowed=PEOPLE)
    assert place.store.limits(1) == {A: ((Stand("a.md", PEOPLE),),)}
    place.publish(removed=["a.md"])
    assert place.store.limits(1) == {A: NOBODY}


@pytest.mark.parametrize("path", ["a.md", "b.md"])
def test_what_could_not_be_read_any_more_is_nobodys(place: Place, path: str) -> None:
    """The same bytes, at the old place or at another one."""
    place.put("travel", hash="1")
    place.publish(DocumentRecord(SOURCE, path, "1", "quarantined"), removed=["a.md"] if path != "a.md" else [])
    assert place.store.limits(1) == {A: NOBODY}


def test_what_shows_other_words_at_its_place_is_read_where_its_copy_lies(place: Place) -> None:
    """The title was cleared in place, which changes no row, and all as it was lies elsewhere."""
    place.put("travel", title="Zephyr", hash="1")
    copy = make_record(SOURCE, "hr/b.md", [("Rules", ("travel",))], title="Zephyr", hash="1")
    place.publish(make_record(SOURCE, "a.md", [("Rules", ("travel",))], title="Plan", hash="2"), copy)
    assert place.store.limits(1) == {A: ((Stand("hr/b.md"),),)}


GROUPS = [(f"group:{n}a", f"group:{n}b") for n in range(7)]


@pytest.mark.parametrize(("copies", "narrowed", "wanted"), [
    ([("group:x",)], PEOPLE, ["group:x", "group:people"]),
    ([("group:x",), ("group:x", "group:y")], None, ["group:x"]),
    (GROUPS[:1], None, ["group:0a", "group:0b"]),
    (GROUPS[:2], None, ["group:0a group:1a", "group:0a group:1b", "group:0b group:1a", "group:0b group:1b"]),
    (GROUPS, None, [tag for pair in GROUPS for tag in pair]),
], ids=["narrowed", "one is enough", "one place", "two places", "too many to choose from: all"])
def test_all_rules_had_to_allow_at_one_of_the_places(
    place: Place, monkeypatch: pytest.MonkeyPatch, copies: list[tuple[str, ...]], narrowed: frozenset[str] | None,
    wanted: list[str],
) -> None:  # fmt: skip
    """Copies stood elsewhere, under one rule book after the other, before the text was written anew."""
    paths = [f"{n}.md" for n in range(len(copies))]
    place.put("travel", hash="1")
    place.publish(*(make_record(SOURCE, path, [("Rules", ("travel",))], narrowed, hash="1") for path in paths),
                  removed=["a.md"])
    place.publish(make_record(SOURCE, "a.md", [("Rules", ("budget",))]), removed=paths)
    books = tuple(RuleBook(tuple(Rule(path, frozenset({tags[min(n, len(tags) - 1)]}))
                                 for path, tags in zip(paths, copies, strict=True))) for n in range(2))
    monkeypatch.setattr(place.versions, "former_rules", {2: {SOURCE: books}}.get)
    elsewhere, *then = place.store.limits(1)[A]
    assert elsewhere == tuple(Stand(path, narrowed) for path in paths)
    assert {group[0].narrowed for group in then} == {frozenset(one.split()) for one in wanted}
    assert {(len(group), group[0].path) for group in then} == {(1, "a.md")}
