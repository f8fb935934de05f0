"""The bot that listens in Slack, and what `vouch slack doctor` looks at."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from composition.ledger import open_home_and_ledger
from composition.log import open_log
from consumers.monitoring.exposition import shown
from consumers.monitoring.telemetry import Telemetry
from consumers.resilience.shutdown import stop_on_signals
from consumers.wiring.clock import now
from consumers.wiring.slack import Slack, build_slack
from consumers.wiring.status import build_standing
from vouch.adapters.ledger import Ledger
from vouch.errors import Usage
from vouch.extras import need
from vouch.messages import Message, encode, key_of, topic_of
from vouch.ports.log import Producer
from vouch.settings import Settings

if TYPE_CHECKING:
    from bots.slack.doctor import Look


class Connection(Protocol):
    """How events come in."""

    def connect(self) -> None: ...

    def close(self) -> None: ...


@dataclass(frozen=True)
class SlackBot:
    """Listens between `begin` and `close`. `aside` does what may be lost without harm."""

    connection: Connection
    aside: ThreadPoolExecutor
    producer: Producer
    ledger: Ledger
    told: str
    seen: Callable[[], AbstractContextManager[None]]    # in it others see how this process is

    def begin(self) -> None:
        self.connection.connect()

    def run(self, ready: Callable[[], object]) -> None:
        """Until Ctrl-C or SIGTERM. Raises SurfaceDown if Slack cannot be reached at first."""
        stop = threading.Event()
        stop_on_signals(stop)
        with self.seen():
            self.begin()
            ready()
            stop.wait()

    def close(self) -> None:
        self.connection.close()
        self.aside.shutdown(wait=False, cancel_futures=True)
        self.producer.close()
        self.ledger.close()


def build_slack_bot(settings: Settings) -> SlackBot:
    """Raises Usage for settings that lack something, SurfaceDown if Slack does not know the token."""
    slack = _slack(settings)
    _check(settings)
    from bots.slack.bot import build_app
    from bots.slack.hearing import Hearing, lost_without_harm
    from bots.slack.joined import JoinedThreads

    me = slack.api.me
    home, ledger = open_home_and_ledger(settings)
    producer = open_log(settings, home).producer()
    aside = ThreadPoolExecutor(4, thread_name_prefix="slack aside")
    hearing = Hearing(
        slack.api, slack.people, JoinedThreads(slack.api), partial(_send, producer), partial(_question_of, ledger),
        lambda work: aside.submit(lost_without_harm, work), now,
        timedelta(seconds=settings.answering.deadline_seconds),
    )
    app = build_app(slack.api, hearing, settings.slack.signing_secret.get_secret_value())
    connection, told = _connection(settings, app)
    telemetry = Telemetry()
    seen = partial(shown, home, "slack", settings.monitor.port, telemetry, build_standing(settings, home, asking=False))
    return SlackBot(connection, aside, producer, ledger, f"{me['team']}, {told}", seen)


def slack_looks(settings: Settings) -> "list[Look]":
    """What can be looked at, in order. Raises Usage where no Slack is set up."""
    slack = _slack(settings)
    from bots.slack.doctor import looks

    chosen = settings.slack
    app_token = chosen.app_token.get_secret_value() if chosen.mode == "socket" else ""
    return [("settings", lambda: _understood(settings)), *looks(slack.api, app_token)]


def slack_manifest() -> str:
    """What the app is created from."""
    need("slack", "vouch slack")
    from bots.slack.doctor import manifest_text

    return manifest_text()


def _slack(settings: Settings) -> Slack:
    slack = build_slack(settings)
    if slack is None:
        raise Usage("no Slack is set up", cure="set VOUCH_SLACK__BOT_TOKEN; docs/slack.md tells where it is from")
    return slack


def _check(settings: Settings) -> None:
    chosen = settings.slack
    if chosen.mode == "socket" and not chosen.app_token.get_secret_value():
        raise Usage("Socket Mode needs an app-level token", cure="set VOUCH_SLACK__APP_TOKEN")
    if chosen.mode == "http" and not chosen.signing_secret.get_secret_value():
        raise Usage("requests over HTTP need a signing secret", cure="set VOUCH_SLACK__SIGNING_SECRET")


def _understood(settings: Settings) -> str:
    _check(settings)
    return f"{settings.slack.mode} mode"


def _connection(settings: Settings, app: Any) -> tuple[Connection, str]:
    from bots.slack.http_server import PATH, EventsServer
    from bots.slack.socket_mode import SocketConnection

    chosen = settings.slack
    if chosen.mode == "http":
        server = EventsServer(app, chosen.host, chosen.port)
        return server, f"http://{chosen.host}:{server.port}{PATH}"
    return SocketConnection(app, chosen.app_token.get_secret_value()), "Socket Mode"


def _send(producer: Producer, message: Message) -> None:
    """The log has it afterwards."""
    producer.send(topic_of(message), key_of(message), encode(message))


def _question_of(ledger: Ledger, answer_id: str) -> str:
    return str(ledger.answers.get(answer_id)["question"])
