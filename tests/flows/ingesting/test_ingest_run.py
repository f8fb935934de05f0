"""An ingest run: what changed is embedded, nothing twice; what cannot be read is set aside; guards hold."""

import fcntl
import os

import pytest

from vouch.adapters.sources.folder.source import FolderSource
from vouch.errors import Busy, Guarded, ModelDown, NotFound


def paragraphs(*words: str) -> str:
    return "# Title\n\n" + "\n\n".join(f"## {w}\n\nThe {w} section says {w} many times, {w} and {w}." for w in words)


def test_a_first_run_embeds_every_chunk_and_a_second_nothing(bench, write, tmp_path):
    write("a.md", paragraphs("apples", "pears"))
    write("b.md", paragraphs("plums"))
    bench.folder("docs", tmp_path / "docs")
    (first,) = bench.ingest()
    assert (first.version, first.added, first.embedded) == (1, 2, 3)
    assert first.chunks_added == 3
    (second,) = bench.ingest()
    assert (second.version, second.unchanged, second.embedded) == (1, 2, 0)
    assert len(bench.encoder.texts) == 3


def test_an_edit_embeds_the_changed_section_only(bench, write, tmp_path):
    write("a.md", paragraphs("apples", "pears", "plums"))
    bench.folder("docs", tmp_path / "docs")
    bench.ingest()
    before = len(bench.encoder.texts)
    place = write("a.md", paragraphs("apples", "grapes", "plums"))
    os.utime(place, (1_700_000_100, 1_700_000_100))
    (report,) = bench.ingest()
    assert (report.changed, report.embedded, report.chunks_kept) == (1, 1, 2)
    assert len(bench.encoder.texts) == before + 1


def test_a_rename_embeds_nothing_and_changes_every_id(bench, write, tmp_path):
    old = write("a.md", paragraphs("apples", "pears"))
    bench.folder("docs", tmp_path / "docs")
    bench.ingest()
    store = bench.components.store
    ids = {c.id for c in store.open_current().record("docs", "a.md").chunks}
    old.rename(old.with_name("b.md"))
    (report,) = bench.ingest()
    assert (report.renamed, report.removed, report.embedded, report.chunks_kept) == (1, 0, 0, 2)
    record = bench.components.store.open_current().record("docs", "b.md")
    assert record is not None and not ids & {c.id for c in record.chunks}
    assert bench.components.store.open_current().record("docs", "a.md") is None


def test_equal_text_in_two_documents_is_embedded_once(bench, write, tmp_path):
    write("a.md", paragraphs("apples"))
    write("b.md", paragraphs("apples"))
    bench.folder("docs", tmp_path / "docs")
    (report,) = bench.ingest()
    assert (report.added, report.chunks_added, report.embedded) == (2, 2, 1)


def test_a_document_that_breaks_is_set_aside_and_comes_back_when_mended(bench, write, tmp_path):
    write("good.md", paragraphs("apples"))
    place = write("bad.md", paragraphs("pears"))
    bench.folder("docs", tmp_path / "docs")
    bench.ingest()
    place.write_bytes(b"\xff\xfe\x00\xd8 not text \x80\x81")
    os.utime(place, (1_700_000_100, 1_700_000_100))
    (report,) = bench.ingest()
    assert (report.quarantined, report.changed, report.problems[0].path) == (1, 0, "bad.md")
    record = bench.components.store.open_current().record("docs", "bad.md")
    assert (record.state, record.chunks, record.text) == ("quarantined", (), "")
    assert bench.ingest()[0].quarantined == 0               # known, unchanged, not tried again
    write("bad.md", paragraphs("pears"))
    (mended,) = bench.ingest()
    assert (mended.changed, mended.embedded) == (1, 0)


def test_losing_many_documents_stops_the_run_unless_allowed(bench, write, tmp_path):
    for n in range(10):
        write(f"{n}.md", paragraphs(f"word{n}"))
    bench.folder("docs", tmp_path / "docs")
    bench.ingest()
    for n in range(3):
        (tmp_path / "docs" / f"{n}.md").unlink()
    with pytest.raises(Guarded, match="3 of 10"):
        bench.ingest()
    assert len(bench.known("docs")) == 10
    (report,) = bench.ingest(allow_removals=True)
    assert (report.removed, len(bench.known("docs"))) == (3, 7)


def test_documents_of_a_removed_source_leave_with_the_next_run(bench, write, tmp_path):
    write("a.md", paragraphs("apples"))
    bench.folder("docs", tmp_path / "docs")
    bench.folder("twin", tmp_path / "docs")
    bench.ingest()
    del bench.sources["twin"]
    (report,) = bench.ingest()
    assert report.removed == 1
    assert bench.known("twin") == {} and set(bench.known("docs")) == {"a.md"}


def test_the_documents_of_the_last_source_leave_too(bench, write, tmp_path):
    from flows.runs.run import chosen

    write("a.md", paragraphs("apples"))
    bench.folder("docs", tmp_path / "docs")
    bench.ingest()
    bench.sources.clear()
    assert chosen(bench.components, []) == []
    (report,) = bench.ingest()
    assert (report.removed, bench.known("docs")) == (1, {})
    with pytest.raises(NotFound, match="no sources"):
        chosen(bench.components, [])


def test_another_chunker_builds_everything_anew(bench, write, tmp_path):
    write("a.md", paragraphs("apples"))
    bench.folder("docs", tmp_path / "docs")
    bench.ingest()
    bench.chunker = "another"
    (report,) = bench.ingest()
    assert (report.version, report.added, report.embedded) == (2, 1, 0)
    anew = "the models or the chunking have changed: every document is taken in anew"
    assert anew in report.notes
    write("b.md", paragraphs("pears"))
    assert anew not in bench.ingest()[0].notes


def test_an_encoder_that_goes_away_loses_no_finished_batch(bench, write, tmp_path, monkeypatch):
    monkeypatch.setattr("flows.ingesting.prepare.BATCH", 2)
    write("a.md", paragraphs(*[f"word{n}" for n in range(9)]))
    bench.folder("docs", tmp_path / "docs")
    bench.encoder.left = 5
    with pytest.raises(ModelDown):
        bench.ingest()
    assert len(bench.encoder.texts) == 4
    bench.encoder.left = 10**9
    (report,) = bench.ingest()
    assert (report.version is not None, report.embedded) == (True, 5)
    assert len(set(bench.encoder.texts)) == 9 == len(bench.encoder.texts)


def test_of_two_runs_at_once_one_leaves_with_a_message(bench, write, tmp_path):
    write("a.md", paragraphs("apples"))
    bench.folder("docs", tmp_path / "docs")
    with (bench.home / "ingest.lock").open("a") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(Busy, match="another ingest"):
            bench.ingest()
    assert bench.ingest()[0].version == 1


def test_an_unknown_source_is_named(bench, write, tmp_path):
    from flows.runs.run import chosen

    bench.folder("docs", tmp_path / "docs")
    with pytest.raises(NotFound, match="nothere"):
        chosen(bench.components, ["nothere"])


def test_a_rebuild_takes_every_source_whole(bench, write, tmp_path):
    for n in range(4):
        write(f"{n}.md", paragraphs(f"word{n}"))
    bench.folder("docs", tmp_path / "docs")
    bench.folder("twin", tmp_path / "docs")
    bench.ingest()
    bench.chunker = "another"
    bench.ingest(["docs"], until=1, step=1)
    assert len(bench.known("docs")) == len(bench.known("twin")) == 4


def test_a_rebuild_is_guarded_like_any_other_run(bench, write, tmp_path):
    for n in range(4):
        write(f"{n}.md", paragraphs(f"word{n}"))
    bench.folder("docs", tmp_path / "docs")
    bench.ingest()
    bench.chunker = "another"
    for n in range(3):
        (tmp_path / "docs" / f"{n}.md").unlink()
    with pytest.raises(Guarded, match="3 of 4"):
        bench.ingest()


def test_every_source_is_ingested_in_steps_and_one_without_changes_says_so(bench, write, tmp_path):
    write("a.md", paragraphs("apples"))
    bench.folder("a", tmp_path / "docs")
    bench.ingest()
    bench.folder("b", tmp_path / "docs")
    assert [(report.version, report.added) for report in bench.ingest(step=1)] == [(1, 0), (2, 1)]
    assert set(bench.known("b")) == {"a.md"}
    assert [(report.version, report.unchanged) for report in bench.ingest(step=1)] == [(2, 1), (2, 1)]
    assert [(report.version, report.unchanged) for report in bench.ingest()] == [(2, 2)]


def test_each_source_is_looked_at_once_a_run(bench, write, tmp_path, monkeypatch):
    """An ingest that looks twice costs twice as much on a large folder, and may see two states of it."""
    looked = []
    scan = FolderSource.scan
    monkeypatch.setattr(FolderSource, "scan", lambda self, *args, **more: looked.append(1) or scan(self, *args, **more))
    write("a.md", paragraphs("apples"))
    bench.folder("docs", tmp_path / "docs")
    bench.ingest()
    assert len(looked) == 1
    bench.ingest()
    assert len(looked) == 2
