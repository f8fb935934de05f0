"""Whatever happens in the workspace: nobody sees a passage that they may not read at the moment it is posted."""

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, closing
from dataclasses import replace
from typing import Any, ClassVar

import pytest
from homes.memory import folder_in_memory
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test
from machines.ledger_place import new_ledger
from running.soak_table import Figures
from slack_scene.slack_company import LEAVE, PLAN, VPN, Company, at, company, looks_into_the_same_index
from slack_scene.slack_slow import held, streamed

from bots.slack import questions
from bots.slack.api import SlackApi
from bots.slack.hearing import asking
from bots.slack.identity.channel_members import SlackConversations
from bots.slack.place import Place
from bots.slack.progress import watched
from bots.slack.simulator import Message
from bots.slack.simulator.workspace import BOT_USER
from consumers.questions.own_answers import OwnAnswers
from vouch.access import Audience, Label, Person
from vouch.adapters.ledger import SentAnswer
from vouch.messages import QuestionAsked, TagsAudience

pytestmark = pytest.mark.integration

TELLS = {"leave": "12 weeks", "plan": "60 days", "vpn": "90 days"}
PEOPLE, CHANNELS = ("U0ANA", "U0BEN", "U0BOSS"), ("C1", "C2")
PLACES = (*CHANNELS, "G1")
ODD = ("guest", "unconfirmed", "deleted", "is_bot")
GROUPS = st.lists(st.sampled_from(["people", "engineering"]), unique=True).map(tuple)
LABELS = st.sampled_from(["public", "group:people", "group:engineering", "user:ana@acme.test"])
PICKS = st.integers(0, 999)             # whatever is there: how much that is may depend on how busy the machine is
QUESTIONS = st.sampled_from([LEAVE, PLAN, VPN])
QUICK = settings(max_examples=6, stateful_step_count=25, deadline=None, suppress_health_check=list(HealthCheck))
LONG = settings(QUICK, max_examples=60, stateful_step_count=50)
HUNT = settings(QUICK, max_examples=300, stateful_step_count=40, phases=[Phase.generate], database=None)


class Workspace(RuleBasedStateMachine):
    """`unfit` says what somebody saw and may not read; the counts say how much was tried."""

    steps: ClassVar[int] = 0
    shown: ClassVar[dict[str, int]] = {}
    shares: ClassVar[int] = 0
    streams: ClassVar[int] = 0
    traces: ClassVar[int] = 0
    homes: ClassVar[int] = 0
    leaks: ClassVar[int] = 0
    mode: ClassVar[str] = "http"

    def __init__(self) -> None:
        super().__init__()
        self.stack = ExitStack()

    @initialize()
    def begin(self) -> None:
        home = self.stack.enter_context(folder_in_memory())
        ledger = self.stack.enter_context(closing(new_ledger(home / "ledger.sqlite")))
        self.acme: Company = self.stack.enter_context(company(ledger, home, self.mode))
        space = self.acme.slack.workspace
        space.channel("C1", "one", ["U0ANA", "U0BEN"], "private")
        space.channel("C2", "two", ["U0BEN", "U0BOSS"])
        space.channel("G1", "mpdm-ana--ben-1", ["U0ANA", "U0BEN"], "mpim")
        looks_into_the_same_index(self.acme, self.stack.enter_context(pytest.MonkeyPatch.context()))
        self.unfit: list[str] = []
        put, answer = space.put, self.acme.slack.answer

        def look(message: Message) -> Message:
            self.check(message)
            return put(message)

        def rewritten(name: str, token: str, given: dict[str, Any], **more: Any) -> dict[str, Any]:
            told = answer(name, token, given, **more)
            if name in ("chat.update", "chat.appendStream", "chat.stopStream"):
                for message in [one for one in space.messages if one.ts == told.get("ts")]:
                    self.check(message)
            if name == "views.publish" and told["ok"]:
                Workspace.homes += "What you asked" in str(given["view"])
                self.check_words(str(given["view"]), "the home tab", [given["user_id"]])
            return told

        space.put, self.acme.slack.answer = look, rewritten  # type: ignore[method-assign, assignment]

    def check(self, message: Message) -> None:
        """By the plainest reading of the promise, with nothing of the code under test; notifications show `text`."""
        if message.user == BOT_USER:
            inside = self.acme.slack.workspace.channels[message.channel].members
            words = f"{message.shown()}\n{message.text}"
            Workspace.traces += "Passages looked at" in words
            self.check_words(words, message.channel, inside if message.only_for is None else [message.only_for])

    def check_words(self, words: str, where: str, readers: Iterable[str]) -> None:
        """Of a document its title counts, too: that of a source, and of a passage that a trace names."""
        words = words.replace("\u2060", "")
        for name, tell in TELLS.items():
            if tell in words or f"{name}.md" in words:
                Workspace.shown[name] = Workspace.shown.get(name, 0) + 1
                for member in readers:
                    if member != BOT_USER and not self.may_read(member, where, name):
                        self.unfit.append(f"{member} sees {name} in {where}")

    def may_read(self, member: str, where: str, name: str) -> bool:
        [tag] = self.acme.world.index.labels[name].allowed
        user, place = self.acme.slack.workspace.users[member], self.acme.slack.workspace.channels.get(where)
        if tag == "public" or user.deleted:
            return True
        known = self.acme.access.directory.people.get(user.email.lower())
        if user.guest or not user.confirmed or user.is_bot or known is None or (place and place.shared):
            return False
        return tag == f"user:{user.email.lower()}" or tag in {f"group:{group}" for group in known.groups}

    @rule(channel=st.sampled_from(PLACES), person=st.sampled_from(PEOPLE),
          question=QUESTIONS, answered=st.booleans(), untagged=st.booleans())
    def ask(self, channel: str, person: str, question: str, answered: bool, untagged: bool) -> None:
        place = self.acme.slack.workspace.channels[channel]
        roots = [m for m in self.acme.slack.workspace.messages if m.channel == channel and m.thread_ts is None]
        thread = roots[-1].ts if untagged and roots else None
        self.acme.slack.deliveries.say(person, place, question if thread else at(question), thread)
        self.after(answered)

    @rule(channel=st.sampled_from(PLACES), asker=st.sampled_from(PEOPLE), question=QUESTIONS,
          mover=st.none() | st.sampled_from(PEOPLE))
    def ask_and_watch(self, channel: str, asker: str, question: str, mover: str | None) -> None:
        """Stages are shown while it works, and somebody may come or go before the answer takes their place."""
        before = len(streamed(self.acme))
        self.acme.slack.deliveries.say(asker, self.acme.slack.workspace.channels[channel], at(question))
        with held(self.acme) as gate:
            end = time.monotonic() + 1.0
            while gate.reached.wait(0.1) and time.monotonic() < end and len(streamed(self.acme)) == before:
                time.sleep(0.01)
            if mover is not None and channel in CHANNELS:
                self.join_or_leave(channel, mover)
        Workspace.streams += len(streamed(self.acme)) - before
        self.after(False)

    @rule(person=st.sampled_from(PEOPLE), question=QUESTIONS, answered=st.booleans())
    def ask_directly(self, person: str, question: str, answered: bool) -> None:
        self.acme.slack.deliveries.say(person, self.acme.slack.workspace.direct(person), question)
        self.after(answered)

    @precondition(lambda self: any(self.buttons("vouch_ask_privately")))
    @rule(person=st.sampled_from(PEOPLE), data=st.data())
    def ask_privately(self, person: str, data: st.DataObject) -> None:
        """Anybody may press, also what only another sees: a button is no proof of anything."""
        self.press(person, data, "vouch_ask_privately")

    @precondition(lambda self: any(self.buttons("vouch_share")))
    @rule(person=st.sampled_from(PEOPLE), data=st.data())
    def share_with_the_channel(self, person: str, data: st.DataObject) -> None:
        self.press(person, data, "vouch_share")

    def press(self, person: str, data: st.DataObject, action_id: str) -> None:
        every = list(self.buttons(action_id))
        message, value = every[data.draw(PICKS) % len(every)]
        by = message.only_for or (person if action_id == "vouch_ask_privately" else self.owner(message))
        before = len(self.acme.slack.workspace.messages)
        self.acme.slack.deliveries.press(by, message, {"type": "button", "action_id": action_id, "value": value})
        self.after(True)
        if action_id == "vouch_share":
            Workspace.shares += any(m.metadata and m.channel in PLACES
                                    for m in self.acme.slack.workspace.messages[before:])

    def owner(self, message: Message) -> str:
        return next(one for one in self.acme.slack.workspace.channels[message.channel].members if one != BOT_USER)

    def buttons(self, action_id: str) -> Iterator[tuple[Message, str]]:
        for message in self.acme.slack.workspace.messages:
            for block in message.blocks:
                if block["type"] == "actions" and block["elements"][0]["action_id"] == action_id:
                    yield message, block["elements"][0]["value"]

    @rule(person=st.sampled_from(PEOPLE))
    def open_the_home_tab(self, person: str) -> None:
        self.acme.slack.deliveries.opened(person, "home")
        self.looked()

    @precondition(lambda self: any(self.answer_ids()))
    @rule(person=st.sampled_from(PEOPLE), data=st.data())
    def ask_why(self, person: str, data: st.DataObject) -> None:
        """Anybody may have learned the id."""
        every = list(self.answer_ids())
        named = every[data.draw(PICKS) % len(every)]
        deliveries = self.acme.slack.deliveries
        deliveries.command(person, self.acme.slack.workspace.direct(person), "/vouch", f"why {named}")
        self.looked()

    def answer_ids(self) -> Iterator[str]:
        for message in self.acme.slack.workspace.messages:
            if message.metadata and "answer_id" in message.metadata["event_payload"]:
                yield str(message.metadata["event_payload"]["answer_id"])

    def looked(self) -> None:
        assert self.acme.bot is not None
        self.acme.bot.rest()
        self.after(False)

    @rule()
    def work(self) -> None:
        self.after(True)

    @rule(channel=st.sampled_from(CHANNELS), person=st.sampled_from(PEOPLE))
    def join_or_leave(self, channel: str, person: str) -> None:
        place = self.acme.slack.workspace.channels[channel]
        tell = self.acme.slack.deliveries
        (tell.leave if person in place.members else tell.join)(person, place)
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
        Workspace.leaks += len(self.unfit)
        assert self.unfit == []

    def teardown(self) -> None:
        self.stack.close()


class SomebodyJoins(Workspace):
    """Drawn histories in which a channel is answered in, somebody else comes, and it is answered in again.

    Whatever else happens in between is drawn as ever, and so is who comes and what is asked.
    """

    @rule(channel=st.sampled_from(CHANNELS), data=st.data())
    def somebody_comes(self, channel: str, data: st.DataObject) -> None:
        place = self.acme.slack.workspace.channels[channel]
        asker = data.draw(st.sampled_from(sorted(set(place.members) - {BOT_USER}) or [PEOPLE[0]]))
        self.ask(channel, asker, data.draw(QUESTIONS), True, False)
        for person in data.draw(st.permutations(PEOPLE)):
            if person not in place.members:
                self.join_or_leave(channel, person)
                break
        self.ask(channel, asker, data.draw(QUESTIONS), True, False)


class SomebodyLooksBack(Workspace):
    """Drawn histories in which somebody asks, what was told is relabelled, and they look at their answers again."""

    @rule(person=st.sampled_from(PEOPLE), asked=st.sampled_from([("leave", LEAVE), ("plan", PLAN), ("vpn", VPN)]),
          tag=LABELS)
    def somebody_looks_back(self, person: str, asked: tuple[str, str], tag: str) -> None:
        name, question = asked
        self.ask_directly(person, question, True)
        self.label(name, tag)
        self.open_the_home_tab(person)
        if answers := list(self.answer_ids()):
            deliveries = self.acme.slack.deliveries
            deliveries.command(person, self.acme.slack.workspace.direct(person), "/vouch", f"why {answers[-1]}")
            self.looked()


@pytest.fixture(autouse=True)
def no_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every answer is streamed that can be: these come sooner than Slack is told of stages."""
    monkeypatch.setattr(watched, "PATIENCE_S", 0.0)


@pytest.mark.parametrize(("histories", "mode"), [
    (Workspace, "http"), (SomebodyJoins, "socket"), (SomebodyLooksBack, "http")])
def test_nobody_sees_what_they_may_not_read(
    histories: type[Workspace], mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Workspace, "mode", mode)
    monkeypatch.setattr(Workspace, "shown", {})
    run_state_machine_as_test(histories, settings=QUICK)  # type: ignore[no-untyped-call]
    assert Workspace.shown, "nobody saw anything"


@pytest.mark.soak
def test_nobody_does_in_two_thousand_steps(figures: Figures) -> None:
    Workspace.steps, Workspace.shown, Workspace.shares, Workspace.streams = 0, {}, 0, 0
    Workspace.traces, Workspace.homes = 0, 0
    run_state_machine_as_test(Workspace, settings=LONG)  # type: ignore[no-untyped-call]
    figures("Slack: people come, go, and become guests, documents and groups change, answers are streamed and shared",
            f"{Workspace.steps:,} steps, {sum(Workspace.shown.values())} passages shown, "
            f"{Workspace.streams} answers streamed, {Workspace.shares} shared, {Workspace.traces} traces and "
            f"{Workspace.homes} home tabs with questions",
            "0 passages seen by somebody who may not read them")
    assert Workspace.steps >= 2000 and Workspace.shown.keys() == TELLS.keys()
    assert Workspace.shares and Workspace.streams and Workspace.traces and Workspace.homes


def for_whoever_asks(place: Place, name: str, text: str, asker: str, *times: Any, **how: Any) -> QuestionAsked:
    """The planted bug: the rights of who asks decide, whoever reads along."""
    sound = QUESTION(place, name, text, asker, *times, **how)
    return sound.model_copy(update={"audience": TagsAudience(tags=(asker,))})


def only_one_reads(self: Any, conversation: str, *, anew: bool = False) -> tuple[str, ...]:
    """The planted bug: the rights of one member decide for all."""
    tags = SOUND(self, conversation, anew=anew)
    return tags[:1]


def remembers(self: Any, conversation: str, *, anew: bool = False) -> tuple[str, ...]:
    """The planted bug: who was there when somebody first looked is there for ever."""
    known = self.__dict__.setdefault("known", {})
    return known.setdefault(conversation, SOUND(self, conversation, anew=anew))


def tells(method: str, field: str) -> Callable[..., Any]:
    """The planted bug: one call says more than the answer does."""

    def call(self: SlackApi, name: str, **given: Any) -> Any:
        if name == method:
            said = " ".join(TELLS.values())
            given[field] = [{"type": "markdown", "text": said}] if field == "blocks" else said
        return CALL(self, name, **given)

    return call


SOUND, CALL, QUESTION = SlackConversations.readers, SlackApi.call, questions.question


def hunt(histories: type[Workspace], how: settings = HUNT) -> None:
    """Fails where no drawn history shows a leak; a search that stumbles over something else begins anew."""
    Workspace.leaks, stumbled = 0, []
    for _ in range(4):
        try:
            run_state_machine_as_test(histories, settings=how)  # type: ignore[no-untyped-call]
        except Exception as error:
            stumbled.append(repr(error))
        if Workspace.leaks:
            return
    pytest.fail(f"the planted bug was not found: {stumbled}")


@pytest.mark.slow
def test_answers_with_the_rights_of_who_asks_are_found_in_the_usual_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """By histories that nobody helped."""
    monkeypatch.setattr(asking, "question", for_whoever_asks)
    hunt(Workspace, settings(QUICK, phases=[Phase.generate], database=None))


@pytest.mark.slow
@pytest.mark.parametrize("bug", [only_one_reads, remembers])
def test_a_planted_bug_is_found(monkeypatch: pytest.MonkeyPatch, bug: Any) -> None:
    monkeypatch.setattr(SlackConversations, "readers", bug)
    hunt(SomebodyJoins)


def shows_what_was_asked(self: OwnAnswers, rights: str, sent: SentAnswer) -> bool:
    """The planted bug: the home tab has answers as they were, whoever may read them now."""
    return True


def tells_all(self: OwnAnswers, rights: str) -> Audience:
    """The planted bug: a trace names passages that its asker may not read any more."""
    return self.permissions.permissions().directory.audience(["user:boss@acme.test"], self.clock())


@pytest.mark.slow
@pytest.mark.parametrize(("name", "bug"), [("_may_see", shows_what_was_asked), ("_audience", tells_all)])
def test_home_tab_and_traces_are_looked_at(monkeypatch: pytest.MonkeyPatch, name: str, bug: Any) -> None:
    monkeypatch.setattr(OwnAnswers, name, bug)
    hunt(SomebodyLooksBack)


@pytest.mark.slow
@pytest.mark.parametrize(("method", "field"), [("chat.stopStream", "blocks"), ("chat.postMessage", "text")])
def test_whatever_shows_words_is_looked_at(monkeypatch: pytest.MonkeyPatch, method: str, field: str) -> None:
    monkeypatch.setattr(SlackApi, "call", tells(method, field))
    hunt(Workspace)
