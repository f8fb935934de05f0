"""Ingest of what is said to have changed: it costs what that costs, and no later run misses anything."""

import os

import pytest
from homes.git_repo import GitRepo

from vouch.adapters.sources.git.source import GitSource
from vouch.errors import Guarded, Unavailable, Usage


def text(word: str) -> str:
    return f"# {word}\n\nThe page about {word}.\n"


def test_only_the_named_documents_are_taken_over_and_the_rest_later(bench, write, tmp_path):
    for n in range(6):
        write(f"{n}.md", text(f"word{n}"))
    bench.folder("docs", tmp_path / "docs")
    bench.ingest()
    os.utime(write("0.md", text("other0")), (1_700_000_100, 1_700_000_100))
    os.utime(write("1.md", text("other1")), (1_700_000_100, 1_700_000_100))
    write("new/7.md", text("word7"))
    (tmp_path / "docs" / "2.md").rename(tmp_path / "docs" / "new" / "2.md")
    (report,) = bench.ingest(["docs"], paths=["0.md", "2.md", "new"])
    assert (report.changed, report.added, report.renamed, report.removed) == (1, 1, 1, 0)
    assert report.unchanged == 4 and set(bench.known("docs")) == {
        "0.md", "1.md", "3.md", "4.md", "5.md", "new/2.md", "new/7.md"
    }
    (rest,) = bench.ingest()
    assert (rest.changed, rest.added, rest.removed, rest.embedded) == (1, 0, 0, 1)
    (nothing,) = bench.ingest(["docs"], paths=["0.md", "never.md", "../odd"])
    assert (nothing.version, nothing.unchanged) == (rest.version, 7)


def test_removals_by_name_are_guarded_like_all_others(bench, write, tmp_path):
    for n in range(6):
        write(f"d/{n}.md", text(f"word{n}"))
    write("stays.md", text("stays"))
    bench.folder("docs", tmp_path / "docs")
    bench.ingest()
    for n in range(6):
        (tmp_path / "docs" / "d" / f"{n}.md").unlink()
    with pytest.raises(Guarded, match="6 of 7"):
        bench.ingest(["docs"], paths=["d"])
    (report,) = bench.ingest(["docs"], paths=["d"], allow_removals=True)
    assert (report.removed, set(bench.known("docs"))) == (6, {"stays.md"})


def test_an_unmounted_folder_removes_no_named_document(bench, write, tmp_path):
    write("a.md", text("a"))
    bench.folder("docs", tmp_path / "docs")
    bench.ingest()
    (tmp_path / "docs").rename(tmp_path / "aside")
    with pytest.raises(Unavailable):
        bench.ingest(["docs"], paths=["a.md"])
    (tmp_path / "docs").mkdir()
    with pytest.raises(Unavailable, match="empty"):
        bench.ingest(["docs"], paths=["a.md"])
    assert set(bench.known("docs")) == {"a.md"}


def test_paths_are_of_one_source_and_a_rebuild_minds_none(bench, write, tmp_path):
    write("a.md", text("a"))
    write("b.md", text("b"))
    bench.folder("docs", tmp_path / "docs")
    bench.folder("twin", tmp_path / "docs")
    with pytest.raises(Usage, match="one source"):
        bench.ingest(paths=["a.md"])
    bench.ingest(["docs"], paths=["a.md"])
    assert (set(bench.known("docs")), bench.known("twin")) == ({"a.md"}, {})
    bench.chunker = "another"
    bench.ingest(["docs"], paths=["a.md"])
    assert set(bench.known("docs")) == set(bench.known("twin")) == {"a.md", "b.md"}


def test_a_repository_is_ingested_by_commits_and_a_named_path_means_since_the_cursor(bench, tmp_path):
    repo = GitRepo(tmp_path / "repo")
    repo.commit({"a.md": text("apples").encode(), "b.md": text("pears").encode()})
    bench.sources["git"] = GitSource("git", repo.path, "main", 1000)
    bench.ingest()
    repo.commit({"a.md": text("plums").encode(), "c.md": text("pears").encode()})
    repo.commit({"a.md": text("grapes").encode(), "c.md": text("pears").encode(), "d.md": text("figs").encode()})
    reports = bench.ingest(["git"], until=3, step=1)
    assert [(r.changed, r.added, r.renamed, r.embedded) for r in reports] == [(1, 0, 1, 1), (1, 1, 0, 2)]
    repo.commit({"e.md": text("dates").encode(), "a.md": text("grapes").encode(), "c.md": text("pears").encode(),
                 "d.md": text("figs").encode()})  # fmt: skip
    (named,) = bench.ingest(["git"], paths=["a.md"])
    assert named.added == 1 and not [note for note in named.notes if "access rules" not in note]
    assert bench.ingest()[0].version == named.version
    repo.commit({"a.md": text("grapes").encode(), "c.md": text("pears").encode()}, onto=None)
    (rewritten,) = bench.ingest(allow_removals=True)
    assert (rewritten.removed, rewritten.embedded) == (2, 0)
    assert "not in the history of main" in rewritten.notes[0]
    assert set(bench.known("git")) == {"a.md", "c.md"}


def test_documents_that_move_from_a_folder_to_a_repository_are_not_embedded_again(bench, write, tmp_path):
    write("a.md", text("apples"))
    write("d/b.md", text("pears"))
    bench.folder("docs", tmp_path / "docs")
    bench.ingest()
    repo = GitRepo(tmp_path / "repo")
    repo.commit({"a.md": text("apples").encode(), "d/b.md": text("pears").encode()})
    bench.sources["git"] = GitSource("git", repo.path, "main", 1000)
    (report,) = bench.ingest()
    assert (report.added, report.embedded) == (2, 0)
    assert bench.known("git") == bench.known("docs")
