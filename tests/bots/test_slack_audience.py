"""Whatever happens in the workspace: nobody sees a passage that they may not read at the moment it is posted."""

from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import replace
from typing import Any, ClassVar

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test
from ledger_place import new_ledger
from memory import folder_in_memory
from slack_company import LEAVE, PLAN, VPN, Company, at, company
from slack_server import Message
from slack_server.workspace import BOT_USER

from bots.slack.members import SlackConversations
from vouch.access import Label, Person

pytestmark = pytest.mark.integration

TELLS = {"leave": "12 weeks", "plan": "60 days", "vpn": "90 days"}
PEOPLE, CHANNELS = ("U0ANA", "U0BEN", "U0BOSS"), ("C1", "C2")
ODD = ("guest", "unconfirmed", "deleted", "is_bot")
GROUPS = st.lists(st.sampled_from(["people", "engineering"]), unique=True).map(tuple)
LABELS = st.sampled_from(["public", "group:people", "group:engineering", "user:ana@acme.test"])
QUICK = settings(max_examples=8, stateful_step_count=25, deadline=None, suppress_health_check=list(HealthCheck))
LONG = settings(QUICK, max_examples=60, stateful_step_count=50)
HUNT = settings(QUICK, max_examples=300, stateful_step_count=40, phases=[Phase.generate], database=None)


class Workspace(RuleBasedStateMachine):
    """`unfit` says what somebody saw and may not read; the counts say how much was tried."""

    steps: ClassVar[int] = 0
    shown: ClassVar[dict[str, int]] = {}

    def __init__(self) -> None:
        super().__init__()
        self.stack = ExitStack()

    @initialize()
    def begin(self) -> None:
        home = self.stack.enter_context(folder_in_memory())
        ledger = self.stack.enter_context(closing(new_ledger(home / "ledger.sqlite")))
        self.acme: Company = self.stack.enter_context(company(ledger, home, "http"))
        space = self.acme.slack.workspace
        space.channel("C1", "one", ["U0ANA", "U0BEN"], "private")
        space.channel("C2", "two", ["U0BEN", "U0BOSS"])
        self.unfit: list[str] = []
        put = space.put

        def look(message: Message) -> Message:
            if message.user == BOT_USER and message.blocks:
                self.check(message)
            return put(message)

        space.put = look  # type: ignore[method-assign]

    def check(self, message: Message) -> None:
        """By the plainest reading of the promise, with nothing of the code under test."""
        words = message.shown()
        for name, tell in TELLS.items():
            if tell in words:
                Workspace.shown[name] = Workspace.shown.get(name, 0) + 1
                for member in self.acme.slack.workspace.channels[message.channel].members:
                    if member != BOT_USER and not self.may_read(member, message.channel, name):
                        self.unfit.append(f"{member} sees {name} in {message.channel}")

    def may_read(self, member: str, channel: str, name: str) -> bool:
        [tag] = self.acme.world.index.labels[name].allowed
        user, place = self.acme.slack.workspace.users[member], self.acme.slack.workspace.channels[channel]
        if tag == "public" or user.deleted:
            return True
        known = self.acme.access.directory.people.get(user.email.lower())
        if user.guest or not user.confirmed or user.is_bot or place.shared or known is None:
            return False
        return tag == f"user:{user.email.lower()}" or tag in {f"group:{group}" for group in known.groups}

    @rule(channel=st.sampled_from(CHANNELS), person=st.sampled_from(PEOPLE),
          question=st.sampled_from([LEAVE, PLAN, VPN]), answered=st.booleans(), untagged=st.booleans())
    def ask(self, channel: str, person: str, question: str, answered: bool, untagged: bool) -> None:
        place = self.acme.slack.workspace.channels[channel]
        roots = [m for m in self.acme.slack.workspace.messages if m.channel == channel and m.thread_ts is None]
        thread = roots[-1].ts if untagged and roots else None
        self.acme.slack.deliveries.say(person, place, question if thread else at(question), thread)
        self.after(answered)

    @rule(person=st.sampled_from(PEOPLE), question=st.sampled_from([LEAVE, PLAN, VPN]), answered=st.booleans())
    def ask_directly(self, person: str, question: str, answered: bool) -> None:
        self.acme.slack.deliveries.say(person, self.acme.slack.workspace.direct(person), question)
        self.after(answered)

    @precondition(lambda self: any(self.buttons()))
    @rule(person=st.sampled_from(PEOPLE), data=st.data())
    def ask_privately(self, person: str, data: st.DataObject) -> None:
        message, value = data.draw(st.sampled_from(list(self.buttons())))
        self.acme.slack.deliveries.press(person, message, {
            "type": "button", "action_id": "vouch_ask_privately", "value": value})
        self.after(True)

    def buttons(self) -> Iterator[tuple[Message, str]]:
        for message in self.acme.slack.workspace.messages:
            for block in message.blocks:
                if block["type"] == "actions":
                    yield message, block["elements"][0]["value"]

    @rule()
    def work(self) -> None:
        self.after(True)

    @rule(channel=st.sampled_from(CHANNELS), person=st.sampled_from(PEOPLE))
    def join_or_leave(self, channel: str, person: str) -> None:
        members = self.acme.slack.workspace.channels[channel].members
        members.remove(person) if person in members else members.append(person)
        self.after(False)

    @rule(person=st.sampled_from(PEOPLE), odd=st.sampled_from(["", "", "", *ODD]))
    def account(self, person: str, odd: str) -> None:
        user = self.acme.slack.workspace.users[person]
        user.guest, user.deleted, user.is_bot = odd == "guest", odd == "deleted", odd == "is_bot"
        user.confirmed = odd != "unconfirmed"
        self.after(False)

    @rule(channel=st.sampled_from(CHANNELS), shared=st.sampled_from([False, False, True]))
    def share(self, channel: str, shared: bool) -> None:
        self.acme.slack.workspace.channels[channel].shared = shared
        self.after(False)

    @rule(email=st.sampled_from(["ana@acme.test", "ben@acme.test", "boss@acme.test"]), groups=st.none() | GROUPS)
    def directory(self, email: str, groups: tuple[str, ...] | None) -> None:
        people = {k: v for k, v in self.acme.access.directory.people.items() if k != email}
        more = {} if groups is None else {email: Person(groups)}
        self.acme.access.directory = replace(self.acme.access.directory, people=people | more)
        self.after(False)

    @rule(name=st.sampled_from(list(TELLS)), tag=LABELS)
    def label(self, name: str, tag: str) -> None:
        self.acme.world.index.labels[name] = Label(frozenset({tag}))
        self.after(False)

    def after(self, answered: bool) -> None:
        Workspace.steps += 1
        if answered:
            self.acme.answer_all()
        assert self.unfit == []

    def teardown(self) -> None:
        self.stack.close()


def test_nobody_sees_what_they_may_not_read() -> None:
    run_state_machine_as_test(Workspace, settings=QUICK)  # type: ignore[no-untyped-call]


@pytest.mark.slow
def test_nobody_does_in_two_thousand_steps(capsys: pytest.CaptureFixture[str]) -> None:
    Workspace.steps, Workspace.shown = 0, {}
    run_state_machine_as_test(Workspace, settings=LONG)  # type: ignore[no-untyped-call]
    with capsys.disabled():
        print(f"\n{Workspace.steps} steps, passages shown: {Workspace.shown}")
    assert Workspace.steps >= 2000 and Workspace.shown.keys() == TELLS.keys()


def only_one_reads(self: Any, conversation: str) -> tuple[str, ...]:
    """The planted bug: the rights of one member decide for all."""
    tags = SOUND(self, conversation)
    return tags[:1]


def remembers(self: Any, conversation: str) -> tuple[str, ...]:
    """The planted bug: who was there when somebody first looked is there for ever."""
    known = self.__dict__.setdefault("known", {})
    return known.setdefault(conversation, SOUND(self, conversation))


SOUND = SlackConversations.readers


@pytest.mark.slow
@pytest.mark.parametrize("bug", [only_one_reads, remembers])
def test_a_planted_bug_is_found(monkeypatch: pytest.MonkeyPatch, bug: Any) -> None:
    monkeypatch.setattr(SlackConversations, "readers", bug)
    with pytest.raises(Exception, match="sees"):
        run_state_machine_as_test(Workspace, settings=HUNT)  # type: ignore[no-untyped-call]


