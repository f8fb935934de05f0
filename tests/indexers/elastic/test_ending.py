"""A process that is done ends soon, whatever the server does with what is still asked of it."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
CODE = r"""
import sys, threading, time
from indexers.elastic.sync import row_sync
row_sync.LINGER_S = {linger}
def work(go_on):
    {work}
    sys.stdout.write("done\n" if go_on() else "stopped\n")
thread = row_sync.beside("labels", work)
sys.stdout.write("ends\n")
sys.stdout.flush()
"""


@pytest.mark.slow
@pytest.mark.parametrize(("work", "linger", "told"), [
    ("time.sleep(0.2)", 10, ["ends", "done"]),                  # waited for
    ("threading.Event().wait()", 0.5, ["ends"]),                # a request that hangs is cut off
    ("time.sleep(0)", 10, ["ends", "done"]),
])
def test_the_end_of_a_process_waits_for_the_work_beside_it_and_not_for_long(
    work: str, linger: float, told: list[str]
) -> None:
    began = time.monotonic()
    done = subprocess.run([sys.executable, "-c", CODE.format(work=work, linger=linger)], cwd=ROOT, timeout=60,
                          capture_output=True, text=True, check=True)
    assert sorted(done.stdout.split()) == sorted(told) and done.stderr == ""
    assert time.monotonic() - began < 9
