"""An ingest through Prefect that is killed while it embeds: the next one neither hangs nor repeats finished work."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SECTIONS = 700
pytestmark = [pytest.mark.model, pytest.mark.slow]


def embedded(home: Path) -> int:
    try:
        with closing(sqlite3.connect(f"file:{home}/embeddings.sqlite?mode=ro", uri=True)) as db:
            return db.execute("SELECT count(*) FROM embeddings").fetchone()[0]
    except sqlite3.OperationalError:
        return 0


def test_the_run_after_a_kill_finishes_the_work(tmp_path):
    docs, home = tmp_path / "docs", tmp_path / "home"
    docs.mkdir()
    (docs / "a.md").write_text("".join(f"# Part {n}\n\nRule {n} is about matter {n * 7}.\n\n" for n in range(SECTIONS)))
    (docs / "access.yaml").write_text('rules: [{match: "**", allow: [public]}]\n')
    env = {k: v for k, v in os.environ.items() if not k.startswith(("VOUCH_", "PREFECT_"))} | {"VOUCH_HOME": str(home)}
    command = [sys.executable, "-m", "cli.main"]

    def run(*words: str) -> str:
        done = subprocess.run([*command, *words], cwd=ROOT, env=env, capture_output=True, text=True, timeout=150)
        assert done.returncode == 0, done.stderr
        return done.stdout

    run("source", "add", "docs", "--kind", "folder", "--path", str(docs))
    killed = subprocess.Popen([*command, "ingest"], cwd=ROOT, env=env, start_new_session=True,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        while killed.poll() is None and not embedded(home):
            time.sleep(0.05)
    finally:
        os.killpg(killed.pid, signal.SIGKILL)
    killed.wait()
    before = embedded(home)
    assert 0 < before < SECTIONS, "the kill came too early or too late to prove anything"
    report = json.loads(run("ingest", "--json"))
    assert (report["version"], report["chunks"]["added"]) == (1, SECTIONS)
    assert before + report["embedded"] == SECTIONS
