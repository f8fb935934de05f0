"""Slack shows no previews of what an answer cites: they would be fetched, and show what nobody vouched for."""

from dataclasses import replace

import pytest
from slack_scene.slack_company import LEAVE, Company, at
from slack_scene.slack_slow import held, only_answer, streamed, until

pytestmark = pytest.mark.integration
PICTURE = "https://files.test/leave.png"


def cites_a_picture(acme: Company) -> None:
    index = acme.world.index
    index.passages = [replace(one, url=PICTURE) for one in index.passages]


def test_an_answer_links_to_its_source_without_a_preview(acme: Company) -> None:
    cites_a_picture(acme)
    both = acme.slack.workspace.channel("C1", "both", [acme.ana.id, acme.ben.id], "private")
    direct = acme.slack.workspace.direct(acme.ana.id)
    for there, question in ((both, at(LEAVE)), (direct, LEAVE)):
        acme.ask(acme.ana, there, question)
        shown = acme.shown(acme.ana, there)
        assert f"<{PICTURE}>" in shown and "[preview" not in shown


def test_so_does_one_that_takes_the_place_of_its_stages(acme: Company) -> None:
    cites_a_picture(acme)
    both = acme.slack.workspace.channel("C1", "both", [acme.ana.id, acme.ben.id], "private")
    acme.slack.deliveries.say(acme.ana.id, both, at(LEAVE))
    with held(acme):
        until(lambda: streamed(acme))
    shown = only_answer(acme, acme.ana, both).shown()
    assert f"<{PICTURE}>" in shown and "[preview" not in shown


def test_what_is_told_in_direct_messages_wants_none(acme: Company) -> None:
    direct = acme.slack.workspace.direct(acme.ana.id)
    acme.ask(acme.ana, direct, "why " * 1100)
    acme.bot.rest()  # type: ignore[union-attr]
    [told] = acme.answers(acme.ana, direct)
    assert "4,000" in told.shown() and told.previews is not None and told.previews.off()
