"""A company in the loopback Slack, with the real bot, worker, and sender, and documents that not everybody may read."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from earlier_questions import earlier_within_a_day
from slack_server import Channel, Message, SlackServer, User
from slack_server.server import APP_TOKEN, BOT_TOKEN, SECRET
from slack_server.workspace import BOT_USER
from small_world import SmallWorld, passage, small_world

from composition.log import GROUP, open_log
from consumers.questions.answerer import Answerer
from consumers.questions.feedback import FeedbackHandler
from consumers.questions.handler import QuestionHandler
from consumers.replies.sender import ReplySender
from consumers.resilience.backoff import Backoff
from consumers.wiring.slack import SURFACE, build_slack
from consumers.wiring.slack_bot import SlackBot, build_slack_bot
from consumers.worker.worker import Worker
from vouch.access import Directory, Label, Permissions, Person
from vouch.adapters.ledger import Ledger
from vouch.errors import SurfaceDown, Unavailable
from vouch.settings import Settings, SlackSettings

MANIFEST = Path(__file__).parents[1] / "bots" / "slack" / "manifest.json"
TEXTS = {
    "leave": ("public", "Parents get 12 weeks of paid parental leave. It must be used within one year."),
    "plan": ("group:people", "A performance improvement plan lasts 60 days. The manager meets the employee weekly."),
    "vpn": ("group:engineering", "The VPN keys are rotated every 90 days. The on-call engineer rotates the VPN keys."),
}
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


class Company:
    """`ana` is an engineer, `ben` of the people team, `boss` is in both."""

    def __init__(self, slack: SlackServer, ledger: Ledger, home: Path, mode: str, **changes: Any) -> None:
        self.slack, self.ledger, self.home = slack, ledger, home
        space = slack.workspace
        self.ana = space.user("U0ANA", "Ana", "ana@acme.test")
        self.ben = space.user("U0BEN", "Ben", "ben@acme.test")
        self.boss = space.user("U0BOSS", "Boss", "Boss@acme.test")
        self.settings = Settings(home=home, slack=SlackSettings(
            bot_token=BOT_TOKEN, mode=mode, app_token=APP_TOKEN, signing_secret=SECRET, port=0, api_url=slack.url,
            timeout_seconds=1.0, **({"people_seconds": 0.0} | changes),
        ))
        self.access = InForce()
        self.world: SmallWorld = small_world([
            passage(text, chunk_id=name, path=f"{name}.md", title=name, section=(name,))
            for name, (_, text) in TEXTS.items()
        ])
        self.world.index.labels |= {name: Label(frozenset({tag})) for name, (tag, _) in TEXTS.items()}
        self.parts = build_slack(self.settings)
        assert self.parts is not None
        self.log = open_log(self.settings, home)
        self.answerer = Answerer(self.access, self.world.index, lambda: self.world.components, self.now,
                                 {SURFACE: self.parts.conversations}, earlier=earlier_within_a_day(ledger))
        self.sender = ReplySender(
            ledger, self.answerer.still_visible, self.answerer.answer, self.answerer.decline,
            {SURFACE: self.parts.surface}, self.log.producer(), self.now, backoff=Backoff(0.01, 0.02),
        )
        self.bot: SlackBot | None = None

    def now(self) -> datetime:
        return datetime.now(UTC)

    def start(self) -> None:
        self.bot = build_slack_bot(self.settings)
        self.bot.begin()
        if self.settings.slack.mode == "http":
            self.slack.deliveries.request_url = self.bot.told.partition(", ")[2]
        else:
            self.slack.sockets.wait_for_app()

    def answer_all(self, rounds: int = 60) -> None:
        """The worker takes what is on the log, the sender sends what is due, as often as it takes."""
        handlers = {"questions": QuestionHandler(self.answerer.answer, self.answerer.decline, self.ledger, self.now),
                    "feedback": FeedbackHandler(self.ledger)}
        Worker(self.log, GROUP, handlers, self.ledger.attempts, self.now, threading.Event()).run(drain=True)
        for _ in range(rounds):
            sent = self.attempt(self.sender.step)
            states = self.ledger.outbox.counts()
            if not sent and not any(states.get(state) for state in ("pending", "sending", "posting")):
                return
            time.sleep(0 if sent else 0.02)

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

    def shown(self, user: User, channel: Channel) -> str:
        return "\n".join(m.shown() for m in self.answers(user, channel))


@contextmanager
def company(ledger: Ledger, home: Path, mode: str = "socket", **changes: Any) -> Iterator[Company]:
    with SlackServer(MANIFEST) as slack:
        made = Company(slack, ledger, home, mode, **changes)
        made.start()
        assert made.bot is not None
        with closing(made.bot):
            yield made


def at(text: str) -> str:
    return f"<@{BOT_USER}> {text}"


def manifest() -> dict[str, Any]:
    told: dict[str, Any] = json.loads(MANIFEST.read_text(encoding="utf-8"))
    return told


__all__ = ["Company", "SurfaceDown", "at", "company", "manifest"]
