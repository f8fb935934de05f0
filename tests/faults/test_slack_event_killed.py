"""A bot is killed right before, or right after, it keeps the id of an event that it took, and begun again."""

import random
from pathlib import Path

import pytest
from faults.slack_crew import crew

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("mode", ["socket", "http"])
@pytest.mark.parametrize("fate", ["bot-taken", "bot-noted"])
def test_nothing_is_lost_or_doubled_around_the_note_that_an_event_was_taken(
    memory_folder: Path, mode: str, fate: str
) -> None:
    with crew(memory_folder, mode, random.Random(1), VOUCH_LOG__KIND="embedded") as made:
        made.channel = made.slack.workspace.direct("U0BEN")     # where a message is one event, and no other saves it
        made.kill("bot")
        made.start(fate)
        made.ask(1)
        made.running[fate].wait(60)
        made.kill(fate)
        made.start("bot")
        made.settle(60)
        assert made.outcome() == {"asked": 1, "not taken": 0, "lost": 0, "double": 0, "forged": 0}
        made.kill("bot")
        made.start("bot")
        deliveries = made.slack.deliveries
        assert all(again(one.event).acked for one in list(deliveries.log)
                   for again in (deliveries.repeat, deliveries.anew))
        made.settle(5)
        assert made.outcome() == {"asked": 1, "not taken": 0, "lost": 0, "double": 0, "forged": 0}
