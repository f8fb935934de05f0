"""The demo company, ingested once in a run of the tests, whatever process runs them."""

import fcntl
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from running import warm

ROOT = Path(__file__).resolve().parents[2]
HANDBOOK, EXAMPLES = ROOT / "examples" / "handbook", ROOT / "examples"


def _ingest(home: Path) -> None:
    for words in (
        ["source", "add", "handbook", "--kind", "events", "--path", HANDBOOK / "events.jsonl.gz",
         "--access", HANDBOOK / "access.yaml"],
        ["source", "add", "company", "--kind", "folder", "--path", EXAMPLES / "company"],
        ["directory", "load", EXAMPLES / "directory.yaml"],
        ["ingest"],
    ):
        warm.run([sys.executable, "-m", "cli.main", *map(str, words)], check=True, timeout=600, cwd=ROOT,
                 env={**os.environ, "VOUCH_HOME": str(home)}, stdout=subprocess.DEVNULL)


@pytest.fixture(scope="module")
def demo_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home of its own for each module, a copy of what was ingested first."""
    base = tmp_path_factory.getbasetemp()
    shared = (base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base) / "demo-company"
    shared.mkdir(exist_ok=True)
    with (shared / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (shared / "done").exists():
            _ingest(shared / "home")
            (shared / "done").touch()
    return Path(shutil.copytree(shared / "home", tmp_path_factory.mktemp("company") / "home"))
