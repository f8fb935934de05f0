"""A Slack on the loopback with the real bot, worker, and sender, for one person at a terminal."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from typing import TYPE_CHECKING, Protocol

from bots.wrapping import Line
from composition.log import DOCUMENTS_GROUP, GROUP
from consumers.documents.consumer import TOPIC
from consumers.wiring.components import WorkerComponents, open_worker
from consumers.wiring.processes import documents_worker
from consumers.wiring.slack.bot import SlackBot, build_slack_bot
from vouch.access import Directory
from vouch.errors import Unavailable
from vouch.extras import require
from vouch.ports.ingestion import IngestRunner
from vouch.settings import Settings
from vouch.settings.surfaces import SlackSettings

if TYPE_CHECKING:
    from bots.slack.simulator import Channel, SlackServer, User

_AT_REST = frozenset({"sent", "failed"})
_LONGEST_S, _QUIET_S, _LOOK_S = 120.0, 0.2, 0.03
SUGGESTED = ("How much parental leave do I get?",)       # of the demo company


class Play(Protocol):
    """A person in the workspace, who types."""

    @property
    def prompt(self) -> str: ...

    def look(self) -> list[Line]: ...

    def act(self, line: str) -> list[Line]: ...


@contextmanager
def open_simulation(settings: Settings, mode: str, width: int, starter: IngestRunner) -> Iterator[Play]:
    """A person in the workspace, where `starter` ingests what was approved.

    Raises NotFound where the home's directory names nobody.
    """
    require("slack", "vouch slack simulate")
    from bots.slack.console.player import Player
    from bots.slack.console.session import Desk

    with open_workspace(settings, mode, starter=starter) as (slack, settle, person, channel):
        yield Player(Desk(slack, settle, person, channel, width))


@contextmanager
def open_workspace(
    settings: Settings, mode: str, people_seconds: float = 0.0, starter: IngestRunner | None = None
) -> "Iterator[tuple[SlackServer, Callable[[], None], User, Channel]]":
    """The people of the home's directory, in channels, and what waits until all is answered.

    It ends with everything that it began.
    """
    from bots.slack.console.visible import settle_in
    from bots.slack.simulator import SlackServer

    with ExitStack() as stack:
        slack = stack.enter_context(SlackServer())
        chosen = settings.model_copy(update={
            "slack": _settings(settings, slack.url, mode, people_seconds),
            "ingest": settings.ingest.model_copy(update={"quiet_seconds": 0.0}),    # somebody waits for it
        })
        parts = open_worker(chosen, "worker", judges=False)
        for component in reversed(parts.components):
            stack.callback(component.close)
        person, channel = settle_in(slack.workspace, _directory(parts).people)
        bot = stack.enter_context(closing(build_slack_bot(chosen)))
        _connect(bot, slack, mode)
        parts.warm()
        stack.enter_context(_at_work(parts, starter))
        yield slack, _settled(parts, bot, slack, ingests=starter is not None), person, channel


def _settings(given: Settings, url: str, mode: str, people_seconds: float) -> SlackSettings:
    """Of what is set for a real workspace only what is shown and suggested: the rest leads to that one."""
    from bots.slack.simulator.server import APP_TOKEN, BOT_TOKEN, SECRET

    return SlackSettings.model_validate({
        "bot_token": BOT_TOKEN, "app_token": APP_TOKEN, "signing_secret": SECRET, "mode": mode, "port": 0,
        "api_url": url, "people_seconds": people_seconds,
        "progress": given.slack.progress, "prompts": given.slack.prompts or SUGGESTED,
    })  # fmt: skip


def _directory(parts: WorkerComponents) -> Directory:
    return parts.watched.permissions().directory


def _connect(bot: SlackBot, slack: "SlackServer", mode: str) -> None:
    bot.begin()
    if mode == "http":
        slack.deliveries.app.request_url = bot.told.partition(", ")[2]
    else:
        slack.sockets.wait_for_app(10.0)


@contextmanager
def _at_work(parts: WorkerComponents, starter: IngestRunner | None) -> Iterator[None]:
    """Worker and sender, and with a starter what ingests, each in a thread, until the end."""
    sender = parts.sender()
    works = {"worker": parts.worker().run, "sender": lambda: sender.run(parts.stop, idle_s=_LOOK_S)}
    if starter is not None:
        works["documents"] = documents_worker(parts, starter).run
    threads = [threading.Thread(target=work, name=name) for name, work in works.items()]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        parts.stop.set()
        for thread in threads:
            thread.join()


def _settled(parts: WorkerComponents, bot: SlackBot, slack: "SlackServer", *, ingests: bool) -> Callable[[], None]:
    """Returns once every question, vote and change is worked off, and nothing new was shown for a moment."""
    def seen() -> tuple[int, ...]:
        space = slack.workspace
        return len(space.messages), len(space.views), len(slack.api.calls)

    def busy() -> bool:
        waiting = sum(parts.log.lag(GROUP, topic) for topic in ("questions", "feedback"))
        waiting += parts.log.lag(DOCUMENTS_GROUP, TOPIC) if ingests else 0
        waiting += len(parts.ledger.notices.waiting())
        return bool(waiting) or not _AT_REST.issuperset(parts.ledger.outbox.counts())

    def settle() -> None:
        bot.rest()
        before, since, until = seen(), time.monotonic(), time.monotonic() + _LONGEST_S
        while busy() or seen() != before or time.monotonic() - since < _QUIET_S:
            if time.monotonic() > until:
                raise Unavailable("no answer came in time", cure="look at: vouch slack doctor")
            if busy() or seen() != before:
                before, since = seen(), time.monotonic()
            time.sleep(_LOOK_S)

    return settle
