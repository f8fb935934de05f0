"""What one person alone sees of vouch in the loopback Slack: home tab, prompts, own traces, and the shortcut."""

import re
import time
from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace

import pytest
from slack_scene.slack_company import LEAVE, PLAN, VPN, Company, at, company, looks_into_the_same_index
from slack_scene.slack_places import EVERYWHERE, Place

from bots.slack.answers.layout import message
from bots.slack.bot import SHORTCUT
from bots.slack.hearing.asking import ANSWERED, LOOKING
from bots.slack.personal.app_home import LOOKING_UP, NO_ID, NOT_NOW, Personal
from bots.slack.personal.views import UNKNOWN
from bots.slack.simulator import Channel, User
from consumers.questions.own_answers import OwnAnswers
from vouch.access import Directory, Label
from vouch.adapters.ledger import SentAnswer
from vouch.adapters.ledger.engine.schema import outbox
from vouch.answering.answer_text import UNSURE
from vouch.messages import QuestionAsked

NUMBERS = re.compile(r"\d\.\d\d")

pytestmark = pytest.mark.integration


@pytest.fixture
def acme(place: Place, monkeypatch: pytest.MonkeyPatch) -> Iterator[Company]:
    with company(*place) as made:
        looks_into_the_same_index(made, monkeypatch)
        yield made


def home(acme: Company, user: User) -> str:
    before = len(acme.slack.workspace.views)
    acme.slack.deliveries.event({"type": "app_home_opened", "user": user.id, "tab": "home", "channel": "D1",
                                 "event_ts": "1.0"}, "app_home_opened")
    end = time.monotonic() + 8
    while len(acme.slack.workspace.views) == before and time.monotonic() < end:
        time.sleep(0.02)
    view = acme.slack.workspace.views[-1]
    assert view["for"] == user.id and view["type"] == "home"
    return str(view["blocks"])


def why(acme: Company, user: User, answer_id: str) -> str:
    lobby = acme.slack.workspace.channels.get("C0") or acme.slack.workspace.channel("C0", "lobby", [user.id])
    return asked_why(acme, user, lobby, f"why {answer_id}")


def asked_why(acme: Company, user: User, where: Channel, text: str) -> str:
    """What comes after the sign that it is looked up."""
    assert acme.slack.deliveries.command(user.id, where, "/vouch", text) == LOOKING_UP
    acme.bot.rest()  # type: ignore[union-attr]
    told = [one for one in acme.slack.workspace.messages if one.only_for == user.id and one.text != LOOKING_UP]
    return read(told[-1].shown())


def read(told: str) -> str:
    """As a person reads it: without what breaks up addresses."""
    return told.replace("\u2060", "")


def latest(acme: Company, user: User) -> SentAnswer:
    tag = f"user:{user.email.lower()}"
    return acme.ledger.asked_by.recent(tag, "slack", acme.now().replace(year=2020), 1)[0]


def test_the_home_tab_counts_what_this_person_may_read(acme: Company) -> None:
    ana, guest = home(acme, acme.ana), acme.slack.workspace.user("U0G", "G", "boss@acme.test", guest=True)
    assert "handbook: 2 documents" in ana and "handbook: 3 documents" in home(acme, acme.boss)
    assert "handbook: 1 document'" in home(acme, guest)
    acme.access.directory = Directory()
    assert "handbook: 1 document'" in home(acme, acme.boss)


def test_whom_the_directory_does_not_name_is_told_on_the_home_tab(acme: Company) -> None:
    assert UNKNOWN in home(acme, acme.slack.workspace.user("U0X", "X", "x@acme.test"))
    assert UNKNOWN not in home(acme, acme.ana)


@EVERYWHERE
def test_the_home_tab_shows_own_questions_alone_and_checks_them_again(acme: Company) -> None:
    for person, text in ((acme.ben, PLAN), (acme.ana, VPN)):
        acme.ask(person, acme.slack.workspace.direct(person.id), text)
    shown = home(acme, acme.ben)
    assert PLAN in shown and "60 days" in shown and VPN not in shown
    acme.world.index.labels["plan"] = Label(frozenset({"group:nobody"}))
    shown = home(acme, acme.ben)
    assert PLAN in shown and "60 days" not in shown and "not shown any more" in shown


def test_the_home_tab_leaves_out_questions_that_were_deleted(acme: Company) -> None:
    direct = acme.slack.workspace.direct(acme.ben.id)
    said = acme.ask(acme.ben, direct, PLAN)
    acme.ask(acme.ben, direct, LEAVE)
    acme.slack.deliveries.delete(said)
    shown = home(acme, acme.ben)
    assert LEAVE in shown and PLAN not in shown and "60 days" not in shown
    acme.slack.fault("conversations.replies", "500")
    assert LEAVE in home(acme, acme.ben)


@EVERYWHERE
def test_why_tells_nothing_of_a_message_that_was_deleted_though_somebody_else_said_it(acme: Company) -> None:
    both = acme.slack.workspace.channel("C1", "both", [acme.ana.id, acme.ben.id], "private")
    said = acme.slack.deliveries.say(acme.ana.id, both, PLAN)
    assert acme.slack.deliveries.shortcut(acme.ben.id, said, SHORTCUT)
    acme.answer_all()
    answer_id = latest(acme, acme.ben).body["id"]
    assert PLAN in why(acme, acme.ben, answer_id)
    acme.slack.deliveries.delete(said)
    assert "no answer with this id" in why(acme, acme.ben, answer_id)


def test_why_is_acknowledged_before_slack_is_asked_and_says_so_where_that_fails(acme: Company) -> None:
    acme.ask(acme.ben, acme.slack.workspace.direct(acme.ben.id), PLAN)
    answer_id = latest(acme, acme.ben).body["id"]
    acme.slack.fault("users.info", "slow", 3.5)
    assert PLAN in why(acme, acme.ben, answer_id)
    acme.slack.fault("users.info", "500")
    assert why(acme, acme.ben, answer_id) == NOT_NOW


def test_why_stays_open_to_who_edited_their_own_message_and_closes_when_somebody_else_did(acme: Company) -> None:
    both = acme.slack.workspace.channel("C1", "both", [acme.ana.id, acme.ben.id], "private")
    said = acme.ask(acme.ben, both, at(PLAN))
    own = latest(acme, acme.ben).body["id"]
    acme.slack.deliveries.edit(said, at(f"{PLAN} Please."))
    assert PLAN in why(acme, acme.ben, own)
    acme.slack.deliveries.delete(said)
    assert "no answer with this id" in why(acme, acme.ben, own)
    said = acme.slack.deliveries.say(acme.ana.id, both, LEAVE)
    assert acme.slack.deliveries.shortcut(acme.ben.id, said, SHORTCUT)
    acme.answer_all()
    theirs = latest(acme, acme.ben).body["id"]
    assert LEAVE in why(acme, acme.ben, theirs)
    acme.slack.deliveries.edit(said, f"{LEAVE} Please.")
    assert "no answer with this id" in why(acme, acme.ben, theirs)


def test_the_home_tab_hides_words_with_a_title_that_was_edited_away(acme: Company) -> None:
    asked = "Who won the leave tournament of chess champions in Riga during the summer of rotated parents?"
    acme.ask(acme.boss, acme.slack.workspace.direct(acme.boss.id), asked)
    sent = latest(acme, acme.boss)
    assert sent.body["action"] == "declined" and "“leave”" in sent.body["answer"], sent.body["answer"]
    assert "“leave”" in home(acme, acme.boss)
    index = acme.world.index
    index.passages = [replace(one, title="House rules", section=("House rules",)) for one in index.passages]
    shown = home(acme, acme.boss)
    assert "“leave”" not in shown and "not shown any more" in shown


def test_the_home_tab_tells_the_nearest_passages_from_an_answer() -> None:
    published: list[object] = []
    sent = SimpleNamespace(question=SimpleNamespace(text=PLAN, id="slack:T1:D1:command.x"), body={
        "id": "a" * 32, "action": "answered_with_caution", "answer": f"{UNSURE}\n\nplan: It lasts 60 days. [1]"})
    look = SimpleNamespace(readable=lambda rights: {}, knows=lambda rights: True, recent=lambda *asked: [(sent, True)])
    api = SimpleNamespace(call=lambda method, **given: published.append(given["view"]))
    people = SimpleNamespace(tag=lambda user: "user:a@b.c", voter=lambda user: "user:a@b.c")
    Personal(api, people, lambda: look, lambda *asked: False,
             lambda *asked: False).home("U1")      # type: ignore[arg-type]
    assert "nearest passages only: plan: It lasts 60 days." in str(published)


@EVERYWHERE
def test_a_person_who_asked_learns_how_it_was_answered_and_nobody_else_does(acme: Company) -> None:
    acme.ask(acme.ben, acme.slack.workspace.direct(acme.ben.id), PLAN)
    answer_id = latest(acme, acme.ben).body["id"]
    told = why(acme, acme.ben, answer_id)
    assert PLAN in told and "handbook:plan.md" in told and ", cited" in told and "Time:" in told
    assert why(acme, acme.ben, answer_id[:12]) == told
    unknown = why(acme, acme.boss, "0123456789abcdef")
    assert "no answer with this id" in unknown and "60 days" not in unknown
    for other in (acme.ana, acme.boss):         # the boss may read the document, and did not ask
        assert why(acme, other, answer_id) == unknown


def test_why_without_a_known_id_is_never_a_question(acme: Company) -> None:
    acme.ask(acme.ben, acme.slack.workspace.direct(acme.ben.id), PLAN)
    answer_id = latest(acme, acme.ben).body["id"][:12]
    assert "handbook:plan.md" in why(acme, acme.ben, answer_id.upper())
    lobby = acme.slack.workspace.channels["C0"]
    assert "handbook:plan.md" in asked_why(acme, acme.ben, lobby, f"WHY {answer_id}")
    assert "no answer with this id" in why(acme, acme.ben, "abc123zzz")
    before = len(acme.slack.workspace.messages)
    for written in ("", "abc", "9c1d:77aa"):        # said at once, and nothing is looked up
        assert acme.slack.deliveries.command(acme.ben.id, lobby, "/vouch", f"why {written}") == NO_ID
    acme.bot.rest()  # type: ignore[union-attr]
    assert len(acme.slack.workspace.messages) == before + 3
    acme.answer_all()
    assert len(acme.answers(acme.ben, acme.slack.workspace.direct(acme.ben.id))) == 1


def test_a_follow_up_shows_what_was_searched_for(acme: Company) -> None:
    direct = acme.slack.workspace.direct(acme.ben.id)
    first = acme.ask(acme.ben, direct, LEAVE)
    acme.ask(acme.ben, direct, "And for parents?", first.ts)
    told = why(acme, acme.ben, latest(acme, acme.ben).body["id"])
    understood = next(line for line in told.split("\n") if line.startswith("Searched for: "))
    assert "paid parental leave" in understood and "(by rules)" in understood


def test_a_trace_is_told_only_while_its_asker_may_read_what_it_was_made_from(acme: Company) -> None:
    acme.ask(acme.ben, acme.slack.workspace.direct(acme.ben.id), PLAN)
    answer_id = latest(acme, acme.ben).body["id"]
    assert "handbook:plan.md" in why(acme, acme.ben, answer_id)
    acme.access.directory = Directory()
    told = why(acme, acme.ben, answer_id)
    assert "no answer with this id" in told and "plan.md" not in told and "performance" not in told


def test_a_trace_tells_less_where_something_that_is_not_cited_may_not_be_read_any_more(acme: Company) -> None:
    acme.ask(acme.boss, acme.slack.workspace.direct(acme.boss.id), f"{LEAVE} steps:2")
    sent = latest(acme, acme.boss)
    answer_id, cited = sent.body["id"], {one["chunk_id"] for one in sent.body["citations"]}
    whole = why(acme, acme.boss, answer_id)
    assert cited == {"leave"} and "vpn" in sent.given and sent.body["stopped"]
    assert "handbook:vpn.md" in whole and "Confidence: " in whole and "further step" in whole
    acme.world.index.labels["vpn"] = Label(frozenset({"group:nobody"}))
    less = why(acme, acme.boss, answer_id)
    assert LEAVE in less and "handbook:leave.md, cited" in less and "Outcome: " in less and "further step" in less
    assert "what tells of it is left out" in less and "left out" not in whole
    assert "vpn" not in less and "Confidence" not in less and not NUMBERS.search(less)
    acme.world.index.labels["leave"] = Label(frozenset({"group:nobody"}))
    assert "no answer with this id" in why(acme, acme.boss, answer_id)


def test_passages_that_the_asker_may_not_read_any_more_are_in_no_trace(acme: Company) -> None:
    acme.ask(acme.boss, acme.slack.workspace.direct(acme.boss.id), LEAVE)
    found = latest(acme, acme.boss)
    extra = "vpn"
    assert extra in {row["chunk_id"] for row in acme.ledger.answers.candidates(found.body["id"])}
    with acme.ledger._database.write() as connection:      # as if it had been looked at, and not given to the writer
        connection.execute(outbox.update().values(given=["leave"]))
    look = OwnAnswers(acme.ledger, acme.access, acme.world.index, lambda: [], acme.now, "slack")
    for hidden in (False, True):
        if hidden:
            acme.world.index.labels[extra] = Label(frozenset({"group:nobody"}))
        traced = look.trace("user:boss@acme.test", "user:boss@acme.test", found.body["id"])
        assert traced is not None and (extra in {one.passage.chunk_id for one in traced[1]}) != hidden


def test_an_answer_in_a_channel_is_traced_for_its_asker(acme: Company) -> None:
    both = acme.slack.workspace.channel("C1", "both", [acme.ana.id, acme.ben.id], "private")
    acme.ask(acme.ana, both, at(LEAVE))
    answer_id = latest(acme, acme.ana).body["id"]
    assert "handbook:leave.md" in why(acme, acme.ana, answer_id)
    assert "no answer with this id" in why(acme, acme.ben, answer_id)


def test_prompts_are_set_where_the_messages_tab_is_opened(acme: Company) -> None:
    direct = acme.slack.workspace.direct(acme.ana.id)
    acme.slack.deliveries.event({"type": "app_home_opened", "user": acme.ana.id, "tab": "messages",
                                 "channel": direct.id, "event_ts": "1.0"}, "app_home_opened")
    acme.bot.rest()  # type: ignore[union-attr]
    [(channel, titles)] = acme.slack.workspace.prompts
    assert channel == direct.id and list(titles) == [LEAVE, "What can you do?"]


@EVERYWHERE
def test_the_shortcut_asks_the_words_of_a_message_for_whoever_chose_it_alone(
    acme: Company, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[QuestionAsked] = []
    real = acme.answerer.answer
    monkeypatch.setattr("consumers.questions.answerer.Answerer.answer",
                        lambda self, message: (asked.append(message), real(message))[1])
    both = acme.slack.workspace.channel("C1", "both", [acme.ana.id, acme.ben.id], "private")
    said = acme.slack.deliveries.say(acme.ana.id, both, PLAN)
    for _ in range(2):
        assert acme.slack.deliveries.shortcut(acme.ben.id, said, SHORTCUT)
    acme.answer_all()
    assert {m.text for m in acme.answers(acme.ben, both)} <= {LOOKING, ANSWERED}
    [answer] = acme.answers(acme.ben, acme.slack.workspace.direct(acme.ben.id))
    assert "60 days" in answer.shown()
    assert acme.slack.deliveries.shortcut(acme.ana.id, said, SHORTCUT)
    acme.answer_all()
    assert "60 days" not in acme.shown(acme.ana, acme.slack.workspace.direct(acme.ana.id))
    assert asked and not any(one.outside for one in asked)


def test_a_message_without_words_is_said_to_have_none(acme: Company) -> None:
    both = acme.slack.workspace.channel("C1", "both", [acme.ana.id, acme.ben.id], "private")
    said = acme.slack.deliveries.say(acme.ana.id, both, " ")
    assert acme.slack.deliveries.shortcut(acme.ben.id, said, SHORTCUT)
    acme.bot.rest()  # type: ignore[union-attr]
    assert "no words" in acme.shown(acme.ben, acme.slack.workspace.direct(acme.ben.id))


def test_where_one_person_alone_reads_another_button_asks_for_a_human() -> None:
    given = {"id": "a" * 32, "answer": "x", "question": "q", "action": "declined", "reason": "r", "citations": [],
             "warnings": [], "index_version": 1, "confidence": {"value": 0.0, "level": "low"}, "knowledge": "none"}
    assert "vouch_need_human" in str(message(given, alone=False)[0])
    alone = str(message(given, alone=True, private=True)[0])
    assert "vouch_need_human" not in alone and "vouch_human_alone" in alone
