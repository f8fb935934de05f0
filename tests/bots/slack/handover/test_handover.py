"""Somebody wants a human: who is asked, who may do what, and what each person in the loopback Slack sees of it."""

import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from slack_scene.slack_company import LEAVE, PLAN, Company, at, company
from slack_scene.slack_places import EVERYWHERE, Place

from bots.slack.answers.layout import NEED_HUMAN
from bots.slack.api import OddRefusal
from bots.slack.handoff.handover import NOBODY_HERE
from bots.slack.handoff.views import APPROVE, REFUSE, RESOLVE, TAKE
from bots.slack.identity.accounts import Accounts
from bots.slack.simulator import Channel, Message, SlackServer, User
from bots.slack.simulator.workspace import BOT_USER
from consumers.wiring.slack.bot import build_slack_bot
from consumers.wiring.slack.notices import Upkeep
from vouch.access import PUBLIC
from vouch.adapters.ledger import Ledger
from vouch.adapters.ledger.handoffs import APPROVED, draft_id
from vouch.adapters.sources.human_answers import HumanAnswers
from vouch.errors import Denied
from vouch.ports.surface import ChannelSettings

pytestmark = pytest.mark.integration
OWNERS = "user:boss@acme.test"


@pytest.fixture
def acme(place: Place) -> Iterator[Company]:
    with company(*place, owners=OWNERS) as made:
        yield made


@pytest.fixture
def socket(ledger: Ledger, memory_folder: Path) -> Iterator[Company]:
    with company(ledger, memory_folder, owners=OWNERS) as made:
        yield made


def soon(look: Callable[[], Any], seconds: float = 8.0) -> Any:
    """What `look` finds as soon as it finds anything."""
    end = time.monotonic() + seconds
    while not (found := look()) and time.monotonic() < end:
        time.sleep(0.02)
    return found


def settled(acme: Company) -> None:
    """Nothing waits to be posted, and what may be lost is done."""
    assert soon(lambda: not acme.ledger.notices.waiting())
    time.sleep(0.15)


def press(acme: Company, user: User, message: Message, action: str, value: str = "") -> bool:
    buttons = [one for block in message.blocks if block["type"] == "actions" for one in block["elements"]]
    held = next(one["value"] for one in buttons if one["action_id"] == action)
    return acme.slack.deliveries.press(user.id, message, {
        "type": "button", "action_id": action, "value": value or held})


def asked(acme: Company, channel: Channel, text: str = LEAVE) -> Message:
    """The answer to it."""
    said = acme.ask(acme.ana, channel, at(text))
    return next(m for m in acme.answers(acme.ana, channel) if m.thread_ts == said.ts and NEED_HUMAN in str(m.blocks))


def tagged(acme: Company, channel: Channel, user: User) -> int:
    return sum(m.shown().count(f"<@{user.id}>") for m in acme.slack.workspace.messages
               if m.channel == channel.id and m.user == BOT_USER)


def handed_over(acme: Company, channel: Channel) -> tuple[Message, Message]:
    """The answer, and the message that asks for a human."""
    answer = asked(acme, channel)
    assert press(acme, acme.ana, answer, NEED_HUMAN)
    settled(acme)
    return answer, acme.answers(acme.ana, channel)[-1]


def resolve(acme: Company, user: User, notice: Message, words: str, keep: str = "90") -> None:
    send_resolution(acme, user, notice, words, keep)
    settled(acme)


def send_resolution(acme: Company, user: User, notice: Message, words: str, keep: str = "90") -> None:
    views = acme.slack.workspace.views
    before = len(views)
    assert press(acme, user, notice, RESOLVE)
    assert soon(lambda: len(views) > before)
    assert acme.slack.deliveries.submit(user.id, views[-1], {
        "words": {"words": {"value": words}}, "keep": {"keep": {"selected_option": {"value": keep}}}})


def everybody(acme: Company, name: str = "C1") -> Channel:
    return acme.slack.workspace.channel(name, "all", [acme.ana.id, acme.ben.id, acme.boss.id], "private")


def test_an_owner_who_reads_along_is_tagged_once_in_the_thread(acme: Company) -> None:
    channel = everybody(acme)
    answer, notice = handed_over(acme, channel)
    assert notice.thread_ts == answer.thread_ts and "would like a human" in notice.shown()
    assert tagged(acme, channel, acme.boss) == 1 and tagged(acme, channel, acme.ben) == 0
    [found] = acme.ledger.handoffs.list()
    assert (found.state, found.opened_by) == ("open", "user:ana@acme.test")


def test_a_decline_can_be_handed_over_too(acme: Company) -> None:
    channel = everybody(acme)
    answer = asked(acme, channel, PLAN)
    assert "60 days" not in answer.shown() and press(acme, acme.ana, answer, NEED_HUMAN)
    settled(acme)
    assert tagged(acme, channel, acme.boss) == 1


def test_an_owner_who_does_not_read_along_is_neither_tagged_nor_named(acme: Company) -> None:
    channel = acme.slack.workspace.channel("C1", "two", [acme.ana.id, acme.ben.id], "private")
    answer = asked(acme, channel)
    assert press(acme, acme.ana, answer, NEED_HUMAN)
    assert soon(lambda: NOBODY_HERE in acme.shown(acme.ana, channel))
    settled(acme)
    assert acme.ledger.handoffs.list() == [] and len(acme.answers(acme.ben, channel)) == 1
    assert acme.boss.id not in acme.shown(acme.ana, channel) and "Boss" not in acme.shown(acme.ana, channel)


def test_where_nobody_is_set_whoever_presses_learns_what_to_do(place: Place) -> None:
    with company(*place) as acme:
        channel = everybody(acme)
        assert press(acme, acme.ana, asked(acme, channel), NEED_HUMAN)
        assert soon(lambda: NOBODY_HERE in acme.shown(acme.ana, channel))
        assert "ask whoever runs vouch" in NOBODY_HERE and acme.ledger.handoffs.list() == []


@pytest.mark.parametrize("group", ["group:people", "group:nosuch"])
def test_whoever_sets_owners_does_not_learn_which_groups_there_are(place: Place, group: str) -> None:
    with company(*place) as acme:
        acme.ledger.access.set_directory(acme.access.directory)
        mine = acme.slack.workspace.channel("C1", "mine", [acme.ana.id], "private", creator=acme.ana.id)
        acme.ledger.slack_channels.set("C1", ChannelSettings(owners=(group,)), "slack:U0ANA")
        assert press(acme, acme.ana, asked(acme, mine), NEED_HUMAN)
        assert soon(lambda: NOBODY_HERE in acme.shown(acme.ana, mine))


def test_a_draft_has_no_words_of_a_deleted_question(acme: Company) -> None:
    channel = everybody(acme)
    _, notice = handed_over(acme, channel)
    acme.slack.deliveries.delete(next(one for one in acme.slack.workspace.messages if LEAVE in one.text))
    resolve(acme, acme.ben, notice, "Twelve weeks.")
    assert acme.ledger.drafts.list() == [] and acme.ledger.handoffs.list()[0].words


def test_all_see_who_wants_a_human_and_that_it_is_resolved_without_an_answer(acme: Company) -> None:
    channel = everybody(acme)
    _, notice = handed_over(acme, channel)
    assert "Ana would like a human to answer this." in notice.shown()
    resolve(acme, acme.boss, notice, "")
    assert acme.answers(acme.ana, channel)[-1].shown() == "Boss has resolved it, without an answer."


def test_pressing_again_and_by_others_makes_one_hand_over(acme: Company) -> None:
    channel = everybody(acme)
    answer, _ = handed_over(acme, channel)
    for person in (acme.ana, acme.ben, acme.ana):
        assert press(acme, person, answer, NEED_HUMAN)
    assert soon(lambda: "already" in acme.shown(acme.ben, channel))
    settled(acme)
    assert len(acme.ledger.handoffs.list()) == 1 and tagged(acme, channel, acme.boss) == 1


def test_another_answer_of_the_thread_tags_nobody_again_while_somebody_is_asked(acme: Company) -> None:
    channel = everybody(acme)
    answer, _ = handed_over(acme, channel)
    acme.ask(acme.ana, channel, f"{at(LEAVE)} And within what time?", answer.thread_ts)
    second = acme.answers(acme.ben, channel)[-1]
    assert NEED_HUMAN in str(second.blocks) and press(acme, acme.ana, second, NEED_HUMAN)
    settled(acme)
    assert tagged(acme, channel, acme.boss) == 1 and len(acme.ledger.handoffs.list()) == 1


def test_a_person_may_ask_for_a_human_so_often_within_an_hour(place: Place) -> None:
    with company(*place, owners=OWNERS, handoffs_per_hour=2) as acme:
        channel = everybody(acme)
        for _ in range(3):
            assert press(acme, acme.ana, asked(acme, channel), NEED_HUMAN)
        assert soon(lambda: "2 times within an hour" in acme.shown(acme.ana, channel))
        settled(acme)
        assert tagged(acme, channel, acme.boss) == 2
        assert press(acme, acme.ben, asked(acme, channel), NEED_HUMAN)
        settled(acme)
        assert tagged(acme, channel, acme.boss) == 3 and "2 times" not in acme.shown(acme.ben, channel)


def test_an_answer_of_another_conversation_cannot_be_handed_over_here(acme: Company) -> None:
    private = acme.slack.workspace.channel("C9", "private", [acme.ben.id, acme.boss.id], "private")
    acme.ask(acme.ben, private, at(PLAN))
    [secret] = acme.answers(acme.ben, private)
    value = next(one["value"] for b in secret.blocks if b["type"] == "actions" for one in b["elements"])
    channel = everybody(acme)
    answer = asked(acme, channel)
    assert press(acme, acme.ana, answer, NEED_HUMAN, value)
    assert soon(lambda: "no longer kept" in acme.shown(acme.ana, channel))
    assert acme.ledger.handoffs.list() == []


@EVERYWHERE
def test_taken_and_resolved_are_seen_by_all_and_kept_with_who_and_when(acme: Company) -> None:
    channel = everybody(acme)
    _, notice = handed_over(acme, channel)
    assert press(acme, acme.boss, notice, TAKE) and press(acme, acme.ben, notice, TAKE)
    settled(acme)
    resolve(acme, acme.boss, notice, "Ask *payroll* <!channel> http://evil.test")
    told = acme.shown(acme.ana, channel)
    assert "Boss takes it." in told and "Boss has resolved it." in told and "Ben takes" not in told
    assert "payroll" in told and "<!channel>" not in told and "http://evil" not in told
    [found] = acme.ledger.handoffs.list()
    assert (found.state, found.taken_by, found.resolved_by) == ("resolved", OWNERS, OWNERS)
    assert found.opened_at <= found.taken_at <= found.resolved_at      # type: ignore[operator]
    assert tagged(acme, channel, acme.boss) == 1


def test_who_is_not_surely_known_can_neither_take_nor_resolve(acme: Company) -> None:
    channel = everybody(acme)
    _, notice = handed_over(acme, channel)
    guest = acme.slack.workspace.user("U0GUEST", "Guest", "boss@acme.test", guest=True)
    stranger = acme.slack.workspace.user("U0OUT", "Out", "out@acme.test")
    channel.members.append(guest.id)
    for person in (guest, stranger):
        for action in (TAKE, RESOLVE):
            assert press(acme, person, notice, action)
    assert soon(lambda: "whom vouch knows" in acme.shown(guest, channel))
    assert acme.ledger.handoffs.list()[0].state == "open"
    assert tagged(acme, channel, guest) == 0


def test_a_resolved_answer_waits_as_a_draft_for_exactly_those_who_read_along(acme: Company) -> None:
    channel = everybody(acme)
    _, notice = handed_over(acme, channel)
    resolve(acme, acme.ben, notice, "Twelve weeks, and four more unpaid.", "30")
    [draft] = acme.ledger.drafts.list()
    assert set(draft.access) == {"user:ana@acme.test", "user:ben@acme.test", "user:boss@acme.test"}
    assert (draft.state, draft.by, draft.documents) == ("waiting", "user:ben@acme.test", ("handbook:leave.md",))
    assert draft.expires_at - draft.made_at == timedelta(days=30)
    assert draft.id == draft_id(acme.ledger.handoffs.list()[0].answer_id)
    assert not HumanAnswers(acme.home, acme.ledger).folder.exists()


def test_no_draft_where_a_reader_is_not_surely_known(acme: Company) -> None:
    """`public` stands for whoever is not known: as access it would let everybody in."""
    channel = everybody(acme)
    _, notice = handed_over(acme, channel)
    channel.members.append(acme.slack.workspace.user("U0GUEST", "Guest", guest=True).id)
    resolve(acme, acme.boss, notice, "Twelve weeks.")
    assert acme.ledger.drafts.list() == [] and acme.ledger.handoffs.list()[0].state == "resolved"
    assert "not kept" in str(acme.slack.workspace.views[-1])
    assert not any(PUBLIC in one.access for one in acme.ledger.drafts.list())


@EVERYWHERE
def test_an_owner_who_read_along_approves_and_it_becomes_a_document_for_those_readers(acme: Company) -> None:
    channel = everybody(acme)
    _, notice = handed_over(acme, channel)
    resolve(acme, acme.ben, notice, "Twelve weeks, and four more unpaid.")
    direct = acme.slack.workspace.direct(acme.boss.id)
    [shown] = acme.answers(acme.boss, direct)
    before = replace(shown)
    assert "four more unpaid" in shown.shown() and "3 people may read it" in shown.shown()
    for other in (acme.ana, acme.ben):
        assert acme.answers(other, acme.slack.workspace.direct(other.id)) == []
        press(acme, other, shown, APPROVE)
    assert acme.ledger.drafts.list()[0].state == "waiting"
    press(acme, acme.boss, shown, APPROVE)
    press(acme, acme.boss, before, APPROVE)
    [draft] = acme.ledger.drafts.list()
    place = HumanAnswers(acme.home, acme.ledger)
    assert (draft.state, draft.decided_by) == ("approved", OWNERS)
    assert "four more unpaid" in (place.folder / draft.path).read_text()
    assert "user:ana@acme.test" in place.rules.read_text()
    assert soon(lambda: "Approved by boss" in shown.shown() and f"on {draft.decided_at:%Y-%m-%d}" in shown.shown())
    assert "four more unpaid" in shown.shown() and "[Approve]" not in shown.shown() and "[Refuse]" not in shown.shown()
    press(acme, acme.boss, shown, REFUSE)
    assert soon(lambda: "Refused by boss" in shown.shown() and "[Take it back]" not in shown.shown())
    assert acme.ledger.drafts.list()[0].state == "refused"


def test_an_owner_who_did_not_read_along_neither_sees_nor_decides(place: Place) -> None:
    with company(*place, owners="user:boss@acme.test, user:otto@acme.test") as acme:
        otto = acme.slack.workspace.user("U0OTTO", "Otto", "otto@acme.test")
        channel = everybody(acme)
        _, notice = handed_over(acme, channel)
        assert tagged(acme, channel, otto) == 0
        resolve(acme, acme.ana, notice, "Twelve weeks, and four more unpaid.")
        assert "four more" not in acme.shown(otto, acme.slack.workspace.direct(otto.id))
        [shown] = acme.answers(acme.boss, acme.slack.workspace.direct(acme.boss.id))
        press(acme, acme.ana, shown, APPROVE)                   # no owner, and who wrote it
        assert acme.ledger.drafts.list()[0].state == "waiting"
        press(acme, otto, shown, APPROVE)
        press(acme, otto, shown, REFUSE)
        assert acme.ledger.drafts.list()[0].state == "waiting"
        press(acme, acme.boss, shown, REFUSE)
        assert acme.ledger.drafts.list()[0].state == "refused"
        assert not HumanAnswers(acme.home, acme.ledger).folder.exists()


def test_who_is_set_for_a_channel_is_called_and_decides_nothing(place: Place) -> None:
    """Whoever creates a channel says whom to call there."""
    with company(*place, owners="user:boss@acme.test") as acme:
        channel = everybody(acme)
        acme.ledger.slack_channels.set(channel.id, ChannelSettings(owners=("user:ben@acme.test",)), "slack:U0BEN")
        _, notice = handed_over(acme, channel)
        assert tagged(acme, channel, acme.ben) == 1
        resolve(acme, acme.ana, notice, "Send ben your password.")
        [shown] = acme.answers(acme.boss, acme.slack.workspace.direct(acme.boss.id))
        assert acme.answers(acme.ben, acme.slack.workspace.direct(acme.ben.id)) == []
        press(acme, acme.ben, shown, APPROVE)
        assert acme.ledger.drafts.list()[0].state == "waiting"
        press(acme, acme.boss, shown, REFUSE)
        assert acme.ledger.drafts.list()[0].state == "refused"


def test_nobody_decides_about_their_own_words(place: Place) -> None:
    with company(*place, owners="user:boss@acme.test, user:ben@acme.test") as acme:
        _, notice = handed_over(acme, everybody(acme))
        resolve(acme, acme.boss, notice, "Twelve weeks.")
        [shown] = acme.answers(acme.ben, acme.slack.workspace.direct(acme.ben.id))
        assert acme.answers(acme.boss, acme.slack.workspace.direct(acme.boss.id)) == []
        press(acme, acme.boss, shown, APPROVE)
        assert acme.ledger.drafts.list()[0].state == "waiting"
        press(acme, acme.ben, shown, APPROVE)
        assert acme.ledger.drafts.list()[0].state == "approved"


def test_an_owner_who_cannot_be_written_to_keeps_no_other_from_being_told(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    with company(*place, owners="user:ben@acme.test, user:boss@acme.test") as acme:
        _, notice = handed_over(acme, everybody(acme))
        direct = Accounts.direct

        def refused(self: Accounts, user: str) -> str:
            if user == acme.ben.id:
                raise Denied("this account takes no messages")
            return direct(self, user)

        monkeypatch.setattr(Accounts, "direct", refused)
        resolve(acme, acme.ana, notice, "Twelve weeks.")
        assert len(acme.answers(acme.boss, acme.slack.workspace.direct(acme.boss.id))) == 1


def test_an_owner_whom_slack_does_not_tell_of_keeps_no_other_from_being_told(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    with company(*place, owners="user:ben@acme.test, user:boss@acme.test") as acme:
        _, notice = handed_over(acme, everybody(acme))
        tag, ben, boss = Accounts.tag, *(acme.slack.workspace.direct(one.id) for one in (acme.ben, acme.boss))

        def refused(self: Accounts, user: str) -> str | None:
            if user == acme.ben.id:
                raise OddRefusal("Slack: users.info: something_new")
            return tag(self, user)

        with monkeypatch.context() as away:
            away.setattr(Accounts, "tag", refused)
            send_resolution(acme, acme.ana, notice, "Twelve weeks.")
            assert soon(lambda: acme.answers(acme.boss, boss)) and not acme.answers(acme.ben, ben)
        for waiting in acme.ledger.notices.waiting():
            acme.ledger.notices.later(waiting, acme.now())
        assert soon(lambda: acme.answers(acme.ben, ben)) and len(acme.answers(acme.boss, boss)) == 1


def test_nobody_decides_about_what_they_cannot_see_whole(place: Place) -> None:
    with company(*place, owners="user:boss@acme.test") as acme:
        _, notice = handed_over(acme, everybody(acme))
        resolve(acme, acme.ana, notice, "Twelve weeks." + "&" * 2900)
        assert acme.ledger.drafts.list() == []


HIDDEN = "\ufe0f\u3164\uffa0\u115f\u1160\u2800\u034f\u180b\u200b\u2063\u00ad\u202e\U000e0041\U000e0101"


@EVERYWHERE
def test_what_nobody_sees_is_in_no_document(acme: Company) -> None:
    channel = everybody(acme)
    answer = asked(acme, channel, LEAVE.replace("parents", f"par{HIDDEN}ents"))
    press(acme, acme.ana, answer, NEED_HUMAN)
    settled(acme)
    resolve(acme, acme.ben, acme.answers(acme.ana, channel)[-1], f"Twelve{HIDDEN} weeks ❤️ 👨‍👩‍👧.")
    [shown] = acme.answers(acme.boss, acme.slack.workspace.direct(acme.boss.id))
    press(acme, acme.boss, shown, APPROVE)
    [draft] = acme.ledger.drafts.list((APPROVED,))
    written = (HumanAnswers(acme.home, acme.ledger).folder / draft.path).read_text()
    assert (draft.question, draft.text) == (LEAVE, "Twelve weeks ❤ 👨👩👧.") and set(HIDDEN).isdisjoint(written)
    assert LEAVE in shown.shown() and draft.text in shown.shown()


def test_what_nobody_sees_of_a_draft_of_an_earlier_release_is_neither_shown_nor_kept(
    acme: Company, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bots.slack.handoff.handover.legible", str)
    _, notice = handed_over(acme, everybody(acme))
    resolve(acme, acme.ben, notice, f"Twelve{HIDDEN} weeks.")
    [shown] = acme.answers(acme.boss, acme.slack.workspace.direct(acme.boss.id))
    press(acme, acme.boss, shown, APPROVE)
    [draft] = acme.ledger.drafts.list((APPROVED,))
    written = (HumanAnswers(acme.home, acme.ledger).folder / draft.path).read_text()
    assert "Twelve weeks." in written and set(HIDDEN).isdisjoint(written + str(shown.blocks))


def test_words_without_a_letter_that_shows_are_not_kept(acme: Company) -> None:
    _, notice = handed_over(acme, everybody(acme))
    resolve(acme, acme.ben, notice, HIDDEN)
    assert acme.ledger.drafts.list() == [] and "not kept" in str(acme.slack.workspace.views[-1])


def test_who_asked_for_a_human_and_who_took_it_talk_without_being_answered_unless_they_mention_it(
    acme: Company
) -> None:
    channel = everybody(acme)
    answer, notice = handed_over(acme, channel)
    assert "for a day at most, I answer Ana here only where I am mentioned" in notice.shown()
    assert press(acme, acme.boss, notice, TAKE)
    settled(acme)
    before = len(acme.answers(acme.ana, channel))
    for person in (acme.ana, acme.boss):
        for said in ("What have you tried so far?", LEAVE):     # the second would be answered at any other time
            acme.ask(person, channel, said, answer.thread_ts)
    assert len(acme.answers(acme.ana, channel)) == before
    acme.ask(acme.boss, channel, at(LEAVE), answer.thread_ts)
    acme.ask(acme.ben, channel, LEAVE, answer.thread_ts)        # neither of them
    assert len(acme.answers(acme.ana, channel)) == before + 2
    resolve(acme, acme.boss, notice, "Done.")
    acme.ask(acme.ana, channel, LEAVE, answer.thread_ts)
    assert "12 weeks" in acme.answers(acme.ana, channel)[-1].shown()


def test_a_human_who_does_not_come_within_a_day_is_not_waited_for(
    acme: Company, monkeypatch: pytest.MonkeyPatch
) -> None:
    channel = everybody(acme)
    answer, _ = handed_over(acme, channel)
    seen = len(acme.answers(acme.ana, channel))
    for later, answered in ((timedelta(hours=23), 0), (timedelta(hours=25), 1)):
        monkeypatch.setattr("consumers.wiring.slack.questions.now", lambda later=later: datetime.now(UTC) + later)
        acme.ask(acme.ana, channel, LEAVE, answer.thread_ts)
        assert len(acme.answers(acme.ana, channel)) == seen + answered


@pytest.mark.parametrize("kind", ["lost", "500", "reset", "429", "done500"])
def test_a_message_about_it_comes_once_whatever_becomes_of_the_post(socket: Company, kind: str) -> None:
    channel = everybody(socket)
    answer = asked(socket, channel)
    socket.slack.fault("chat.postMessage", kind)
    assert press(socket, socket.ana, answer, NEED_HUMAN)
    assert soon(lambda: not socket.ledger.notices.waiting(), 45)
    assert tagged(socket, channel, socket.boss) == 1


@pytest.mark.parametrize("posted", [False, True])
def test_a_bot_that_is_killed_after_the_press_tags_the_owner_all_the_same_and_once(
    ledger: Ledger, memory_folder: Path, monkeypatch: pytest.MonkeyPatch, posted: bool
) -> None:
    """Killed before the post, or between the post and its mark in the ledger."""
    with SlackServer() as slack:
        acme = Company(slack, ledger, memory_folder, "socket", owners=OWNERS)
        if not posted:
            monkeypatch.setattr(Upkeep, "begin", lambda self: None)
        else:
            monkeypatch.setattr("vouch.adapters.ledger.notices.Notices.finish", lambda *_: None)
        acme.start()
        assert acme.bot is not None
        with closing(acme.bot):
            channel = everybody(acme)
            answer = asked(acme, channel)
            assert press(acme, acme.ana, answer, NEED_HUMAN)
            if posted:
                assert soon(lambda: tagged(acme, channel, acme.boss) == 1)
        assert len(ledger.notices.waiting()) == 1 and tagged(acme, channel, acme.boss) == int(posted)
        monkeypatch.undo()
        ledger.notices.later(ledger.notices.waiting()[0], datetime.now(UTC))
        with closing(build_slack_bot(acme.settings)) as again:
            again.begin()
            assert soon(lambda: not ledger.notices.waiting())
        assert tagged(acme, channel, acme.boss) == 1
