"""A source that fails while its documents are read, after it was scanned, stays as it was; the others go on."""

import errno
import os
import shutil
from pathlib import Path

import pytest
from homes.git_repo import GitRepo, git
from homes.ingest_bench import Bench

from flows.ingesting import prepare
from vouch.access import Rule, RuleBook
from vouch.adapters.ledger import SourceRow
from vouch.adapters.sources.folder.source import FolderSource
from vouch.adapters.sources.git.source import GitSource
from vouch.errors import LedgerDown, Unavailable, VouchError

OLD, NEW = "# Keys\n\nKeys are rotated in May.\n", "# Keys\n\nKeys are rotated in June.\n"


def write(place: Path, text: str, names=("0.md", "1.md", "2.md"), at: int = 1_700_000_000) -> Path:
    place.mkdir(exist_ok=True)
    for name in names:
        (place / name).parent.mkdir(exist_ok=True)
        (place / name).write_text(text.replace("Keys", f"Keys {name}"))
        os.utime(place / name, (at, at))
    return place


def once_scanned(monkeypatch, act, kind=FolderSource, name="a"):
    """`act` happens to source `name` between its scan and the first look at a document."""
    real, done = kind.load, []

    def load(self, change):
        if self.name == name and not done:
            done.append(change.path)
            act(change.path)
        return real(self, change)

    monkeypatch.setattr(kind, "load", load)
    return done


@pytest.fixture
def two(bench: Bench, tmp_path: Path) -> Bench:
    """`a` fails, `b` goes on; both have changed since version 1, and `a` is small enough to slip past a guard."""
    for name in "ab":
        bench.folder(name, write(tmp_path / name, OLD, [f"{n}.md" for n in range(20)] + ["sub/s.md"]))
    bench.ingest()
    write(tmp_path / "a", NEW, ("0.md", "1.md", "sub/s.md"), 1_700_000_100)
    write(tmp_path / "b", NEW, ("0.md",), 1_700_000_100)
    return bench


def text(bench: Bench, source: str, path: str) -> str:
    return bench.components.store.open_current().record(source, path).text


def unmount(root: Path) -> None:
    root.rename(root.with_name("elsewhere"))
    root.mkdir()


def exchange(root: Path) -> None:
    unmount(root)
    (root / "lost+found.md").write_text("another disk")


def fail(patch, code: int) -> None:
    real = FolderSource._blocks

    def broken(self, handle, size):
        if self.name == "a":
            raise OSError(code, os.strerror(code))
        return real(self, handle, size)

    patch.setattr(FolderSource, "_blocks", broken)


WAYS = {
    "the folder goes": lambda root, patch: root.rename(root.with_name("elsewhere")),
    "the folder is unmounted": lambda root, patch: unmount(root),
    "another folder stands there": lambda root, patch: exchange(root),
    "the disk fails": lambda root, patch: fail(patch, errno.EIO),
    "permission is lost": lambda root, patch: fail(patch, errno.EACCES),
}


@pytest.mark.parametrize("way", WAYS)
def test_only_that_source_fails_and_nothing_is_withdrawn(two: Bench, tmp_path, monkeypatch, way: str) -> None:
    reports = []
    with monkeypatch.context() as patch:
        once_scanned(patch, lambda path: WAYS[way](tmp_path / "a", patch))
        with pytest.raises(Unavailable, match="source a was left as it was"):
            two.ingest_into(reports)
    assert [(r.changed, r.quarantined, r.removed) for r in reports] == [(1, 0, 0)]
    assert any(w.startswith("source a stays as it was") for w in reports[0].warnings)
    assert all("May" in text(two, "a", f"{n}.md") for n in range(20)) and "June" in text(two, "b", "0.md")
    if (tmp_path / "elsewhere").exists():
        shutil.rmtree(tmp_path / "a", ignore_errors=True)
        (tmp_path / "elsewhere").rename(tmp_path / "a")
    (report,) = two.ingest()
    assert (report.changed, report.quarantined, report.unchanged) == (3, 0, 39)
    assert "June" in text(two, "a", "sub/s.md")


def test_a_single_file_that_cannot_be_read_any_more_holds_its_source_up_once(two: Bench, monkeypatch) -> None:
    """The scan had its hash from the cache. The next one reads it, finds that it cannot be read, and goes on."""
    real = os.open
    broken: list[str] = []

    def refuse(path, *rest, **more):
        if path in broken:
            raise OSError(errno.EIO, "Input/output error")
        return real(path, *rest, **more)

    with monkeypatch.context() as patch:
        patch.setattr(os, "open", refuse)
        once_scanned(patch, broken.append)
        with pytest.raises(Unavailable, match="source a"):
            two.ingest(["a"])
        (report,) = two.ingest(["a"])
    assert (report.changed, report.quarantined) == (2, 1)
    assert two.ingest(["a"])[0].changed == 1


def test_a_file_that_goes_meanwhile_comes_back_with_the_same_bytes(two: Bench, tmp_path, monkeypatch) -> None:
    """Its bytes are not known, so that the next scan does not take them for what is held already."""
    with monkeypatch.context() as patch:
        gone = once_scanned(patch, lambda path: (tmp_path / "a" / path).rename(tmp_path / "kept.md"))
        (report,) = two.ingest()
    assert (report.quarantined, report.withdrawn) == (1, 1)
    (tmp_path / "kept.md").rename(tmp_path / "a" / gone[0])
    two.ingest()
    assert "June" in text(two, "a", gone[0])


def test_an_object_that_a_repository_has_lost(two: Bench, tmp_path, monkeypatch) -> None:
    repo = GitRepo(tmp_path / "repo")
    files = {f"{n}.md": OLD.encode() + b"%d" % n for n in range(5)}
    repo.commit(files)
    two.sources = {"git": GitSource("git", repo.path, "main", 1_000_000), "b": two.sources["b"]}
    two.ingest(allow_removals=True)
    repo.commit(files | {"1.md": NEW.encode()})
    write(tmp_path / "b", NEW, ("5.md",), 1_700_000_100)

    def lose(path: str) -> None:
        blob = git(repo.path, "rev-parse", "main:1.md").decode().strip()
        (repo.path / "objects" / blob[:2] / blob[2:]).unlink()

    once_scanned(monkeypatch, lose, GitSource, "git")
    reports = []
    with pytest.raises(Unavailable, match="source git"):
        two.ingest_into(reports)
    assert [r.changed for r in reports] == [1] and "May" in text(two, "git", "1.md")


def test_what_its_rules_newly_allow_still_waits(two: Bench, tmp_path, monkeypatch) -> None:
    """It was not scanned: the text that is served at a place is not the one that the scan found there."""
    two.ledger.sources.add(SourceRow("a", "folder", str(tmp_path / "a")))
    shut, opened = (RuleBook((Rule("**", frozenset({tag})),)) for tag in ("group:hr", "public"))
    two.ledger.access.set_rules("a", shut, "1")
    public = frozenset({"public"})

    def allowed() -> bool:
        return two.ledger.access.permissions().label("a", "0.md", None).allows(public)

    with monkeypatch.context() as patch:
        once_scanned(patch, lambda path: unmount(tmp_path / "a"))
        two.ledger.access.scan_ended(["a"], two.ledger.access.epoch())
        two.ledger.access.set_rules("a", opened, "2")
        with pytest.raises(Unavailable):
            two.ingest()
    assert not allowed()
    (tmp_path / "a").rmdir()
    (tmp_path / "elsewhere").rename(tmp_path / "a")
    two.ingest()
    assert allowed()


def test_building_anew_needs_every_document(two: Bench, tmp_path, monkeypatch) -> None:
    two.chunker = "another"
    once_scanned(monkeypatch, lambda path: unmount(tmp_path / "a"))
    with pytest.raises(Unavailable, match="unmounted"):
        two.ingest()
    assert two.components.store.versions.current() == 1


def test_a_ledger_that_is_down_is_no_fault_of_a_source(two: Bench, monkeypatch) -> None:
    def down(path: str) -> None:
        raise LedgerDown("away")

    once_scanned(monkeypatch, down)
    with pytest.raises(LedgerDown, match="away"):
        two.ingest()
    assert two.components.store.versions.current() == 1


def test_without_that_of_the_source_alone_the_run_ends(two: Bench, tmp_path, monkeypatch) -> None:
    """Planted: what a source fails with is what the run fails with."""
    def load(components, source, change):
        return components.sources[source].load(change)

    monkeypatch.setattr(prepare, "_load", load)
    once_scanned(monkeypatch, lambda path: unmount(tmp_path / "a"))
    with pytest.raises(VouchError):
        two.ingest()
    assert two.components.store.versions.current() == 1 and "May" in text(two, "b", "0.md")
