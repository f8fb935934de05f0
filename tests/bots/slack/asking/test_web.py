"""What the documents do not answer is looked for in the web, and everybody sees that it comes from there."""

from dataclasses import replace

import pytest
from fakes.noted_web import NotedWeb, web_passage
from homes.small_world import OPEN
from slack_scene.slack_company import LEAVE, PLAN, Company, at
from slack_scene.slack_places import EVERYWHERE

from bots.slack.answers.layout import PRIVATELY, SHARE
from bots.slack.answers.sharing import NOWHERE
from bots.slack.bot import SHORTCUT
from bots.slack.hearing.asking import GONE_SINCE, NAMED_NO_MORE
from bots.slack.simulator import Message
from vouch.correction.components import Outside

pytestmark = pytest.mark.integration
CHESS = "Who won the chess tournament?"


def with_a_web(acme: Company) -> NotedWeb:
    web = NotedWeb(web_passage("Judit won the chess tournament in Riga.", "chess", "Chess news"))
    acme.world.components = replace(acme.world.components, outside=Outside(web, OPEN))
    return web


@EVERYWHERE
def test_an_answer_from_the_web_says_so_and_leads_there(acme: Company) -> None:
    web, both = with_a_web(acme), acme.slack.workspace.channel("C1", "both", [acme.ana.id, acme.ben.id], "private")
    acme.ask(acme.ana, both, at(CHESS))
    shown = acme.shown(acme.ben, both)
    assert web.asked == [CHESS] and "Judit" in shown and "https://site.org/chess" in shown
    assert "from the web, not from your documents" in shown and "answered from the web" in shown


def test_words_that_were_not_said_to_vouch_stay_in_the_company(acme: Company) -> None:
    web, both = with_a_web(acme), acme.slack.workspace.channel("C1", "both", [acme.ana.id, acme.ben.id], "private")
    first = acme.ask(acme.ana, both, at(LEAVE))
    acme.ask(acme.ana, both, CHESS, first.ts)           # a reply that names nobody
    said = acme.slack.deliveries.say(acme.ben.id, both, CHESS)
    assert acme.slack.deliveries.shortcut(acme.ana.id, said, SHORTCUT)
    acme.answer_all()
    private = acme.shown(acme.ana, acme.slack.workspace.direct(acme.ana.id))
    assert CHESS not in web.asked and CHESS in private and "Judit" not in private + acme.shown(acme.ana, both)


def test_a_question_that_names_vouch_no_more_is_none(acme: Company) -> None:
    web, both = with_a_web(acme), acme.slack.workspace.channel("C1", "both", [acme.ana.id, acme.ben.id], "private")
    first = acme.ask(acme.ana, both, at(LEAVE))
    said = acme.slack.deliveries.say(acme.ana.id, both, at("Who won the race?"), first.ts)
    acme.slack.deliveries.edit(said, CHESS)
    acme.answer_all()
    assert acme.bot is not None
    acme.bot.rest()
    assert CHESS not in web.asked and "Judit" not in acme.shown(acme.ana, both)
    assert NAMED_NO_MORE in acme.shown(acme.ana, both) and NAMED_NO_MORE not in acme.shown(acme.ben, both)


def test_what_was_understood_with_earlier_words_goes_nowhere_by_a_button(acme: Company) -> None:
    web, both = with_a_web(acme), acme.slack.workspace.channel("C1", "both", [acme.ana.id, acme.ben.id], "private")
    first = acme.ask(acme.ana, both, at(LEAVE))
    acme.ask(acme.ben, both, CHESS, first.ts)           # a reply that names nobody
    acme.ask(acme.ana, both, at("And when did she do that?"), first.ts)
    answer = acme.answers(acme.ana, both)[-1]
    assert acme.ledger.answers.get(answer_of(answer))["understood_as"]
    sent = len(web.asked)
    press_privately(acme, acme.ben.id, answer, answer_of(answer))
    acme.answer_all()
    assert not any("chess" in one for one in web.asked[sent:])


def test_nobody_asks_anew_what_was_asked_elsewhere(acme: Company) -> None:
    both = acme.slack.workspace.channel("C1", "both", [acme.ana.id, acme.ben.id], "private")
    shown = acme.ask(acme.ana, both, at(LEAVE)) and acme.answers(acme.ana, both)[-1]
    direct = acme.slack.workspace.direct(acme.ben.id)
    acme.ask(acme.ben, direct, CHESS)
    press_privately(acme, acme.ana.id, shown, answer_of(acme.answers(acme.ben, direct)[-1]))
    acme.answer_all()
    assert CHESS not in acme.shown(acme.ana, acme.slack.workspace.direct(acme.ana.id))


def test_a_deleted_question_is_given_back_to_nobody(acme: Company) -> None:
    both = acme.slack.workspace.channel("C1", "both", [acme.ana.id, acme.ben.id], "private")
    asked = acme.ask(acme.ana, both, at(PLAN))
    answer, direct = acme.answers(acme.ben, both)[-1], acme.slack.workspace.direct(acme.ben.id)
    press_privately(acme, acme.ben.id, answer, answer_of(answer))
    acme.answer_all()
    own = next(one for one in acme.answers(acme.ben, direct) if one.metadata)
    press_privately(acme, acme.ben.id, own, answer_of(own), SHARE)
    acme.answer_all()
    shared = acme.answers(acme.ben, both)[-1]
    assert answer_of(shared) != answer_of(answer)
    acme.slack.deliveries.delete(asked)
    for one, person in ((answer, acme.ana), (shared, acme.ana), (own, acme.ben)):
        press_privately(acme, person.id, one, answer_of(one))
    acme.answer_all()
    assert PLAN not in acme.shown(acme.ana, acme.slack.workspace.direct(acme.ana.id))
    assert acme.shown(acme.ana, both).count(GONE_SINCE) == 2 and GONE_SINCE not in acme.shown(acme.boss, both)
    press_privately(acme, acme.ben.id, own, answer_of(own), SHARE)
    acme.answer_all()
    assert NOWHERE in acme.shown(acme.ben, both) + acme.shown(acme.ben, direct)


def press_privately(acme: Company, user: str, message: Message, value: str, action: str = PRIVATELY) -> None:
    acme.slack.deliveries.press(user, message, {"type": "button", "action_id": action, "value": value})
    assert acme.bot is not None
    acme.bot.rest()


def answer_of(message: Message) -> str:
    return str((message.metadata or {})["event_payload"]["answer_id"])
