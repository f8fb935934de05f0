"""Processes that begin with what vouch imports are like others: streams, signals, settings, and who their parent is."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from running import warm

TELLS = """
import json, os, sys
print(json.dumps({"parent": os.getppid(), "session": os.getsid(0) == os.getpid(), "argv": sys.argv[1:],
                  "name": __name__, "torch": "torch" in sys.modules, "env": dict(os.environ), "cwd": os.getcwd(),
                  "path": sys.path[:2], "given": sys.stdin.read() if sys.argv[1:] == ["read"] else ""}))
print("said", file=sys.stderr)
sys.exit(3)
"""
WAITS = "print('ready', flush=True)\nimport time\ntime.sleep(60)\n"


@pytest.fixture
def script(tmp_path: Path) -> Path:
    (tmp_path / "tells.py").write_text(TELLS)
    (tmp_path / "waits.py").write_text(WAITS)
    return tmp_path / "tells.py"


def test_it_has_what_it_was_given_and_is_a_child_of_the_test(script: Path) -> None:
    done = warm.run([sys.executable, script, "read"], input="a line\n", capture_output=True, text=True, cwd="/",
                    env={"A": "b", "PYTHONPATH": "/more"}, start_new_session=True)
    told = json.loads(done.stdout)
    assert (done.returncode, done.stderr, told.pop("torch"), told.pop("env")) == (
        3, "said\n", True, {"A": "b", "PYTHONPATH": "/more"})
    assert told == {"parent": os.getpid(), "session": True, "argv": ["read"], "name": "__main__", "cwd": "/",
                    "path": [str(script.parent), "/more"], "given": "a line\n"}
    with pytest.raises(subprocess.CalledProcessError):
        warm.run([sys.executable, script], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_signals_end_it_as_they_end_others(script: Path, number: signal.Signals) -> None:
    codes = []
    for start in (warm.Popen, subprocess.Popen):
        with start([sys.executable, str(script.with_name("waits.py"))], stdout=subprocess.PIPE,
                   stderr=subprocess.DEVNULL, text=True) as process:
            assert process.stdout.readline() == "ready\n" and process.poll() is None
            process.send_signal(number)
            codes.append(process.wait(30))
    assert codes[0] == codes[1]


def test_a_module_and_the_command_run_as_elsewhere() -> None:
    for words in ([sys.executable, "-m", "cli.main"], [Path(sys.executable).with_name("vouch")]):
        for more in ("--help", "no-such-command"):
            both = [start([*words, more], cwd=Path(__file__).parents[2], capture_output=True, text=True)
                    for start in (warm.run, subprocess.run)]
            assert [(one.returncode, one.stdout, one.stderr) for one in both[:1]] == [
                (one.returncode, one.stdout, one.stderr) for one in both[1:]]
