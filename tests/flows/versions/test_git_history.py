"""A real handbook's history as a real repository: by git or by events, the end is the same."""

import hashlib
import os
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest
from homes.git_repo import git, quoted
from homes.replayed import events
from running.soak_table import Figures

from vouch.adapters.sources.events.source import EventsSource
from vouch.adapters.sources.git.source import GitSource

DATA = os.environ.get("VOUCH_DATA")
pytestmark = [
    pytest.mark.data,
    pytest.mark.slow,
    pytest.mark.skipif(not DATA, reason="VOUCH_DATA does not name the folder with the handbooks"),
]
MOST = 20_000_000


def imported(file: Path, place: Path) -> list[int]:
    """Writes the events into a repository, a commit for each of theirs; how many events each commit ends after."""
    git(place.parent, "init", "-q", "--bare", "-b", "main", place)
    rows, ends, there = events(file), [], set()
    with subprocess.Popen(["git", "fast-import", "--quiet"], cwd=place, stdin=subprocess.PIPE) as run:
        assert run.stdin is not None
        for number, row in enumerate(rows):
            if not number or row["commit"] != rows[number - 1]["commit"]:
                moment = datetime.fromisoformat(row.get("date") or "2021-01-01T00:00:00+00:00")
                stamp = int(moment.astimezone(UTC).timestamp())
                run.stdin.write(f"commit refs/heads/main\ncommitter a <a@b> {stamp} +0000\ndata 0\n".encode())
                ends.append(number)
            old = {"delete": row["path"], "rename": row.get("old_path")}.get(row["op"])
            if old in there:
                there.remove(old)
                run.stdin.write(b"D " + quoted(old.encode()) + b"\n")
            if "text" in row:
                there.add(row["path"])
                data = row["text"].encode()
                run.stdin.write(b"M 100644 inline " + quoted(row["path"].encode()))
                run.stdin.write(f"\ndata {len(data)}\n".encode() + data + b"\n")
    assert run.returncode == 0
    return [*ends[1:], len(rows)]


def standing(file: Path, until: int) -> dict[str, str]:
    """What the events leave, as the events source tells it; a repository passes over hidden folders."""
    changes = EventsSource("handbook", file, MOST).scan({}, {}, until=until).changes
    return {c.path: c.hash for c in changes if not any(part.startswith(".") for part in c.path.split("/"))}


@pytest.mark.parametrize("name", ["basecamp", "18f"])
def test_the_repository_holds_at_every_quarter_what_the_events_leave(name: str, tmp_path: Path) -> None:
    file = Path(str(DATA)) / "handbooks" / f"{name}_handbook.events.jsonl.gz"
    ends = imported(file, tmp_path / "repo")
    source = GitSource("handbook", tmp_path / "repo", "main", MOST)
    known: dict[str, str] = {}
    cursor: dict[str, object] = {}
    stops = [len(ends) * quarter // 4 for quarter in range(1, 5)]
    renames = 0
    for commits in stops:
        scan = source.scan(known, cursor, until=commits)
        for change in scan.changes:
            known.pop(change.old_path or change.path, None)
        known |= {change.path: change.hash for change in scan.changes if change.operation != "remove"}
        cursor = dict(scan.cursor)
        renames += sum(change.operation == "rename" for change in scan.changes)
        assert known == standing(file, ends[commits - 1]), f"after {commits} commits"
    print(f"{name}: {len(ends)} commits, {len(known)} documents, {renames} renames left after folding")
    last = events(file)[-1]
    if "blob" in last:
        blob = git(tmp_path / "repo", "rev-parse", f"main:{last['path']}").decode().strip()
        assert blob == last["blob"], "the repository made here has the very blobs of the original"


def test_an_ingest_by_git_embeds_and_ends_as_one_by_events(bench, tmp_path: Path) -> None:
    file = Path(str(DATA)) / "handbooks" / "basecamp_handbook.events.jsonl.gz"
    imported(file, tmp_path / "repo")
    bench.events("by_events", file)
    bench.ingest(allow_removals=True)
    before = len(bench.encoder.texts)
    bench.sources["by_git"] = GitSource("by_git", tmp_path / "repo", "main", MOST)
    (report,) = bench.ingest(["by_git"], allow_removals=True)
    assert bench.known("by_git") == bench.known("by_events") and len(bench.encoder.texts) == before > 100
    assert report.embedded == 0
    assert all(hashlib.sha256(git(tmp_path / "repo", "show", f"main:{path}")).hexdigest() == digest
               for path, digest in bench.known("by_git").items())
    version = bench.components.store.open_current()
    for path in bench.known("by_git"):
        ours, theirs = version.record("by_git", path), version.record("by_events", path)
        assert (ours.text, [c.section for c in ours.chunks]) == (theirs.text, [c.section for c in theirs.chunks])


@pytest.mark.soak
def test_the_whole_18f_history_commit_by_commit(
    bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, figures: Figures
) -> None:
    monkeypatch.setattr("os.fsync", lambda handle: None)
    file = Path(str(DATA)) / "handbooks" / "18f_handbook.events.jsonl.gz"
    ends = imported(file, tmp_path / "repo")
    bench.sources["handbook"] = GitSource("handbook", tmp_path / "repo", "main", MOST)
    reports = bench.ingest(step=1, allow_removals=True)
    first, later = reports[0], reports[1:]
    assert bench.known("handbook") == standing(file, ends[-1])
    touched = sum(r.chunks_added + r.chunks_kept for r in later)
    renamed = [r for r in later if r.renamed and not (r.added or r.changed)]
    figures("a repository, one version per commit", f"{len(ends)} commits, {len(reports)} versions",
            f"{len(bench.known('handbook'))} documents, exactly those of the last; {first.embedded} chunks embedded at "
            f"first, then {sum(r.embedded for r in later)} of {touched} touched")
    assert all(r.embedded == 0 for r in renamed)
