"""Over Socket Mode the bot takes what Slack sends to this app, and nothing else that comes along."""

import json
import time
from collections.abc import Iterator

import pytest
from faults.slack.forging import envelopes
from slack_scene.slack_company import LEAVE, Company, at, company
from slack_scene.slack_slow import until

from vouch.adapters.ledger import Ledger

pytestmark = pytest.mark.integration


@pytest.fixture
def acme(ledger: Ledger, memory_folder: object) -> Iterator[Company]:
    with company(ledger, memory_folder, "socket") as made:  # type: ignore[arg-type]
        yield made


def test_what_is_none_of_slacks_envelopes_to_this_app_does_nothing(acme: Company) -> None:
    people = acme.slack.workspace.channel("C1", "people", [acme.ben.id], "private")
    forged = envelopes(people.id, acme.ben.id)
    assert all(acme.slack.sockets.push(text) for text in forged.values()) and len(forged) > 8
    asked = acme.ask(acme.ben, people, at(LEAVE))
    time.sleep(0.5)
    acme.answer_all()
    assert [m.thread_ts for m in acme.answers(acme.ben, people)] == [asked.ts]
    assert not [name for name in forged if acme.slack.sockets.acknowledged(name)]


def test_the_same_words_from_slack_are_a_question(acme: Company) -> None:
    """Or the test above would say nothing."""
    people = acme.slack.workspace.channel("C1", "people", [acme.ben.id], "private")
    name, forged = next((name, json.loads(text)) for name, text in envelopes(people.id, acme.ben.id).items())
    forged["type"] = "events_api"
    assert acme.slack.sockets.push(json.dumps(forged))
    until(lambda: acme.slack.sockets.acknowledged(name))
    acme.answer_all()
    assert "12 weeks" in acme.shown(acme.ben, people)
