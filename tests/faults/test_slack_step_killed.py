"""Worker and sender are killed at each step of their work, and begun again: each question has one answer."""

import random
from pathlib import Path

import pytest
from faults.slack_crew import crew

pytestmark = pytest.mark.slow
STEPS = {"worker": ("begun", "kept"), "sender": ("claimed", "marked", "posted", "sent")}


@pytest.mark.parametrize(("role", "mode"), [("worker", "socket"), ("sender", "http")])
def test_one_answer_wherever_it_was_killed(memory_folder: Path, role: str, mode: str) -> None:
    with crew(memory_folder, mode, random.Random(1), VOUCH_LOG__KIND="embedded", VOUCH_LOG__LEASE_SECONDS="1") as made:
        for step in STEPS[role]:
            made.kill(role)
            doomed = f"{role}-{step}"
            made.start(doomed)
            made.ask(1)
            assert made.running[doomed].wait(60) == -9, step
            made.kill(doomed)
            made.start(role)
        made.settle(60)
        assert made.outcome() == {"asked": len(STEPS[role]), "not taken": 0, "lost": 0, "double": 0, "forged": 0}
