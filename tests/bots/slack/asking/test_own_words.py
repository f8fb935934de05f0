"""Words of vouch's own messages are nobody's question: they may be of documents that an owner may not read."""

import time
from collections.abc import Iterator

import pytest
from slack_scene.slack_company import PLAN, Company, at, company
from slack_scene.slack_places import EVERYWHERE, Place

from bots.slack.answers.layout import NEED_ALONE
from bots.slack.bot import SHORTCUT
from bots.slack.hearing.asking import OWN_WORDS
from bots.slack.how_to_ask import HELP
from bots.slack.simulator import Message

pytestmark = pytest.mark.integration


def choose(acme: Company, message: Message) -> None:
    assert acme.bot is not None and acme.slack.deliveries.shortcut(acme.ben.id, message, SHORTCUT)
    acme.bot.rest()


def own_answers(acme: Company) -> list[Message]:
    """To Ben alone, and in a channel."""
    team = acme.slack.workspace.channel("C1", "people", [acme.ben.id, acme.boss.id], "private")
    direct = acme.slack.workspace.direct(acme.ben.id)
    acme.ask(acme.ben, direct, PLAN)
    acme.ask(acme.ben, team, at(PLAN))
    return [acme.answers(acme.ben, place)[-1] for place in (direct, team)]


def questions(acme: Company) -> int:
    return len(acme.ledger.asked_by.recent("user:ben@acme.test", "slack", acme.now().replace(year=2020), 9))


@EVERYWHERE
def test_the_menu_of_an_own_message_asks_nothing_and_tells_how_to_ask(acme: Company) -> None:
    for answer in own_answers(acme):
        assert "60 days" in answer.shown()
        choose(acme, answer)
    acme.answer_all()
    direct = acme.slack.workspace.direct(acme.ben.id)
    assert questions(acme) == 2
    assert [one.text for one in acme.answers(acme.ben, direct)].count(OWN_WORDS) == 2


def test_a_forwarded_answer_is_no_question(acme: Company) -> None:
    direct = acme.slack.workspace.direct(acme.boss.id)
    acme.slack.deliveries.say(acme.boss.id, direct, "", attachments=[
        {"is_share": True, "text": own_answers(acme)[0].text, "author_id": "U0VOUCH"}])
    acme.answer_all()
    assert HELP in acme.shown(acme.boss, direct) and "60 days" not in acme.shown(acme.boss, direct)


@pytest.fixture
def owned(place: Place) -> Iterator[Company]:
    with company(*place, owners="user:ana@acme.test") as made:
        yield made


def test_one_that_an_earlier_release_asked_goes_to_no_owner_and_to_no_home_tab(
    owned: Company, monkeypatch: pytest.MonkeyPatch
) -> None:
    acme, answer = owned, own_answers(owned)[0]
    with monkeypatch.context() as earlier:
        for where in ("hearing.asking", "answers.still_said"):
            earlier.setattr(f"bots.slack.{where}.is_own", lambda me, message: False)
        choose(acme, answer)
        acme.answer_all()
    assert questions(acme) == 3
    direct, views = acme.slack.workspace.direct(acme.ben.id), acme.slack.workspace.views
    pressed = acme.answers(acme.ben, direct)[-1]
    value = next(one["value"] for block in pressed.blocks if block["type"] == "actions"
                 for one in block["elements"] if one["action_id"] == NEED_ALONE)
    acme.slack.deliveries.press(acme.ben.id, pressed, {"type": "button", "action_id": NEED_ALONE, "value": value})
    acme.bot.rest()  # type: ignore[union-attr]
    assert views == [] and "goes to nobody" in acme.shown(acme.ben, direct)
    acme.ledger.handoffs.open(value, f"T0ACME/{direct.id}", f"T0ACME/{direct.id}", "user:ben@acme.test", acme.now(), 5,
                              alone=True)                   # agreed to before the update
    acme.bot.upkeep.post_due()  # type: ignore[union-attr]
    assert acme.answers(acme.ana, acme.slack.workspace.direct(acme.ana.id)) == []
    acme.slack.deliveries.opened(acme.ben.id, "home")
    end = time.monotonic() + 8.0
    while not views and time.monotonic() < end:
        time.sleep(0.02)
    quoted = [block["elements"][0]["elements"][0]["text"] for block in views[-1]["blocks"]
              if block["type"] == "rich_text"]
    assert quoted == [PLAN, PLAN]
