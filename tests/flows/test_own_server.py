"""The Prefect server of one command: out of reach of its Ctrl-C, gone with it, silent unless it fails."""

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest
from long_ingest import ROOT, embedded, many_sections

from flows.own_server import LOG, own_server
from vouch.errors import Unavailable

HOLDER = """
import sys, time
from pathlib import Path
from flows.own_server import own_server
print(own_server(Path(sys.argv[1])), flush=True)
time.sleep(600)
"""


ENDING = """
import atexit, sys, urllib.request
from pathlib import Path
from flows.own_server import own_server
url = own_server(Path(sys.argv[1]))
atexit.register(lambda: print(urllib.request.urlopen(f"{url}/health", timeout=5).status))
"""


def servers_of(folder: Path) -> list[int]:
    """The processes that serve Prefect for the runs whose PREFECT_HOME is `folder`."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            words, env = (entry / "cmdline").read_bytes(), (entry / "environ").read_bytes()
        except OSError:
            continue
        if b"flows.serve_prefect" in words and f"PREFECT_HOME={folder}\0".encode() in env:
            found.append(int(entry.name))
    return found


def gone(folder: Path, seconds: float) -> bool:
    end = time.monotonic() + seconds
    while servers_of(folder) and time.monotonic() < end:
        time.sleep(0.05)
    return not servers_of(folder)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PREFECT_HOME", str(tmp_path / "prefect"))
    return tmp_path / "prefect"


@pytest.mark.slow
def test_a_killed_command_leaves_no_server(place: Path) -> None:
    holder = subprocess.Popen([sys.executable, "-c", HOLDER, str(place)], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None
    url = holder.stdout.readline().strip()
    with urllib.request.urlopen(f"{url}/health", timeout=5) as answer:
        assert answer.status == 200
    assert servers_of(place)
    holder.kill()
    holder.communicate()
    assert gone(place, 5)


@pytest.mark.slow
def test_the_server_is_there_until_the_command_has_sent_its_last_and_then_goes(place: Path) -> None:
    ended = subprocess.run([sys.executable, "-c", ENDING, str(place)], cwd=ROOT, capture_output=True, text=True,
                           timeout=60)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "200\n", "")
    assert gone(place, 5)


def test_a_server_that_cannot_start_is_told_in_one_line(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PREFECT_API_DATABASE_CONNECTION_URL", f"sqlite+aiosqlite:///{place}/missing/p.db")
    with pytest.raises(Unavailable) as refused:
        own_server(place)
    assert str(place / LOG) in refused.value.cure and "--direct" in refused.value.cure
    assert "\n" not in refused.value.cause and "own server ended with" in refused.value.cause
    assert gone(place, 5)


@pytest.mark.model
@pytest.mark.slow
def test_ctrl_c_ends_a_run_soon_in_few_words_and_keeps_what_was_finished(tmp_path: Path) -> None:
    home, env, command = many_sections(tmp_path)
    running = subprocess.Popen([*command, "ingest"], cwd=ROOT, env=env, start_new_session=True, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    while running.poll() is None and not embedded(home):
        time.sleep(0.05)
    before = embedded(home)
    os.killpg(running.pid, signal.SIGINT)               # as a terminal does: to all of the command's group
    out, err = running.communicate(timeout=60)
    assert running.returncode == 130, err
    assert out == "" and 2 <= len(err.splitlines()) <= 3 and "error: interrupted" in err, err
    assert gone(home / "prefect", 5)
    again = subprocess.run([*command, "ingest", "--json"], cwd=ROOT, env=env, capture_output=True, text=True,
                           timeout=150)
    report = json.loads(again.stdout)
    assert report["version"] == 1 and before <= report["chunks"]["added"] - report["embedded"]
