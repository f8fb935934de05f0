"""Bot, worker, and sender are killed while people ask in Slack: each question is answered, and once."""

import pytest
from faults.slack.crew import FOUR, PLACES, THREE, Crew
from running.soak_table import Figures

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(("place", "mode"), THREE)
def test_each_is_killed_once(crew: Crew) -> None:
    crew.kills(3, 2)
    crew.settle(90)
    crew.forge()
    crew.settle(1)
    assert crew.none_wrong() and len(crew.asked) == 6 and crew.outcome()["tried"], crew.outcome()


@pytest.mark.soak
@pytest.mark.parametrize(("place", "mode"), FOUR)
def test_sixty_kills(crew: Crew, place: str, mode: str, figures: Figures) -> None:
    crew.kills(60, 4)
    crew.settle(240)
    found = crew.outcome()
    figures(f"bot, worker, and sender of Slack killed in turn, {mode}, {PLACES[place]}",
            f"{found['asked']} questions, 60 kills, 60 faults of Slack's replies, {found['tried']} forged",
            f"{found['lost']} lost, {found['double']} double, {found['forged']} forged taken")
    assert crew.none_wrong() and found["tried"], found
