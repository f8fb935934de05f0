"""Bot, worker, and sender are killed at each step of their work, over each transport, in files and on servers.

Each is begun again while a reply of Slack fails. In the end all that Slack told is told again, in any order, beside
what others forge. Each question has one answer all the same.
"""

import itertools

import pytest
from faults.slack.crew import DONE, FOUR, PLACES, REFUSED, THREE, Crew
from faults.slack.doom import DOOMED, FORGETFUL
from running.soak_table import Figures

pytestmark = pytest.mark.slow
# Whose reply is lost never returns from the post, and so does not die behind it.
EVERY = [(step, reply) for reply in ("", *REFUSED, *DONE) for step in DOOMED
         if not (step == "sender-posted" and reply in DONE)]


@pytest.mark.parametrize(("place", "mode"), THREE)
def test_one_answer_wherever_it_was_killed(crew: Crew) -> None:
    for step, reply in zip(DOOMED, itertools.cycle(REFUSED), strict=False):
        crew.killed_at(step, reply)
    assert right_whatever_is_told_again(crew) and crew.outcome()["tried"], crew.outcome()
    assert len(crew.asked) == len(DOOMED)


@pytest.mark.parametrize(("place", "mode"), THREE[:1])
def test_a_sender_that_forgets_what_was_posted_is_noticed(crew: Crew) -> None:
    crew.kill("sender")
    crew.start(FORGETFUL)
    crew.slack.fault("chat.postMessage", "lost")
    crew.ask(1)
    crew.settle(300)
    assert crew.outcome()["double"] == 1


@pytest.mark.soak
@pytest.mark.parametrize(("place", "mode"), FOUR)
def test_one_answer_wherever_it_was_killed_and_whatever_became_of_the_reply(
    crew: Crew, place: str, mode: str, figures: Figures
) -> None:
    for step, reply in EVERY:
        crew.killed_at(step, reply)
    right, found = right_whatever_is_told_again(crew), crew.outcome()
    figures(f"bot, worker, and sender of Slack killed at each of their steps, {mode}, {PLACES[place]}",
            f"{len(DOOMED)} steps, each with each of {len(REFUSED + DONE)} faults of a reply and with none; "
            f"all told again in any order; {found['tried']} forged",
            f"{found['lost']} lost, {found['double']} double, {found['forged']} forged taken")
    assert right and found["tried"] and len(crew.asked) == len(EVERY), found


def right_whatever_is_told_again(crew: Crew) -> bool:
    crew.settle(60)
    right = crew.none_wrong()
    crew.told_again()
    crew.forge()
    crew.settle(5)
    return right and crew.none_wrong()
