"""A company in the loopback Slack, with the real bot, worker, and sender, and documents that not everybody may read."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from homes.small_world import SmallWorld, passage, small_world

from bots.slack.answers.afterwards import SlackAfterwards
from bots.slack.place import SLACK
from bots.slack.simulator import Channel, Message, SlackServer, User
from bots.slack.simulator.server import APP_TOKEN, BOT_TOKEN, SECRET
from bots.slack.simulator.workspace import BOT_USER
from composition.log import GROUP, open_log
from consumers.questions.answerer import Answerer
from consumers.questions.flat_follow_ups import earlier_in_thread, last_in_conversation
from consumers.questions.handler import FeedbackHandler, QuestionHandler
from consumers.questions.progress import ProgressPublisher
from consumers.replies.sender import ReplySender
from consumers.resilience import Backoff
from consumers.wiring.slack import handover
from consumers.wiring.slack.bot import SlackBot, build_slack_bot
from consumers.wiring.surfaces import Slack, build_slack, conversations_of, is_gone, rights
from consumers.worker.message_processor import Handler
from consumers.worker.worker import Worker
from vouch.access import Directory, Label, Permissions, Person
from vouch.adapters.ledger import Ledger
from vouch.adapters.message_log.kafka.log import KafkaLog
from vouch.errors import SurfaceDown, Unavailable, VouchError
from vouch.settings import Settings
from vouch.settings.surfaces import SlackSettings

MANIFEST = Path(__file__).parents[2] / "bots" / "slack" / "manifest.json"
TEXTS = {
    "leave": ("public", "Parents get 12 weeks of paid parental leave. It must be used within one year."),
    "plan": ("group:people", "A performance improvement plan lasts 60 days. The manager meets the employee weekly."),
    "vpn": ("group:engineering", "The VPN keys are rotated every 90 days. The on-call engineer rotates the VPN keys."),
}
TOLD_AFTER = ("more.", "unposted.", "refused.", "taken_back.", "files.")    # ids of what is told soon
PATIENCE_S = 20.0                       # of tests that are about no outage
PLAN = "How long does a performance improvement plan last?"
LEAVE = "How many weeks of paid parental leave do parents get?"
VPN = "How often are the VPN keys rotated?"


class InForce:
    """The permissions; a test may change the directory."""

    def __init__(self) -> None:
        self.directory = Directory(people={
            "ana@acme.test": Person(("engineering",)), "ben@acme.test": Person(("people",)),
            "boss@acme.test": Person(("people", "engineering")),
        })

    def permissions(self) -> Permissions:
        return Permissions.settled(1, {}, self.directory)


def papers() -> SmallWorld:
    """The documents, each for whom it is."""
    world = small_world([
        passage(text, chunk_id=name, path=f"{name}.md", title=name, section=(name,))
        for name, (_, text) in TEXTS.items()
    ])
    world.index.labels |= {name: Label(frozenset({tag})) for name, (tag, _) in TEXTS.items()}
    return world


def answerer(
    access: InForce, world: SmallWorld, parts: Slack, ledger: Ledger, publisher: ProgressPublisher | None = None
) -> Answerer:
    conversations = conversations_of(parts)
    return Answerer(access, world.index, lambda: world.components, lambda: datetime.now(UTC),
                    conversations, earlier=partial(earlier_in_thread, ledger, 24.0, conversations),
                    last=partial(last_in_conversation, ledger, 24.0, conversations),
                    rights=partial(rights, parts), is_gone=partial(is_gone, parts, ledger),
                    listen=publisher.listener if publisher else lambda question: None)


class Staying(Worker):
    """Stays in its group when nothing is left: to join one of Kafka again takes longer than most answers."""

    def close(self) -> None:
        pass

    def leave(self) -> None:
        super().close()


class Company:
    """`ana` is an engineer, `ben` of the people team, `boss` is in both."""

    def __init__(
        self, slack: SlackServer, ledger: Ledger, home: Path, mode: str, servers: dict[str, Any] | None = None,
        **changes: Any,
    ) -> None:
        self.slack, self.ledger, self.home = slack, ledger, home
        space = slack.workspace
        self.ana = space.user("U0ANA", "Ana", "ana@acme.test")
        self.ben = space.user("U0BEN", "Ben", "ben@acme.test")
        self.boss = space.user("U0BOSS", "Boss", "Boss@acme.test")
        self.settings = Settings(home=home, **(servers or {}), slack=SlackSettings(
            bot_token=BOT_TOKEN, mode=mode, app_token=APP_TOKEN, signing_secret=SECRET, port=0, api_url=slack.url,
            **({"people_seconds": 0.0, "timeout_seconds": PATIENCE_S, "prompts": (LEAVE,)} | changes),
        ))
        self.access, self.world = InForce(), papers()
        parts = build_slack(self.settings, ledger.slack_changes)
        assert parts is not None
        self.parts = parts
        self.log = open_log(self.settings, home)
        self.publisher = ProgressPublisher(partial(self.log.producer, durable=False), self.now)
        self.answerer = answerer(self.access, self.world, self.parts, ledger, self.publisher)
        self.producer = self.log.producer()
        self.sender = ReplySender(
            ledger, self.answerer.still_visible, self.answerer.answer, self.answerer.decline,
            {SLACK: self.parts.surface}, self.producer, self.now, backoff=Backoff(0.01, 0.02),
            afterwards={SLACK: SlackAfterwards()},
        )
        self.bot: SlackBot | None = None
        self._worker: Worker | None = None

    def now(self) -> datetime:
        return datetime.now(UTC)

    def start(self) -> None:
        self.bot = build_slack_bot(self.settings)
        self.bot.begin()
        if self.settings.slack.mode == "http":
            self.slack.deliveries.app.request_url = self.bot.told.partition(", ")[2]
        else:
            self.slack.sockets.wait_for_app(PATIENCE_S)

    def _handlers(self) -> dict[str, Handler]:
        """Tests may change what answers meanwhile."""
        return {"questions": QuestionHandler(lambda *given: self.answerer.answer(*given),
                                             lambda *given: self.answerer.decline(*given), self.ledger, self.now),
                "feedback": FeedbackHandler(self.ledger, self.now)}

    def close(self) -> None:
        """With the bot of now."""
        if self.bot is not None:
            self.bot.close()
        if isinstance(self._worker, Staying):
            self._worker.leave()

    def hasten(self, *faults: tuple[str, float] | None) -> None:
        """Where one of them makes Slack slow, it is not waited for that long. Not before: a machine may be busy."""
        if any(fault is not None and fault[0] == "slow" for fault in faults):
            assert self.bot is not None
            for api in (self.parts.api, self.bot.progress._showing._api):
                api.client.timeout = 1

    def answer_all(self, rounds: int = 60) -> None:
        """The worker takes what is on the log, the sender sends what is due, as often as it takes."""
        if self._worker is None:
            kind = Staying if isinstance(self.log, KafkaLog) else Worker
            self._worker = kind(self.log, GROUP, self._handlers(), self.ledger.attempts, self.now, threading.Event())
        self._worker.run(drain=True)
        for _ in range(rounds):
            sent = self.attempt(self.sender.step)
            states = self.ledger.outbox.counts()
            if not sent and not any(states.get(state) for state in ("pending", "sending", "posting")):
                self.noticed()
                self.tidied()
                return
            time.sleep(0 if sent else 0.02)

    def noticed(self, seconds: float = 2.0) -> None:
        """What is told after an answer was sent or given up, is told; the bot may be at it already."""
        end = time.monotonic() + seconds
        while self.bot is not None and time.monotonic() < end:
            if not any(id_.startswith(TOLD_AFTER) for id_ in self.ledger.notices.waiting()):
                return
            with suppress(VouchError):
                self.bot.upkeep.post_due()
            time.sleep(0.02)

    def tidied(self, seconds: float = PATIENCE_S) -> None:
        """Stages that came too late are gone again."""
        end = time.monotonic() + seconds
        while self.bot is not None and time.monotonic() < end:
            with self.bot.progress._lock:
                if not any(one.tried for one in self.bot.progress._watched.values()):
                    return
            time.sleep(0.02)

    @staticmethod
    def attempt(step: Callable[[], bool]) -> bool:
        try:
            return step()
        except Unavailable:
            return False

    def ask(self, user: User, channel: Channel, text: str, thread_ts: str | None = None) -> Message:
        said = self.slack.deliveries.say(user.id, channel, text, thread_ts)
        self.answer_all()
        return said

    def answers(self, user: User, channel: Channel) -> list[Message]:
        """Messages of the bot that this person sees there, in order."""
        return [m for m in self.slack.workspace.seen_by(user.id, channel.id) if m.user == BOT_USER]

    def without_previews(self) -> bool:
        """Whether each message that Slack could show previews of says that it wants none, links or not."""
        return all(m.previews is None or m.previews.off() for m in self.slack.workspace.messages)

    def shown(self, user: User, channel: Channel) -> str:
        return "\n".join(m.shown() for m in self.answers(user, channel))


@contextmanager
def company(
    ledger: Ledger, home: Path, mode: str = "socket", servers: dict[str, Any] | None = None, **changes: Any
) -> Iterator[Company]:
    with SlackServer() as slack:
        made = Company(slack, ledger, home, mode, servers, **changes)
        made.start()
        assert made.bot is not None
        with ExitStack() as ending:
            if isinstance(made.log, KafkaLog):      # the other keeps nothing open itself
                ending.callback(made.log.close)
            for one in (made.producer, made.publisher):
                ending.enter_context(closing(one))
            ending.callback(made.close)
            yield made
            assert made.without_previews(), "Slack decides about previews of a message"


def looks_into_the_same_index(acme: Company, monkeypatch: pytest.MonkeyPatch) -> None:
    """The bot does, for the home tab and `/vouch why`."""
    index = acme.world.index
    seen = SimpleNamespace(
        visible=index.visible, view=index.view, version=lambda: SimpleNamespace(documents=lambda: index.passages))
    monkeypatch.setattr(handover, "open_storage", lambda _: SimpleNamespace(permissions=acme.access))
    monkeypatch.setattr(handover, "open_live_index", lambda *_: seen)


def at(text: str) -> str:
    return f"<@{BOT_USER}> {text}"


def manifest() -> dict[str, Any]:
    told: dict[str, Any] = json.loads(MANIFEST.read_text(encoding="utf-8"))
    return told


__all__ = ["Company", "SurfaceDown", "at", "company", "manifest"]
