"""What every Source promises, whatever it reads from."""

import hashlib
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol

import pytest
from homes.git_repo import GitRepo

from vouch.adapters.sources.events.source import EventsSource
from vouch.adapters.sources.folder.source import FolderSource
from vouch.adapters.sources.git.source import GitSource
from vouch.adapters.sources.kinds import SOURCES
from vouch.documents.document import Change
from vouch.errors import Unavailable, Unreadable
from vouch.ports.ingestion import Source

MOST = 500


class Place(Protocol):
    """Somewhere documents are kept, and the source that reads it."""

    source: Source

    def write(self, path: str, text: str) -> None: ...

    def remove(self, path: str) -> None: ...

    def move(self, old: str, new: str) -> None: ...

    def vanish(self) -> None: ...


class NoCache:
    def get(self, source: str) -> Mapping[str, tuple[int, int, str]]:
        return {}

    def put(self, source: str, rows: Mapping[str, tuple[int, int, str]]) -> None:
        pass


class FolderPlace:
    def __init__(self, root: Path) -> None:
        self._root = root / "docs"
        self._root.mkdir()
        self.source: Source = FolderSource("it", self._root, NoCache(), MOST)

    def write(self, path: str, text: str) -> None:
        (self._root / path).parent.mkdir(parents=True, exist_ok=True)
        (self._root / path).write_text(text)

    def remove(self, path: str) -> None:
        (self._root / path).unlink()

    def move(self, old: str, new: str) -> None:
        (self._root / old).rename(self._root / new)

    def vanish(self) -> None:
        self._root.rename(self._root.with_name("elsewhere"))


class EventsPlace:
    def __init__(self, root: Path) -> None:
        self._path = root / "events.jsonl"
        self._path.touch()
        self._count = 0
        self.source: Source = EventsSource("it", self._path, MOST)

    def _append(self, **event: Any) -> None:
        self._count += 1
        with self._path.open("a") as file:
            file.write(json.dumps(event | {"commit": str(self._count), "seq": self._count}) + "\n")

    def write(self, path: str, text: str) -> None:
        self._append(op="modify", path=path, text=text)

    def remove(self, path: str) -> None:
        self._append(op="delete", path=path)

    def move(self, old: str, new: str) -> None:
        self._append(op="rename", path=new, old_path=old)

    def vanish(self) -> None:
        self._path.rename(self._path.with_name("elsewhere"))


class GitPlace:
    """A commit for each change."""

    def __init__(self, root: Path) -> None:
        self._repo = GitRepo(root / "repo")
        self._files: dict[str, bytes] = {}
        self.source: Source = GitSource("it", self._repo.path, "main", MOST)

    def _commit(self) -> None:
        self._repo.commit(self._files)

    def write(self, path: str, text: str) -> None:
        self._files[path] = text.encode()
        self._commit()

    def remove(self, path: str) -> None:
        del self._files[path]
        self._commit()

    def move(self, old: str, new: str) -> None:
        self._files[new] = self._files.pop(old)
        self._commit()

    def vanish(self) -> None:
        self._repo.path.rename(self._repo.path.with_name("elsewhere"))


PLACES: dict[str, Callable[[Path], Place]] = {"folder": FolderPlace, "events": EventsPlace, "git": GitPlace}


def test_every_kind_of_source_is_tested_here() -> None:
    assert PLACES.keys() == SOURCES.keys()


@pytest.fixture(params=PLACES)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    made = PLACES[request.param](tmp_path)
    for path in ("b.md", "a.md", "d/c.txt"):
        made.write(path, f"text of {path}")
    return made


def sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def after(known: Mapping[str, str], changes: tuple[Change, ...]) -> dict[str, str]:
    state = dict(known)
    for change in changes:
        state.pop(change.old_path or change.path, None)
    return state | {c.path: c.hash for c in changes if c.operation != "remove"}


def test_from_nothing_every_document_is_an_upsert_in_order_of_path(place: Place) -> None:
    scan = place.source.scan({}, {})
    assert [(c.operation, c.path) for c in scan.changes] == [("upsert", p) for p in ("a.md", "b.md", "d/c.txt")]
    assert [c.hash for c in scan.changes] == [sha(f"text of {p}") for p in ("a.md", "b.md", "d/c.txt")]
    assert [c.size for c in scan.changes] == [len(f"text of {p}") for p in ("a.md", "b.md", "d/c.txt")]
    assert (scan.unchanged, scan.more, scan.skipped) == (0, False, ())


def test_asking_again_with_nothing_published_gives_the_same(place: Place) -> None:
    assert place.source.scan({}, {}) == place.source.scan({}, {})


def test_once_published_nothing_is_left_and_the_cursor_rests(place: Place) -> None:
    first = place.source.scan({}, {})
    again = place.source.scan(after({}, first.changes), first.cursor)
    assert (again.changes, again.unchanged, again.more, dict(again.cursor)) == ((), 3, False, dict(first.cursor))
    assert json.loads(json.dumps(dict(first.cursor))) == dict(first.cursor)


def test_edits_moves_and_removals_are_net_changes(place: Place) -> None:
    first = place.source.scan({}, {})
    place.write("a.md", "edited")
    place.write("new.md", "passing")
    place.remove("new.md")
    place.move("b.md", "d/moved.md")
    place.remove("d/c.txt")
    scan = place.source.scan(after({}, first.changes), first.cursor)
    assert [(c.operation, c.path, c.old_path, c.hash) for c in scan.changes] == [
        ("upsert", "a.md", None, sha("edited")),
        ("remove", "d/c.txt", None, ""),
        ("rename", "d/moved.md", "b.md", sha("text of b.md")),
    ]
    assert scan.unchanged == 0


def test_steps_reach_the_same_end(place: Place) -> None:
    known, cursor, more, steps = dict[str, str](), dict[str, Any](), True, 0
    while more:
        scan = place.source.scan(known, cursor, step=1)
        known, cursor, more, steps = after(known, scan.changes), dict(scan.cursor), scan.more, steps + 1
    assert steps == 3
    assert known == {p: sha(f"text of {p}") for p in ("a.md", "b.md", "d/c.txt")}


def test_until_ends_a_run_early(place: Place) -> None:
    scan = place.source.scan({}, {}, until=2)
    assert (len(scan.changes), scan.more) == (2, False)


def test_load_gives_exactly_the_hashed_bytes(place: Place) -> None:
    for change in place.source.scan({}, {}).changes:
        content = place.source.load(change)
        assert (content.path, content.data.decode()) == (change.path, f"text of {change.path}")
        assert content.hash == change.hash == hashlib.sha256(content.data).hexdigest()


def test_a_document_that_is_too_large_is_found_but_unreadable(place: Place) -> None:
    place.write("big.md", "x" * (MOST + 1))
    change = next(c for c in place.source.scan({}, {}).changes if c.path == "big.md")
    with pytest.raises(Unreadable, match="larger"):
        place.source.load(change)


def test_other_kinds_are_listed_as_skipped(place: Place) -> None:
    place.write("table.dat", "1,2")
    scan = place.source.scan({}, {})
    assert [s.path for s in scan.skipped] == ["table.dat"]
    assert "table.dat" not in {c.path for c in scan.changes}


def test_named_paths_are_brought_up_to_date_and_nothing_is_missed_later(place: Place) -> None:
    first = place.source.scan({}, {})
    known, cursor = after({}, first.changes), dict(first.cursor)
    place.write("a.md", "edited")
    place.move("b.md", "d/moved.md")
    place.write("z.md", "not named")
    named = place.source.scan(known, cursor, paths=["a.md", "b.md", "d", "never.md"])
    known = after(known, named.changes)
    assert {p: known.get(p) for p in ("a.md", "b.md", "d/moved.md", "d/c.txt")} == {
        "a.md": sha("edited"), "b.md": None, "d/moved.md": sha("text of b.md"), "d/c.txt": sha("text of d/c.txt")
    }
    assert ("rename", "d/moved.md", "b.md") in [(c.operation, c.path, c.old_path) for c in named.changes]
    rest = place.source.scan(known, dict(named.cursor))
    assert after(known, rest.changes) == known | {"z.md": sha("not named")}


def test_a_place_that_is_gone_is_an_outage_not_a_removal(place: Place) -> None:
    known = after({}, place.source.scan({}, {}).changes)
    place.vanish()
    with pytest.raises(Unavailable):
        place.source.scan(known, {})


def test_a_scan_is_whole_if_nothing_was_left_out(place: Place) -> None:
    place.write("a.md", "one")
    place.write("b.md", "two")
    assert place.source.scan({}, {}).whole and place.source.scan({}, {}, until=9).whole
    assert not place.source.scan({}, {}, until=1).whole and not place.source.scan({}, {}, step=1).whole
