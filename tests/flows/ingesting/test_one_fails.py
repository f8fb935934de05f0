"""Sources that fail or lose too much stay as they were; the others go on, and somebody is told."""

import os
from pathlib import Path

import pytest
from homes.git_repo import GitRepo
from homes.ingest_bench import Bench

from flows.ingesting.plan import plan_step
from flows.ingesting.report import differences
from flows.ingesting.step import Step
from flows.runs.run import chosen, previewing
from flows.shared.reporting import report_row, skipped_lines, summary
from vouch.access import Rule, RuleBook
from vouch.adapters.ledger import SourceRow
from vouch.adapters.sources.folder.source import FolderSource
from vouch.adapters.sources.git.source import GitSource
from vouch.errors import BadInput, Guarded, Unavailable

TEXT = "# Keys\n\nKeys are rotated in {n}.\n"


def folder(place: Path, count: int = 10, **others: str) -> Path:
    place.mkdir(exist_ok=True)
    for n in range(count):
        (place / f"{n}.md").write_text(TEXT.format(n=n))
    for name, text in others.items():
        (place / name.replace("_", ".")).write_text(text)
    return place


def spoil(place: Path, count: int) -> None:
    """The files are there and are no text any more."""
    for n in range(count):
        (place / f"{n}.md").write_bytes(b"\x80\x81 not text")
        os.utime(place / f"{n}.md", (1_700_000_100, 1_700_000_100))


def test_an_empty_source_does_not_stop_the_others_and_keeps_its_documents(bench: Bench, tmp_path: Path) -> None:
    bench.folder("a", folder(tmp_path / "a", 2))
    bench.folder("b", folder(tmp_path / "b", 2))
    bench.ingest()
    for gone in (tmp_path / "a").iterdir():
        gone.unlink()
    folder(tmp_path / "b", 3)
    reports = []
    with pytest.raises(Unavailable, match=r"source a was left as it was.*is empty") as failed:
        bench.ingest_into(reports)
    assert "unmounted" in failed.value.cure
    assert [(r.version, r.added) for r in reports] == [(2, 1)]
    assert any(w.startswith("source a stays as it was") for w in reports[0].warnings)
    assert len(bench.known("a")) == 2 and len(bench.known("b")) == 3


@pytest.mark.parametrize("step", [None, 1])
def test_two_that_fail_are_both_named(bench: Bench, tmp_path: Path, step: int | None) -> None:
    for name in "ab":
        (tmp_path / name).mkdir()
        bench.folder(name, tmp_path / name)
    bench.folder("c", folder(tmp_path / "c", 1))
    with pytest.raises(Unavailable, match=r"(?s)source a .*source b ") as failed:
        bench.ingest(step=step)
    assert "vouch ingest a b" in failed.value.cure
    assert len(bench.known("c")) == 1


def test_building_anew_needs_every_source(bench: Bench, tmp_path: Path) -> None:
    bench.folder("a", folder(tmp_path / "a", 2))
    bench.folder("b", folder(tmp_path / "b", 2))
    bench.ingest()
    (tmp_path / "a").rename(tmp_path / "away")
    bench.chunker = "another"
    with pytest.raises(Unavailable, match="cannot be opened"):
        bench.ingest()
    assert len(bench.known("a")) == len(bench.known("b")) == 2


def test_a_guarded_source_does_not_stop_the_others(bench: Bench, tmp_path: Path) -> None:
    bench.folder("a", folder(tmp_path / "a"))
    bench.folder("b", folder(tmp_path / "b", 1))
    bench.ingest()
    for n in range(3):
        (tmp_path / "a" / f"{n}.md").unlink()
    folder(tmp_path / "b", 2)
    with pytest.raises(Guarded, match=r"source a .*3 of 10 documents would be removed, more than 20%"):
        bench.ingest()
    assert len(bench.known("a")) == 10 and len(bench.known("b")) == 2


def test_documents_that_become_unreadable_fall_under_the_guard(bench: Bench, tmp_path: Path) -> None:
    bench.folder("docs", folder(tmp_path / "docs"))
    bench.ingest()
    spoil(tmp_path / "docs", 3)
    with pytest.raises(Guarded, match="3 of 10 documents would be lost, 3 withdrawn as unreadable") as stopped:
        bench.ingest()
    assert "--allow-removals" in stopped.value.cure
    assert bench.components.store.open_current().record("docs", "0.md").state == "indexed"
    (report,) = bench.ingest(allow_removals=True)
    assert (report.withdrawn, report.quarantined, report.unchanged) == (3, 3, 7)
    assert "3 withdrawn (unreadable), 7 unchanged, 3 quarantined" in summary(report, 1.0)
    (later,) = bench.ingest()
    assert (later.unchanged, later.still_quarantined) == (7, 3) and "3 quarantined" in summary(later, 1.0)


def test_emptied_documents_count_too(bench: Bench, tmp_path: Path) -> None:
    bench.folder("docs", folder(tmp_path / "docs"))
    bench.ingest()
    for n in range(3):
        (tmp_path / "docs" / f"{n}.md").write_text("")
    with pytest.raises(Guarded, match="3 emptied"):
        bench.ingest()


def test_one_broken_document_stops_nobody(bench: Bench, tmp_path: Path) -> None:
    bench.folder("docs", folder(tmp_path / "docs", 2))
    bench.ingest()
    spoil(tmp_path / "docs", 1)
    (report,) = bench.ingest()
    assert (report.withdrawn, report.version) == (1, 2)


def test_a_dry_run_tells_what_the_run_does(bench: Bench, tmp_path: Path) -> None:
    docs = folder(tmp_path / "docs", 6)
    bench.folder("docs", docs)
    bench.ingest()
    spoil(docs, 1)
    (docs / "1.md").write_text(TEXT.format(n="other"))
    (docs / "2.md").unlink()
    (docs / "3.md").rename(docs / "moved.md")
    (docs / "new.md").write_text("# New\n\nNew words.\n")
    (docs / "bad.md").write_bytes(b"\x80\x81")
    components = bench.components
    with previewing(components, ["docs"]) as work:
        told = {d.path: d.what for d in differences(work.plan, work.records)}
    assert told == {"0.md": "withdraw", "1.md": "change", "2.md": "remove", "moved.md": "rename", "new.md": "add",
                    "bad.md": "quarantine"}
    assert bench.components.store.versions.current() == 1 and len(bench.encoder.texts) == 6
    (report,) = bench.ingest()
    assert (report.added, report.changed, report.renamed, report.removed, report.withdrawn) == (1, 1, 1, 1, 1)
    assert report.quarantined == 2


def test_rules_that_cannot_be_read_are_a_warning_of_every_run(bench: Bench, tmp_path: Path) -> None:
    bench.folder("docs", folder(tmp_path / "docs", 1))
    bench.ledger.sources.add(SourceRow("docs", "folder", str(tmp_path / "docs"), None))
    bench.ledger.access.set_rules("docs", RuleBook((Rule("**", frozenset({"public"})),)), "a")
    assert bench.ingest()[0].warnings == ()
    bench.ledger.access.set_rules("docs", RuleBook(broken="access.yaml is gone"), "b")
    (report,) = bench.ingest()
    assert "source docs cannot be read" in report.warnings[0] and report_row(report)["warnings"] == [*report.warnings]
    assert Step(bench.components, plan_step(bench.components, ["docs"])).unpublished().warnings == report.warnings


def test_empty_documents_are_counted_as_empty(bench: Bench, tmp_path: Path) -> None:
    docs = folder(tmp_path / "docs", 1)
    for name, text in {"nothing.md": "", "blank.txt": " \n \n", "matter.md": "---\ntitle: Only this\n---\n"}.items():
        (docs / name).write_text(text)
    bench.folder("docs", docs)
    (report,) = bench.ingest()
    assert (report.added, report.empty) == (4, 3) and "3 empty" in summary(report, 1.0)


def test_skipped_files_are_counted_by_kind_and_source(bench: Bench, tmp_path: Path) -> None:
    docs = folder(tmp_path / "docs", 1)
    for name in ("a.dat", "b.dat", "c.zip", "plain"):
        (docs / name).write_text("x")
    (docs / "node_modules" / "p").mkdir(parents=True)
    (docs / "node_modules" / "p" / "README.md").write_text("# P")
    bench.folder("docs", docs)
    (report,) = bench.ingest()
    assert report.added == 1
    assert skipped_lines(report) == [
        "docs: 5 skipped (2 .dat, 1 .zip, 1 excluded, 1 without a suffix); vouch documents --skipped lists them"
    ]
    assert {s.source for s in report.skipped} == {"docs"}


def test_what_becomes_excluded_leaves_under_the_guard(bench: Bench, tmp_path: Path) -> None:
    docs = folder(tmp_path / "docs")
    bench.folder("docs", docs)
    bench.ingest()
    (docs / ".vouchignore").write_text("[0-4].md\n")
    with pytest.raises(Guarded, match="5 of 10"):
        bench.ingest()
    (report,) = bench.ingest(allow_removals=True)
    assert report.removed == 5 and set(bench.known("docs")) == {f"{n}.md" for n in range(5, 10)}
    (docs / ".vouchignore").unlink()
    assert bench.ingest()[0].added == 5


def test_an_ignore_file_that_cannot_be_understood_leaves_the_source_as_it_was(bench: Bench, tmp_path: Path) -> None:
    docs = folder(tmp_path / "docs", 2)
    bench.folder("docs", docs)
    bench.ingest()
    (docs / ".vouchignore").write_bytes(b"\xff\xfe")
    folder(docs, 3)
    with pytest.raises(BadInput, match="vouchignore"):
        bench.ingest()
    (docs / ".vouchignore").unlink()
    (docs / ".vouchignore").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(Unavailable, match="vouchignore"):
        bench.ingest()
    assert len(bench.known("docs")) == 2


def test_patterns_of_a_repository_may_change_with_a_commit_or_by_the_administrator(
    bench: Bench, tmp_path: Path
) -> None:
    repo = GitRepo(tmp_path / "repo")
    files = {f"{n}.md": TEXT.format(n=n).encode() for n in range(10)} | {"drafts/d.md": b"# D\n\nDraft.\n"}
    repo.commit(files)
    make = lambda *exclude: GitSource("it", repo.path, "main", 1_000_000, (), exclude)  # noqa: E731
    bench.sources["it"] = make()
    bench.ingest()
    assert "drafts/d.md" in bench.known("it")
    bench.sources["it"] = make("drafts/")
    (report,) = bench.ingest()
    assert (report.removed, report.unchanged) == (1, 10) and "compared" in report.notes[0]
    assert bench.ingest()[0].version == 2
    repo.commit(files | {".vouchignore": b"9.md\n"})
    assert bench.ingest()[0].removed == 1
    bench.sources["it"] = make()
    (report,) = bench.ingest()
    assert report.added == 1 and "9.md" not in bench.known("it") and "drafts/d.md" in bench.known("it")
    assert {s.path for s in bench.sources["it"].skipped()} == {"9.md"}


def test_a_named_ignore_file_means_the_whole_folder(bench: Bench, tmp_path: Path) -> None:
    docs = folder(tmp_path / "docs")
    bench.folder("docs", docs)
    bench.ingest()
    (docs / ".vouchignore").write_text("0.md\n")
    (report,) = bench.ingest(["docs"], paths=[".vouchignore"])
    assert report.removed == 1


def test_patterns_of_the_administrator_choose_what_is_read(bench: Bench, tmp_path: Path) -> None:
    docs = folder(tmp_path / "docs", 3)
    bench.sources["docs"] = FolderSource("docs", docs, bench.ledger.stat_cache, 1000, ["[01].md"], ["1.md"])
    bench.ingest(chosen(bench.components, []))
    assert set(bench.known("docs")) == {"0.md"}
