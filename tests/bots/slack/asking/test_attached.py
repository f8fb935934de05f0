"""Files that are attached to a question, which nobody reads."""

import pytest
from slack_scene.slack_company import LEAVE, Company, at
from slack_scene.slack_slow import until

from bots.slack.hearing.asking import NO_FILES
from bots.slack.how_to_ask import HELP

pytestmark = pytest.mark.integration
FILE = {"subtype": "file_share", "files": [{"id": "F1", "name": "policy.pdf"}]}


def test_who_attaches_a_file_is_told_once_and_alone_that_it_is_not_read(acme: Company) -> None:
    channel = acme.slack.workspace.channel("C1", "both", [acme.ana.id, acme.ben.id], "private")
    acme.slack.deliveries.say(acme.ana.id, channel, at(LEAVE), **FILE)
    acme.answer_all()
    until(lambda: NO_FILES in acme.shown(acme.ana, channel))
    told = [one for one in acme.answers(acme.ana, channel) if one.text == NO_FILES]
    assert [(one.only_for, one.thread_ts) for one in told] == [(acme.ana.id, None)]
    assert "12 weeks" in acme.shown(acme.ben, channel) and NO_FILES not in acme.shown(acme.ben, channel)


def test_a_file_without_words_is_told_with_how_to_ask(acme: Company) -> None:
    direct = acme.slack.workspace.direct(acme.ana.id)
    acme.slack.deliveries.say(acme.ana.id, direct, "", **FILE)
    until(lambda: bool(acme.answers(acme.ana, direct)))
    assert [one.text for one in acme.answers(acme.ana, direct)] == [f"{NO_FILES} {HELP}"]
