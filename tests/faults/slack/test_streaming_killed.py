"""Bot, worker, and sender are killed at each step of their work while the stages of a question are shown in its thread.

In the end each question has one answer, and no message shows stages for ever.
"""

from pathlib import Path

import pytest
from faults.slack.crew import FOUR, PLACES, Crew
from faults.slack.doom import STEPS
from faults.slack.streaming import HELD_IN, killed_while_streaming, shown
from running.soak_table import Figures

pytestmark = pytest.mark.slow


@pytest.fixture
def gates(crew: Crew, tmp_path: Path) -> Path:
    """A folder of files that let the worker go on."""
    crew.settings[HELD_IN] = str(tmp_path)
    crew.kill("worker")
    crew.start("worker")
    return tmp_path


def all_killed(crew: Crew, gates: Path) -> None:
    for step in STEPS:
        killed_while_streaming(crew, step, gates)
    crew.settle(60)
    assert crew.none_wrong() and not shown(crew), (crew.outcome(), shown(crew))


@pytest.mark.parametrize(("place", "mode"), FOUR[:2])
def test_one_answer_and_no_open_stream_wherever_it_was_killed(crew: Crew, gates: Path) -> None:
    all_killed(crew, gates)


@pytest.mark.soak
@pytest.mark.parametrize(("place", "mode"), FOUR)
def test_one_answer_and_no_open_stream_everywhere(
    crew: Crew, gates: Path, place: str, mode: str, figures: Figures
) -> None:
    all_killed(crew, gates)
    found = crew.outcome()
    figures(f"bot, worker, and sender of Slack killed at each of their steps while an answer is streamed, {mode},"
            f" {PLACES[place]}", f"{len(STEPS)} steps, {found['asked']} questions",
            f"{found['lost']} lost, {found['double']} double, {len(shown(crew))} streams left")
