"""docs/backup.md, followed word for word: back up, delete the home, restore, ask."""

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from running import warm

pytestmark = [pytest.mark.model, pytest.mark.slow]
ROOT = Path(__file__).resolve().parents[2]
BIN = Path(sys.executable).parent
PAGE = (ROOT / "docs" / "backup.md").read_text(encoding="utf-8")
QUESTION, ANA = "How much does a week on call pay?", "user:ana@acme.test"


def blocks(heading: str) -> tuple[str, str]:
    """How to back up and how to restore, as the section says."""
    section = PAGE.split(f"## {heading}\n")[1].split("\n## ")[0]
    backup, restore = re.findall(r"^```\n(.*?)^```", section, re.MULTILINE | re.DOTALL)
    return backup, restore


@pytest.fixture
def person(demo_home: Path, tmp_path: Path) -> dict[str, str]:
    """The environment of somebody whose ~/.vouch is the demo company."""
    shutil.copytree(demo_home, tmp_path / ".vouch")
    kept = {name: value for name, value in os.environ.items() if not name.startswith("VOUCH_")}
    return {**kept, "HOME": str(tmp_path), "PATH": f"{BIN}:{os.environ['PATH']}"}


def run(script: str, person: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["bash", "-ec", script], cwd=ROOT, env=person, capture_output=True, text=True, timeout=300)


def ask(person: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return warm.run([BIN / "vouch", "ask", QUESTION, "--as", ANA, "--json"], cwd=ROOT, env=person, capture_output=True,
                    text=True, timeout=300)


def cited(done: subprocess.CompletedProcess[str]) -> list[tuple[str, str]]:
    assert done.returncode == 0, done.stderr
    return [(one["path"], one["quote"]) for one in json.loads(done.stdout)["citations"]]


@contextmanager
def worker(person: dict[str, str]) -> Iterator[None]:
    """It is ready, and takes the questions that are asked meanwhile."""
    with warm.Popen([BIN / "vouch", "worker"], cwd=ROOT, env=person, stderr=subprocess.DEVNULL) as process:
        try:
            processes, end = Path(person["HOME"]) / ".vouch" / "processes", time.monotonic() + 60
            while '"questions"' not in "".join(file.read_text() for file in processes.glob("*.json")):
                assert time.monotonic() < end, "the worker is not ready"
                time.sleep(0.2)
            yield
        finally:
            process.terminate()


def test_with_vouch_stopped(person: dict[str, str]) -> None:
    backup, restore = blocks("With vouch stopped")
    before = cited(ask(person))
    assert any("$450" in quote for _, quote in before)
    assert run(backup, person).returncode == 0
    shutil.rmtree(Path(person["HOME"]) / ".vouch")
    restored = run(restore, person)
    assert restored.returncode == 0, restored.stdout + restored.stderr
    assert cited(ask(person)) == before
    assert run("vouch versions verify && vouch ingest", person).returncode == 0


def test_while_questions_are_answered(person: dict[str, str]) -> None:
    backup, restore = blocks("While questions are answered")
    with worker(person):
        before = cited(ask(person))
        saved = run(backup, person)
        assert saved.returncode == 0, saved.stderr
        assert cited(ask(person)) == before
    restored = run(restore, person)
    assert restored.returncode == 0, restored.stdout + restored.stderr
    assert cited(ask(person)) == before
    assert run("vouch versions verify && vouch ingest", person).returncode == 0


@pytest.mark.parametrize("left_out", ["~/.vouch/segments ", "log ledger "])
def test_a_backup_that_leaves_something_out_would_be_seen(person: dict[str, str], left_out: str) -> None:
    backup, restore = blocks("While questions are answered")
    assert left_out in backup
    assert run(backup.replace(left_out, ""), person).returncode == 0
    done = run(restore, person)
    assert done.returncode != 0 or ask(person).returncode != 0
