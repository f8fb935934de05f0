"""A publish that lost the race ends on top of the winner, with the rows it had made, or not at all."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from homes.memory import folder_in_memory
from hypothesis import given, settings
from hypothesis import strategies as st
from two_world.drawing import ANEW
from two_world.observing import observe
from two_world.stand_ins import FixedPermissions, HashEncoder, MemoryVectors, MemoryVersions
from two_world.worlds import ANALYSER, NOW, PERMISSIONS, Pair, World, make_record

from indexers.building.build import Published
from indexers.building.changes import model_inputs
from indexers.live_index import LiveIndex
from indexers.publishing import optimistic_publish
from indexers.publishing import optimistic_publish as publish_queue
from indexers.publishing.index_store import IndexStore, OpenVersion
from vouch.documents.document import DocumentRecord
from vouch.errors import Conflict, Damaged, Usage

pytestmark = pytest.mark.usefixtures("quick_disk")
SOURCE = "hall"


class CountingAnalyser:
    fingerprint = ANALYSER.fingerprint
    asked = 0

    def terms(self, text: str) -> list[str]:
        self.asked += 1
        return ANALYSER.terms(text)


class Home:
    """A store, and another publisher whose publish comes in between."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.versions = MemoryVersions()
        self.analyser = CountingAnalyser()
        self.store = IndexStore(path, self.versions, self.analyser, 8.0)
        self.encoder = HashEncoder()
        self.vectors = MemoryVectors(self.encoder)
        self.asked = 0

    @property
    def current(self) -> OpenVersion:
        version = self.store.open_current()
        assert version is not None
        return version

    def get(self, keys: Sequence[bytes]) -> Any:
        self.asked += 1
        return self.vectors.get(keys)

    def publish(
        self, base: OpenVersion | None, *records: DocumentRecord, moved: Mapping[str, str] | None = None,
        removed: Sequence[str] = (), cursors: Mapping[str, Any] | None = None, models: str = "by hand",
        parent: int | None = None,
    ) -> Published:
        self.vectors.learn([text for record in records for text in model_inputs(record)])
        held = base.manifest.cursors if base else {}
        return self.store.publish(
            base, changed=records, moved={(SOURCE, new): old for new, old in (moved or {}).items()},
            removed=[(SOURCE, path) for path in removed], cursors={**held, **(cursors or {})}, parent=parent,
            fingerprints=self.store.fingerprints("hashes:1", models), vectors=self.get,
        )

    def meanwhile(self, act: Callable[[], Any], times: int = 1) -> None:
        """`act` happens after a publish has written its files and before it moves the pointer."""
        swap = self.versions.swap
        left = times

        def overtaken(expected: int | None, new: int) -> None:
            nonlocal left
            if left:
                left -= 1
                self.versions.swap = swap  # type: ignore[method-assign]
                act()
                self.versions.swap = overtaken  # type: ignore[method-assign]
            swap(expected, new)

        self.versions.swap = overtaken  # type: ignore[method-assign]


def doc(path: str, *passages: str) -> DocumentRecord:
    return make_record(SOURCE, path, [("Rules", passages)])


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home(tmp_path)
    home.publish(None, doc("a.md", "travel", "leave"), doc("b.md", "budget"), cursors={SOURCE: {"at": 1}})
    return home


def test_the_loser_lands_on_the_winner_without_embedding_or_analysing_again(home: Home) -> None:
    base = home.current
    home.meanwhile(lambda: home.publish(base, doc("c.md", "badge"), cursors={"other": {"at": 9}}))
    asked, analysed = home.asked, home.analyser.asked
    done = home.publish(base, doc("a.md", "travel", "changed"), doc("d.md", "laptop"), removed=["b.md"])
    assert (home.asked - asked, home.analyser.asked - analysed) == (2, 1 + 2)       # one call each; c, then a and d
    version = home.current
    assert (done.version, version.number, version.manifest.parent) == (4, 4, 3)
    assert [row.state for row in home.versions.rows()] == ["published", "abandoned", "published", "published"]
    assert version.known(SOURCE).keys() == {"a.md", "c.md", "d.md"}
    assert version.record(SOURCE, "a.md") == doc("a.md", "travel", "changed")
    assert version.manifest.cursors == {SOURCE: {"at": 1}, "other": {"at": 9}}
    assert (done.chunks_added, done.chunks_kept, done.chunks_removed) == (2, 1, 2)
    assert home.store.verify(4) == []


def test_a_base_that_is_no_longer_current_is_found_out_before_anything_is_written(home: Home) -> None:
    base = home.current
    home.publish(base, doc("c.md", "badge"))
    assert home.publish(base, doc("d.md", "laptop")).version == 3
    assert home.current.known(SOURCE).keys() == {"a.md", "b.md", "c.md", "d.md"}


def test_of_two_first_versions_the_second_lands_on_the_first(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.meanwhile(lambda: home.publish(None, doc("a.md", "travel"), cursors={"one": {"at": 1}}))
    home.publish(None, doc("b.md", "leave"), cursors={"two": {"at": 2}})
    assert home.current.known(SOURCE).keys() == {"a.md", "b.md"} and home.current.manifest.parent == 2
    assert home.current.manifest.cursors == {"one": {"at": 1}, "two": {"at": 2}}


@dataclass(frozen=True)
class Move:
    """The arguments of a publish."""

    records: tuple[DocumentRecord, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)


EDIT = Move((doc("a.md", "mine"),))
RENAME = Move((doc("c.md", "travel", "leave"),), {"moved": {"c.md": "a.md"}})
REMOVE = Move((), {"removed": ["a.md"]})
GO_ON = Move((doc("n.md", "news"),), {"cursors": {SOURCE: {"at": 2}}})


@pytest.mark.parametrize("mine", [EDIT, RENAME, Move((doc("n.md", "mine"), doc("a.md", "mine")))])
@pytest.mark.parametrize("theirs", [Move((doc("a.md", "theirs"),)), REMOVE, RENAME,
                                    Move((doc("a.md", "travel", "leave", "more"),))])
def test_of_two_that_change_one_document_one_is_told(home: Home, mine: Move, theirs: Move) -> None:
    base = home.current
    home.meanwhile(lambda: home.publish(base, *theirs.records, **theirs.options))
    with pytest.raises(Conflict, match=r"changed hall:\w\.md meanwhile"):
        home.publish(base, *mine.records, **mine.options)
    assert home.versions.current() == 3
    assert [row.state for row in home.versions.rows()] == ["published", "abandoned", "published"]


def test_a_document_removed_and_written_again_is_another_one(home: Home) -> None:
    """Its text is the same and its rows are new: rows made for the former would stand beside nothing."""
    base = home.current

    def act() -> None:
        home.publish(home.current, removed=["a.md"])
        home.publish(home.current, doc("a.md", "travel", "leave"))

    home.meanwhile(act)
    with pytest.raises(Conflict, match=r"changed hall:a\.md meanwhile"):
        home.publish(base, doc("a.md", "travel", "leave", "more"))
    assert home.store.verify(home.current.number) == []


def test_two_may_take_the_same_away(home: Home) -> None:
    base = home.current
    home.meanwhile(lambda: home.publish(base, removed=["a.md"]))
    home.publish(base, doc("c.md", "x"), removed=["a.md"])
    assert home.current.known(SOURCE).keys() == {"b.md", "c.md"} and home.current.manifest.parent == 3


def test_of_two_that_go_on_with_one_source_one_is_told(home: Home) -> None:
    base = home.current
    home.meanwhile(lambda: home.publish(base, doc("m.md", "x"), cursors={SOURCE: {"at": 3}}))
    with pytest.raises(Conflict, match="went on with source hall"):
        home.publish(base, *GO_ON.records, **GO_ON.options)
    assert home.current.cursor(SOURCE) == {"at": 3}


def test_a_source_that_leaves_takes_its_cursor_along_unless_it_went_on(home: Home) -> None:
    def drop(base: OpenVersion) -> Published:
        return home.store.publish(base, changed=[], moved={}, removed=[(SOURCE, "b.md")], cursors={},
                                  fingerprints=base.manifest.fingerprints, vectors=home.get)

    base = home.current
    home.meanwhile(lambda: home.publish(base, doc("c.md", "x"), cursors={"new": {"at": 1}}))
    drop(base)
    assert home.current.manifest.cursors == {"new": {"at": 1}}
    base = home.current
    home.publish(base, cursors={"new": {"at": 2}})
    with pytest.raises(Conflict, match="went on with source new"):
        drop(base)


def test_a_cursor_that_the_winner_dropped_does_not_come_back(home: Home) -> None:
    base = home.current
    home.store.publish(base, changed=[], moved={}, removed=[(SOURCE, "a.md"), (SOURCE, "b.md")], cursors={},
                       fingerprints=base.manifest.fingerprints, vectors=home.get)
    home.publish(base, make_record("new", "n.md", [("Rules", ("news",))]), cursors={"new": {"at": 1}, "idle": {}})
    assert home.current.manifest.cursors == {"new": {"at": 1}, "idle": {}}


def test_versions_of_other_models_are_never_mixed(home: Home) -> None:
    base = home.current
    home.publish(None, doc("a.md", "anew"), models="others", parent=1)
    with pytest.raises(Conflict, match="other models"):
        home.publish(base, doc("c.md", "x"))
    with pytest.raises(Conflict, match="no longer the current one"):        # a build of everything is planned anew
        home.publish(None, doc("c.md", "x"), models="third", parent=1)


def test_a_publish_on_a_base_made_by_others_is_refused_as_before(home: Home) -> None:
    with pytest.raises(Usage, match="vouch rebuild"):
        home.publish(home.current, doc("c.md", "x"), models="others")


def test_who_always_loses_is_told_at_last(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(optimistic_publish, "TRIES", 4)
    monkeypatch.setattr(publish_queue, "_WAIT_S", 0.0)              # the others are impolite
    base, asked = home.current, home.asked
    numbers = iter(range(99))
    home.meanwhile(lambda: home.publish(home.current, cursors={"x": {"at": next(numbers)}}), times=99)
    with pytest.raises(Conflict, match="4 times in a row"):
        home.publish(base, doc("c.md", "x"))
    assert home.asked == asked + 1 and "c.md" not in home.current.known(SOURCE)


def test_a_damaged_winner_is_not_built_on(home: Home) -> None:
    base = home.current

    def act() -> None:
        home.publish(base, doc("c.md", "badge"))
        newest = max((home.path / "parts").iterdir(), key=lambda folder: folder.stat().st_mtime_ns)
        (newest / "texts.bin").write_bytes(b"damage")

    home.meanwhile(act)
    with pytest.raises(Damaged):
        home.publish(base, doc("d.md", "laptop"))
    assert home.versions.current() == 3


PATHS = ("open/a.md", "open/b.md", "team/c.md", "people/d.md", "board/e.md")
_WORDS = st.lists(st.sampled_from(("travel", "budget", "leave", "badge")), min_size=1, max_size=3).map(" ".join)
_DOCUMENTS = st.builds(lambda path, passages: doc(path, *passages), st.sampled_from(PATHS),
                       st.lists(_WORDS, min_size=1, max_size=3))


@st.composite
def moves(draw: st.DrawFn, held: Sequence[DocumentRecord]) -> Move:
    """Edits, additions, removals and renames that a run could plan on a version with these documents."""
    records = {record.path: record for record in draw(st.lists(_DOCUMENTS, max_size=2))}
    there = [record for record in held if record.path not in records]
    moved, removed = {}, []
    for record in there:
        fate = draw(st.sampled_from(("stay", "stay", "remove", "rename")))
        free = [path for path in PATHS if path not in records and path not in {r.path for r in held}]
        if fate == "rename" and free:
            texts = [record.text[chunk.start : chunk.end] for chunk in record.chunks]
            records[free[0]] = doc(free[0], *texts)
            moved[free[0]] = record.path
        elif fate == "remove":
            removed.append(record.path)
    cursors = draw(st.sampled_from(({}, {SOURCE: {"at": 7}}, {"other": {"at": 1}})))
    return Move(tuple(records.values()), {"moved": moved, "removed": removed, "cursors": cursors})


def touched(move: Move) -> set[str]:
    return {r.path for r in move.records} | set(move.options["moved"].values()) | set(move.options["removed"])


def clash(theirs: Move, mine: Move, held: Sequence[DocumentRecord]) -> bool:
    """Whether one of them changed what the other one touches, or both went on with one source."""
    before = {record.path: record for record in held}
    after = {record.path: record for record in theirs.records}
    changed = {path for path in touched(theirs) if after.get(path) != before.get(path)}
    changed -= {path for path in mine.options["removed"] if path not in after}      # gone either way
    return bool(changed & touched(mine) or theirs.options["cursors"].keys() & mine.options["cursors"].keys())


@pytest.mark.slow
@settings(ANEW, max_examples=80)
@given(st.data())
def test_a_rebased_publish_is_what_one_after_the_other_would_have_been(data: st.DataObject) -> None:
    held = list({r.path: r for r in data.draw(st.lists(_DOCUMENTS, min_size=1, max_size=4))}.values())
    theirs, mine = data.draw(moves(held)), data.draw(moves(held))
    if clash(theirs, mine, held):
        with pytest.raises(Conflict):
            end_of(held, theirs, mine, rebases=True)
    else:
        assert end_of(held, theirs, mine, rebases=True) == end_of(held, theirs, mine, rebases=False)


def end_of(held: Sequence[DocumentRecord], theirs: Move, mine: Move, *, rebases: bool) -> list[Any]:
    """All there is to see after two publishes, the second planned on the same version as the first, or after it."""
    with folder_in_memory() as folder:
        home = Home(folder)
        home.publish(None, *held, cursors={SOURCE: {"at": 1}})
        base = home.current
        home.publish(base, *theirs.records, **theirs.options)
        home.publish(base if rebases else home.current, *mine.records, **mine.options)
        permissions = FixedPermissions(PERMISSIONS)
        world = World(home.store, LiveIndex(home.store, permissions, lambda: NOW), home.encoder, permissions)
        version = home.current
        seen = [observe(world, Pair((tag,), "travel budget", (), ())) for tag in ("public", "user:ana@acme.test")]
        return [*seen, [version.record(*h.place) for h in version.documents()], version.manifest.cursors]
