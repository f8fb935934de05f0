import errno
import os
import random
import socket
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from homes.scans import apply, brief, sha
from hypothesis import given, settings
from hypothesis import strategies as st

import vouch.adapters.sources.folder.source
from vouch.adapters.sources.folder.source import NO_HASH, FolderSource
from vouch.documents.document import Change
from vouch.errors import BadInput, Unavailable, Unreadable

Rows = dict[str, tuple[int, int, str]]


class Cache:
    """The rows of one source in memory, and how often they were written."""

    def __init__(self) -> None:
        self.rows: Rows = {}
        self.puts = 0

    def get(self, source: str) -> Rows:
        return self.rows

    def put(self, source: str, rows: Mapping[str, tuple[int, int, str]]) -> None:
        self.rows, self.puts = dict(rows), self.puts + 1


def write(root: Path, files: Mapping[str, str]) -> Path:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return root


def source(root: Path, cache: Cache | None = None, most: int = 1000) -> FolderSource:
    return FolderSource("docs", root, cache or Cache(), most)


def test_a_scan_lists_additions_edits_moves_and_removals(tmp_path: Path) -> None:
    write(tmp_path, {"a.md": "A", "b/c.txt": "C", "d.html": "D", "e.md": "E"})
    docs = source(tmp_path)
    first = docs.scan({}, {})
    assert brief(first) == [("upsert", p, None) for p in ("a.md", "b/c.txt", "d.html", "e.md")]
    known = apply({}, first.changes)
    assert known == {"a.md": sha("A"), "b/c.txt": sha("C"), "d.html": sha("D"), "e.md": sha("E")}
    assert docs.scan(known, {}).changes == () and docs.scan(known, {}).unchanged == 4
    (tmp_path / "a.md").rename(tmp_path / "b" / "moved.md")
    (tmp_path / "d.html").write_text("D2")
    (tmp_path / "e.md").unlink()
    second = docs.scan(known, first.cursor)
    assert brief(second) == [("rename", "b/moved.md", "a.md"), ("upsert", "d.html", None), ("remove", "e.md", None)]
    assert (second.unchanged, second.more) == (1, False)


def test_moved_and_edited_is_a_removal_and_an_addition(tmp_path: Path) -> None:
    write(tmp_path, {"new.md": "edited"})
    assert brief(source(tmp_path).scan({"old.md": sha("text")}, {})) == [
        ("upsert", "new.md", None), ("remove", "old.md", None),
    ]  # fmt: skip


def test_equal_files_are_paired_in_order(tmp_path: Path) -> None:
    write(tmp_path, {"x.md": "same", "y.md": "same", "z.md": "same"})
    known = {"b.md": sha("same"), "a.md": sha("same")}
    assert brief(source(tmp_path).scan(known, {})) == [
        ("rename", "x.md", "a.md"), ("rename", "y.md", "b.md"), ("upsert", "z.md", None),
    ]  # fmt: skip


STEPS = st.lists(
    st.tuples(st.sampled_from(["write", "delete", "move", "touch", "scan"]), st.integers(0, 7), st.integers(0, 7)),
    max_size=30,
)


@settings(max_examples=60, deadline=None)
@given(STEPS, st.sampled_from([None, 1, 3]))
def test_any_run_of_edits_ends_in_what_stands_on_disk(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, int, int]], step: int | None
) -> None:
    root = write(tmp_path_factory.mktemp("docs"), {"keep.md": "stays"})
    paths = ["a.md", "b.md", "d/a.md", "d/b.txt", "d/e/f.md", "é.md", "a b.md", "z.html"]
    disk, known = {"keep.md": "stays"}, dict[str, str]()
    docs = source(root, Cache())
    for kind, one, other in [*steps, ("scan", 0, 0)]:
        path = paths[one]
        if kind == "write":
            disk[path] = f"text {other % 3}"
            write(root, {path: disk[path]})
        elif kind == "delete" and path in disk:
            del disk[path]
            (root / path).unlink()
        elif kind == "move" and path in disk:
            (root / paths[other]).parent.mkdir(parents=True, exist_ok=True)
            (root / path).rename(root / paths[other])
            disk[paths[other]] = disk.pop(path)
        elif kind == "touch" and path in disk:
            os.utime(root / path, (other, other))
        elif kind == "scan":
            more, cursor = True, dict[str, Any]()
            while more:
                scan = docs.scan(known, cursor, step=step)
                assert step is None or len(scan.changes) <= step
                known, cursor, more = apply(known, scan.changes), dict(scan.cursor), scan.more
            assert known == {p: sha(t) for p, t in disk.items()}


def test_steps_and_until_end_where_they_say(tmp_path: Path) -> None:
    write(tmp_path, {f"{n}.md": str(n) for n in range(7)})
    docs, known, cursor, seen = source(tmp_path), dict[str, str](), dict[str, Any](), list[int]()
    more = True
    while more:
        scan = docs.scan(known, cursor, step=2, until=5)
        known, cursor, more = apply(known, scan.changes), dict(scan.cursor), scan.more
        seen.append(len(scan.changes))
    assert (seen, len(known), cursor) == ([2, 2, 1], 5, {})
    assert len(docs.scan(known, cursor, until=5).changes) == 2


def test_size_and_time_spare_reading_but_a_set_back_clock_fools_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, {"a.md": "old text"})
    cache = Cache()
    docs = source(tmp_path, cache)
    docs.scan({}, {})
    assert cache.rows == {}  # written a moment ago: it may be written again within the clock's tick
    later = time.time_ns() + 10_000_000_000
    monkeypatch.setattr(time, "time_ns", lambda: later)
    assert docs.scan({}, {}).changes[0].hash == sha("old text")
    assert set(cache.rows) == {"a.md"}
    puts = cache.puts
    monkeypatch.setattr(FolderSource, "_digest", lambda *_: pytest.fail("was read again"))
    assert docs.scan({"a.md": sha("old text")}, {}).changes == ()
    assert cache.puts == puts
    monkeypatch.undo()
    before = (tmp_path / "a.md").stat()
    (tmp_path / "a.md").write_text("new text")
    os.utime(tmp_path / "a.md", ns=(before.st_atime_ns, before.st_mtime_ns))
    assert [c.hash for c in docs.scan({"a.md": sha("old text")}, {}).changes] == [sha("new text")]


def test_what_is_no_document_is_listed_with_the_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    outside = write(tmp_path / "outside", {"secret.md": "secret"})
    root = write(tmp_path / "docs", {"a.md": "A", "sub/b.md": "B", "data.dat": "1", "README": "x", ".git/x.md": "x",
                                     ".hidden.md": "x", "access.yaml": "rules: []", "sub/access.yaml": "x"})
    (root / "out.md").symlink_to(outside / "secret.md")
    (root / "outdir").symlink_to(outside)
    (root / "in.md").symlink_to("sub/b.md")
    (root / "broken.md").symlink_to("nowhere.md")
    (root / "loop.md").symlink_to("loop.md")
    os.mkfifo(root / "pipe.md")
    with socket.socket(socket.AF_UNIX) as server:
        monkeypatch.chdir(root)  # a socket's whole path may have 108 bytes only
        server.bind("socket.md")
    (root / os.fsdecode(b"caf\xe9.md")).write_text("latin")
    scan = source(root).scan({}, {})
    assert [c.path for c in scan.changes] == ["a.md", "sub/b.md"]
    reasons = {s.path: s.reason for s in scan.skipped}
    assert set(reasons) == {
        "README", "broken.md", "caf\\xe9.md", "data.dat", "in.md", "loop.md", "out.md", "outdir", "pipe.md",
        "socket.md", "sub/access.yaml",
    }  # fmt: skip
    assert "links are not followed" in reasons["out.md"] and "UTF-8" in reasons["caf\\xe9.md"]
    assert ".dat" in reasons["data.dat"] and "regular" in reasons["pipe.md"]
    with pytest.raises(Unreadable):
        source(root).load(Change("upsert", "out.md"))
    with pytest.raises(Unreadable):
        source(root).load(Change("upsert", "outdir/secret.md"))
    with pytest.raises(Unreadable):
        source(root).load(Change("upsert", "pipe.md"))


def test_a_swap_between_look_and_open_gains_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    outside = write(tmp_path / "outside", {"a.md": "secret", "d/a.md": "secret"})
    root = write(tmp_path / "docs", {"a.md": "mine", "d/a.md": "mine", "keep.md": "k"})
    from vouch.adapters.sources.folder import source as reading
    from vouch.adapters.sources.folder import walk

    listed = walk.list_folder

    def swap(handle: int, *selection: object) -> walk.Listing:
        listing = listed(handle, *selection)
        (root / "a.md").unlink()
        (root / "a.md").symlink_to(outside / "a.md")
        (root / "d").rename(tmp_path / "old")
        (root / "d").symlink_to(outside / "d")
        return listing

    monkeypatch.setattr(reading, "list_folder", swap)
    scan = source(root).scan({}, {})
    assert sha("secret") not in {c.hash for c in scan.changes}
    for change in scan.changes:
        if change.path != "keep.md":
            with pytest.raises(Unreadable):
                source(root).load(change)


def test_no_permission_is_no_removal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = write(tmp_path, {"a.md": "A", "sub/b.md": "B", "sub/c.md": "C", "ok.md": "ok"})
    known = {"a.md": sha("A"), "sub/b.md": sha("B"), "ok.md": sha("ok")}
    real = os.open

    def refuse(path: Any, flags: int, *rest: Any, **more: Any) -> int:
        if path in ("a.md", "sub"):
            raise PermissionError(errno.EACCES, "Permission denied")
        return real(path, flags, *rest, **more)

    monkeypatch.setattr(os, "open", refuse)
    docs = source(root)
    scan = docs.scan(known, {})
    assert brief(scan) == [("upsert", "a.md", None), ("upsert", "sub/b.md", None)]
    assert [s.path for s in scan.skipped] == ["sub"]
    for change in scan.changes:
        with pytest.raises(Unreadable, match="Permission denied"):
            docs.load(change)
    known = apply(known, scan.changes)
    assert docs.scan(known, {}).changes == ()
    monkeypatch.undo()
    assert brief(docs.scan(known, {})) == [("upsert", p, None) for p in ("a.md", "sub/b.md", "sub/c.md")]


@pytest.mark.parametrize("code", [errno.EMFILE, errno.ESTALE])
def test_trouble_of_the_machine_stops_the_scan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int) -> None:
    write(tmp_path, {"a.md": "A"})
    real = os.open

    def fail(path: Any, *rest: Any, **more: Any) -> int:
        if path == "a.md":
            raise OSError(code, os.strerror(code))
        return real(path, *rest, **more)

    monkeypatch.setattr(os, "open", fail)
    with pytest.raises(Unavailable):
        source(tmp_path).scan({}, {})


def test_a_folder_that_is_gone_or_empty_never_means_that_all_was_removed(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="cannot be opened"):
        source(tmp_path / "gone").scan({"a.md": "x"}, {})
    with pytest.raises(Unavailable, match="empty"):
        source(tmp_path).scan({"a.md": "x"}, {})
    write(tmp_path, {"file.md": "x"})
    with pytest.raises(BadInput, match="not a folder"):
        source(tmp_path / "file.md").scan({}, {})


def test_only_what_is_named_is_opened_and_odd_names_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    write(tmp_path, {"a.md": "A", "b.md": "B", "c.dat": "C", "d/e.md": "E", "d/.f.md": "F", "d2/g.md": "G"})
    (tmp_path / "link.md").symlink_to("a.md")
    known = dict.fromkeys(["a.md", "b.md", "gone.md", "link.md", "old/x.md", "d2/g.md", "d2/h.md"], "before")
    opened: list[str] = []
    original = vouch.adapters.sources.folder.source.open_below
    monkeypatch.setattr(
        "vouch.adapters.sources.folder.source.open_below",
        lambda root, path: opened.append(path) or original(root, path),
    )
    named = ["b.md", "gone.md", "c.dat", "../x.md", "/etc/x.md", ".git/a.md", "link.md", "a.md/b.md", "d", "old", ""]
    cache = Cache()
    scan = source(tmp_path, cache).scan(known, {"given": 4}, paths=named)
    assert brief(scan) == [
        ("upsert", "b.md", None), ("upsert", "d/e.md", None), ("remove", "gone.md", None),
        ("remove", "link.md", None), ("remove", "old/x.md", None),
    ]  # fmt: skip
    assert sorted(opened) == [".vouchignore", "b.md", "d/e.md"]
    assert (scan.unchanged, scan.more, dict(scan.cursor), cache.puts) == (3, False, {"given": 4}, 0)
    assert {s.path for s in scan.skipped} == {"c.dat", "link.md", "../x.md", "/etc/x.md", ".git/a.md", ""}
    assert sum("not a path below" in record.getMessage() for record in caplog.records) == 3


def test_a_folder_that_became_empty_or_is_gone_removes_no_named_path_either(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    with pytest.raises(Unavailable, match="empty"):
        source(tmp_path / "docs").scan({"a.md": "x"}, {}, paths=["a.md"])
    with pytest.raises(Unavailable):
        source(tmp_path / "nothere").scan({"a.md": "x"}, {}, paths=["a.md"])


def test_naming_what_changed_finds_what_a_whole_look_finds(tmp_path: Path) -> None:
    rng = random.Random(5)
    paths = ["a.md", "b.md", "d/a.md", "d/b.txt", "d/e/c.md", "f/c.md", "x.dat"]
    write(tmp_path, {"stays.md": "S"})
    known = apply({}, source(tmp_path).scan({}, {}).changes)
    for _ in range(150):
        touched: set[str] = set()
        for path in rng.sample(paths, rng.randrange(4)):
            place = tmp_path / path
            if place.exists() and rng.random() < 0.6:
                place.unlink() if rng.random() < 0.5 else place.rename(tmp_path / rng.choice(paths[:2]))
                touched |= {path, paths[0], paths[1]} if not place.exists() else {path}
            else:
                write(tmp_path, {path: rng.choice("ABC")})
            touched.add(path.rpartition("/")[0] if "/" in path and rng.random() < 0.3 else path)
        named = source(tmp_path).scan(known, {}, paths=sorted(touched))
        assert named.changes == source(tmp_path).scan(known, {}).changes
        known = apply(known, named.changes)


def test_load_gives_the_bytes_of_now_and_refuses_what_is_too_large(tmp_path: Path) -> None:
    write(tmp_path, {"a.md": "A", "big.md": "x" * 101})
    docs = source(tmp_path, most=100)
    changes = {c.path: c for c in docs.scan({}, {}).changes}
    write(tmp_path, {"a.md": "changed since"})
    content = docs.load(changes["a.md"])
    assert (content.data, content.hash) == (b"changed since", sha("changed since"))
    assert content.changed_at is not None and content.changed_at.tzinfo is not None
    with pytest.raises(Unreadable, match="larger"):
        docs.load(changes["big.md"])
    (tmp_path / "a.md").unlink()
    with pytest.raises(Unreadable):
        docs.load(changes["a.md"])


def test_what_could_not_be_read_is_never_taken_for_a_rename(tmp_path: Path) -> None:
    write(tmp_path, {"b.md": "B"})
    assert brief(source(tmp_path).scan({"a.md": NO_HASH}, {})) == [("remove", "a.md", None), ("upsert", "b.md", None)]


def test_a_thousand_files_unchanged_take_little_time(tmp_path: Path) -> None:
    rng = random.Random(1)
    write(tmp_path, {f"{n % 30}/{n}.md": str(rng.random()) for n in range(1000)})
    cache = Cache()
    docs = source(tmp_path, cache)
    known = apply({}, docs.scan({}, {}).changes)
    began = time.perf_counter()
    assert docs.scan(known, {}).changes == ()
    assert time.perf_counter() - began < 2
