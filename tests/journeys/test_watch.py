"""An edit is answered from within seconds: a real `vouch watch`, a real `vouch worker`, a folder and a repository."""

import json
import os
import signal
import sys
import time
from pathlib import Path

import pytest
from homes.git_repo import GitRepo
from machines.prefect_place import process, until
from running import warm

ROOT = Path(__file__).resolve().parents[2]
VOUCH = [sys.executable, "-m", "cli.main"]
pytestmark = [pytest.mark.model, pytest.mark.slow]


def page(days: str) -> str:
    return f"# Leave\n\nEverybody has {days} days of leave each year.\n"


def test_what_is_written_is_found_within_seconds(tmp_path: Path) -> None:
    docs, home, rules = tmp_path / "docs", tmp_path / "home", tmp_path / "rules.yaml"
    docs.mkdir()
    (docs / "leave.md").write_text(page("thirty"))
    rules.write_text('rules:\n  - {match: "**", allow: [public]}\n')
    repo = GitRepo(tmp_path / "repo.git")
    repo.commit({"travel.md": b"# Travel\n\nTrains are booked in the portal.\n"})
    env = {k: v for k, v in os.environ.items() if not k.startswith(("VOUCH_", "PREFECT_"))}
    env |= {"VOUCH_HOME": str(home), "VOUCH_INGEST__QUIET_SECONDS": "0.5"}

    def run(*words: str) -> str:
        done = warm.run([*VOUCH, *words], cwd=ROOT, env=env, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def found(question: str, words: str) -> bool:
        return words in run("search", question, "--mode", "lexical", "--json")

    def took(question: str, words: str) -> float:
        began = time.monotonic()
        until(lambda: found(question, words), 60, f"an index with {words!r}")
        return time.monotonic() - began

    run("source", "add", "docs", "--kind", "folder", "--path", str(docs), "--access", str(rules))
    run("source", "add", "rules", "--kind", "git", "--path", str(repo.path), "--access", str(rules))
    with (
        process([*VOUCH, "worker"], env, tmp_path / "worker.log") as worker,
        process([*VOUCH, "watch"], env, tmp_path / "watch.log") as watch,
    ):
        until(lambda: "version" in run("versions", "list", "--json"), 120, "the first version")
        until(lambda: found("trains", "portal") and found("leave", "thirty"), 60, "both sources")
        seconds = []
        (docs / "leave.md").write_text(page("forty-one"))
        seconds.append(took("days of leave", "forty-one"))
        (docs / "new").mkdir()
        (docs / "new" / "keys.md").write_text("# Keys\n\nKeys rotate each quarter.\n")
        seconds.append(took("keys", "quarter"))
        repo.commit({"travel.md": b"# Travel\n\nTrains are booked by telephone.\n"})
        seconds.append(took("trains booked", "telephone"))
        print(f"from the edit to the answer, each with the start of a command: {[round(s, 1) for s in seconds]} s")
        answer = json.loads(run("ask", "How many days of leave does everybody have?", "--json"))
        assert "forty-one" in answer["answer"]
        for running in (watch, worker):
            running.send_signal(signal.SIGTERM if running is watch else signal.SIGINT)
        assert (watch.wait(20), worker.wait(60)) == (0, 0)
    assert "watch ended" in (tmp_path / "watch.log").read_text()
    assert "worker stopped" in (tmp_path / "worker.log").read_text()
