"""What was purged does not come back, and what only looks like it stays."""

import json
from datetime import UTC, datetime

import pytest
from homes.git_repo import GitRepo
from homes.grep_home import grep
from homes.purge_scene import PLACE, SECOND, SECRET, run, texts

from flows.runs.purge import purge
from vouch.adapters.sources.folder.source import FolderSource
from vouch.adapters.sources.git.source import GitSource
from vouch.errors import Guarded, NotFound


def test_neither_place_nor_content_comes_back_until_allowed(kept, tmp_path):
    root = tmp_path / "docs"
    run(kept)
    (root / "again.md").write_text(SECOND)
    (root / "new.md").write_text("# New\n\nThis one is new.\n")
    reports = kept.ingest(step=1)
    assert set(kept.known("docs")) == {"archive.md", "leave.md", "new.md"}
    today = f"purged on {datetime.now(UTC):%Y-%m-%d}"
    skipped = {s.path: s.reason for s in reports[-1].skipped}
    assert skipped == {"again.md": today, "board/pay.md": today}
    assert grep(kept.home, SECRET) == []
    (root / "board" / "pay.md").write_text("# Pay\n\nQuite other words stand here now.\n")
    (root / "leave.md").write_text(SECOND)                  # a document that turns into what was purged leaves
    kept.ingest(allow_removals=True)
    assert set(kept.known("docs")) == {"archive.md", "new.md"}
    assert grep(kept.home, SECRET) == []
    kept.ledger.purges.allow(*PLACE)
    kept.ingest()
    assert set(kept.known("docs")) == {"archive.md", "new.md", "again.md", "board/pay.md", "leave.md"}
    with pytest.raises(NotFound):
        kept.ledger.purges.allow(*PLACE)


def test_a_purged_event_of_a_file_of_events_is_skipped(bench, tmp_path):
    events = tmp_path / "e.jsonl"
    lines = [{"commit": "1", "op": "add", "path": "pay.md", "text": SECOND},
             {"commit": "2", "op": "add", "path": "a.md", "text": "# A\n\nPlain words.\n"},
             {"commit": "3", "op": "rename", "path": "pay2.md", "old_path": "pay.md"},
             {"commit": "4", "op": "add", "path": "b.md", "text": SECOND}]
    events.write_text("".join(json.dumps(line) + "\n" for line in lines[:2]))
    bench.events("log", events)
    bench.ingest(step=1)
    purge(bench.components, ("log", "pay.md"), with_copies=False)
    events.write_text("".join(json.dumps(line) + "\n" for line in lines))
    bench.ingest(step=1)
    assert set(bench.known("log")) == {"a.md"}
    assert grep(bench.home, SECRET) == []


def test_a_purged_file_of_a_repository_stays_away_when_it_is_moved(bench, tmp_path):
    repo = GitRepo(tmp_path / "repo")
    plain, paper = b"# A\n\nPlain words.\n", SECOND.encode()
    repo.commit({"pay.md": paper, "a.md": plain})
    bench.sources["repo"] = GitSource("repo", repo.path, "main", 1_000_000)
    bench.ingest()
    purge(bench.components, ("repo", "pay.md"), with_copies=False)
    repo.commit({"board/pay.md": paper, "a.md": plain})
    repo.commit({"board/pay.md": paper, "again.md": paper, "a.md": plain, "b.md": plain + b"\nMore words.\n"})
    bench.ingest(step=1)
    assert set(bench.known("repo")) == {"a.md", "b.md"}
    assert grep(bench.home, SECRET) == []


def test_a_file_that_turns_into_it_after_the_scan_is_left_out(kept, tmp_path, monkeypatch):
    place = tmp_path / "docs" / "leave.md"
    run(kept)
    monkeypatch.setattr(FolderSource, "load", lambda self, change, real=FolderSource.load:
                        place.write_text(SECOND) and real(self, change))
    place.write_text("# Leave\n\nFifty days.\n")
    kept.ingest()
    assert grep(kept.home, SECRET) == []
    kept.ingest(allow_removals=True)
    assert set(kept.known("docs")) == {"archive.md"}


def test_copies_stop_it_unless_they_are_meant_too(kept, tmp_path):
    (tmp_path / "docs" / "twin.md").write_text(SECOND)
    kept.ingest()
    with pytest.raises(Guarded, match=r"docs:twin\.md"):
        run(kept)
    assert kept.ledger.purges.all() == [] and "twin.md" in kept.known("docs")
    done = run(kept, with_copies=True)
    assert done.places == ("docs:board/pay.md", "docs:twin.md")
    assert grep(kept.home, SECRET) == []
    assert set(kept.known("docs")) == {"archive.md", "leave.md"}


def test_a_new_document_at_the_old_place_stays(kept, tmp_path):
    (tmp_path / "docs" / "pay.md").write_text("# Pay\n\nThis page was begun anew, with other words.\n")
    kept.ingest()
    run(kept)
    assert set(kept.known("docs")) == {"archive.md", "leave.md", "pay.md"}
    assert grep(kept.home, SECRET) == []
    assert all("pay.md" not in texts(kept, n) for n in range(1, 5))


def test_what_a_live_document_was_before_is_not_taken_for_the_copy_of_it(kept, tmp_path):
    """leave.md's first text is copied to a new place; to purge the copy takes that text alone from leave.md."""
    before = texts(kept, 1)["leave.md"]
    (tmp_path / "docs" / "leave2.md").write_text(before)
    kept.ingest()
    run(kept, ("docs", "leave2.md"))
    assert "leave.md" not in texts(kept, 1) and texts(kept, 4)["leave.md"] != before
    assert grep(kept.home, ["thirty days"]) == []
