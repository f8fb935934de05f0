"""An ingest that is killed or interrupted while it embeds: the next one neither hangs nor repeats finished work."""

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
from homes.long_ingest import ROOT, SECTIONS, embedded, many_sections
from running import warm

pytestmark = [pytest.mark.model, pytest.mark.slow]


def test_the_run_after_a_kill_finishes_the_work(tmp_path: Path) -> None:
    home, env, command = many_sections(tmp_path)
    killed = warm.Popen([*command, "ingest"], cwd=ROOT, env=env, start_new_session=True,
                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        while killed.poll() is None and not embedded(home):
            time.sleep(0.05)
    finally:
        os.killpg(killed.pid, signal.SIGKILL)
    killed.wait()
    before = embedded(home)
    assert 0 < before < SECTIONS, "the kill came too early or too late to prove anything"
    again = warm.run([*command, "ingest", "--json"], cwd=ROOT, env=env, capture_output=True, text=True,
                     timeout=150)
    assert again.returncode == 0, again.stderr
    report = json.loads(again.stdout)
    assert (report["version"], report["chunks"]["added"]) == (1, SECTIONS)
    assert before + report["embedded"] == SECTIONS


def test_ctrl_c_ends_a_run_soon_in_few_words_and_keeps_what_was_finished(tmp_path: Path) -> None:
    home, env, command = many_sections(tmp_path)
    running = warm.Popen([*command, "ingest"], cwd=ROOT, env=env, start_new_session=True, text=True,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    while running.poll() is None and not embedded(home):
        time.sleep(0.05)
    before = embedded(home)
    os.killpg(running.pid, signal.SIGINT)               # as a terminal does: to all of the command's group
    out, err = running.communicate(timeout=60)
    assert running.returncode == 130, err
    said = [line for line in err.splitlines() if not line.startswith(("looking at", "source docs", "embedding"))]
    assert out == "" and said[0] == "error: interrupted" and len(said) == 2, err
    again = warm.run([*command, "ingest", "--json"], cwd=ROOT, env=env, capture_output=True, text=True,
                     timeout=150)
    report = json.loads(again.stdout)
    assert report["version"] == 1 and before <= report["chunks"]["added"] - report["embedded"]
