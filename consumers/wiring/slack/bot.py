"""The bot that listens in Slack."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from bots.slack.questions import order_key
from composition.log import open_log
from composition.owners import owner_tags
from composition.storage import open_home_and_ledger
from consumers.monitoring.exposition import shown
from consumers.monitoring.telemetry import Telemetry
from consumers.process import now, stop_on_signals
from consumers.wiring.slack.handover import build_handover, build_personal
from consumers.wiring.slack.notices import Upkeep
from consumers.wiring.status import build_standing
from consumers.wiring.surfaces import Slack, build_slack
from vouch.adapters.ledger import Ledger
from vouch.errors import Usage
from vouch.messages import Message, encode, topic_of
from vouch.ports.log import Producer
from vouch.settings import Settings

if TYPE_CHECKING:
    from bots.slack.api import SlackApi
    from bots.slack.handoff.presses import Aside
    from bots.slack.hearing.events import Once
    from bots.slack.hearing.voting import Voting
    from bots.slack.identity.members_cache import Changes
    from bots.slack.progress.watch import ProgressWatch
    from vouch.ports.log import Log


_LATE_S = 30.0                          # after its deadline a question is declined, which takes a moment

_ASIDES = 4                             # threads for what may be lost without harm
_AT_ONCE = 8                            # and for what of it a person waits for, or Slack: behind nothing that is slow


class Connection(Protocol):
    """How events come in."""

    def connect(self) -> None: ...

    def close(self) -> None: ...


@dataclass(frozen=True)
class SlackBot:
    """Listens between `begin` and `close`. `aside` and `at_once` do what may be lost without harm."""

    connection: Connection
    aside: ThreadPoolExecutor
    at_once: ThreadPoolExecutor
    producer: Producer
    ledger: Ledger
    told: str
    seen: Callable[[], AbstractContextManager[None]]    # in it others see how this process is
    progress: "ProgressWatch"
    upkeep: Upkeep

    def begin(self) -> None:
        self.progress.begin()
        self.connection.connect()
        self.upkeep.begin()

    def run(self, ready: Callable[[], object]) -> None:
        """Until Ctrl-C or SIGTERM. Raises SurfaceDown if Slack cannot be reached at first."""
        stop = threading.Event()
        stop_on_signals(stop)
        with self.seen():
            self.begin()
            ready()
            stop.wait()

    def rest(self) -> None:
        """Returns when nothing is left to be done aside, of what had begun, and what is due is told."""
        for size, pool in ((_ASIDES, self.aside), (_AT_ONCE, self.at_once)):
            together = threading.Barrier(size)          # each of the threads comes when it has nothing else to do
            for one in [pool.submit(together.wait, 30.0) for _ in range(size)]:
                one.result()
        self.upkeep.post_due()

    def close(self) -> None:
        self.connection.close()
        self.progress.close()
        self.upkeep.end()
        for pool in (self.aside, self.at_once):
            pool.shutdown(wait=False, cancel_futures=True)
        self.producer.close()
        self.ledger.close()


def build_slack_bot(settings: Settings) -> SlackBot:
    """Raises Usage for settings that lack something, SurfaceDown if Slack does not know the token."""
    known = open_slack(settings)
    check_slack(settings)
    from bots.slack.answers.reach import AnswersInReach
    from bots.slack.answers.sharing import Sharing
    from bots.slack.answers.still_said import StillSaid
    from bots.slack.bot import build_app
    from bots.slack.channels.rules import ChannelRules
    from bots.slack.handoff.presses import Presses
    from bots.slack.hearing.asking import Asking, Following
    from bots.slack.hearing.events import News, Once
    from bots.slack.hearing.messages import Hearing, JoinedThreads
    from bots.slack.hearing.voting import Voting
    from consumers.wiring.slack.questions import SlackQuestions

    me = known.api.me
    home, ledger = open_home_and_ledger(settings)
    slack = open_slack(settings, ledger.slack_changes, known.api)
    log = open_log(settings, home)
    producer = log.producer()
    aside = ThreadPoolExecutor(_ASIDES, thread_name_prefix="slack aside")
    at_once = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="slack at once")
    later, soon, send = partial(_later, aside), partial(_later, at_once), partial(_send, producer)
    still = StillSaid(slack.api, ledger.changed.changed_at)
    handover, upkeep = build_handover(settings, slack, home, ledger, send, still)
    questions = SlackQuestions(ledger, upkeep.wake)
    reach = AnswersInReach(slack.api, slack.people, still, questions.of_answer)
    voting = Voting(slack.api, slack.people, reach, send, now)
    progress = _progress(settings, slack, log, later, soon, questions.is_over, voting)
    asking = Asking(
        slack.api, slack.people, send, reach, later, questions.tell, now,
        timedelta(seconds=settings.answering.deadline_seconds),
        ChannelRules(slack.api, slack.people, slack.groups, ledger.slack_channels,
                     lambda: ledger.access.permissions().directory,
                     lambda: [row.name for row in ledger.sources.list()], settings.http.operators),
        Following(progress, questions.is_done, questions.has_failed, questions.was_declined),
    )
    hearing = Hearing(asking, JoinedThreads(slack.api), questions)
    sharing = Sharing(slack.api, reach, asking.asked_for_all)
    presses = Presses(slack.api, handover, later, soon, upkeep.wake)
    once = Once(ledger.slack_events, now)
    app = build_app(hearing, voting, sharing,
                    build_personal(settings, slack, ledger, reach), presses, once,
                    News(ledger.slack_changes, now), settings.slack.signing_secret.get_secret_value())
    connection, address = _connection(settings, app, once)
    telemetry = Telemetry()
    seen = partial(shown, home, "slack", settings.monitor.port, telemetry, build_standing(settings, home, asking=False))
    return SlackBot(connection, aside, at_once, producer, ledger, f"{me['team']}, {address}", seen, progress, upkeep)


def _later(pool: ThreadPoolExecutor, work: Callable[[], object]) -> object:
    from bots.slack.bot import lost_without_harm

    return pool.submit(lost_without_harm, work)


def _progress(
    settings: Settings, slack: Slack, log: "Log", aside: "Aside", soon: "Aside", is_over: Callable[[str], bool],
    voting: "Voting",
) -> "ProgressWatch":
    from bots.slack.api import Pace
    from bots.slack.progress.showing import Showing
    from bots.slack.progress.watch import TOPICS, ProgressWatch

    pace = Pace()
    return ProgressWatch(
        Showing(slack.api, pace, is_over, voting.given_before), pace, partial(log.follow, TOPICS), aside, soon,
        time_to_answer=settings.answering.deadline_seconds + _LATE_S, streams=settings.slack.progress == "stream",
    )


def open_slack(settings: Settings, changes: "Changes | None" = None, api: "SlackApi | None" = None) -> Slack:
    """As `build_slack`. Raises Usage where no Slack is set up."""
    slack = build_slack(settings, changes, api)
    if slack is None:
        raise Usage("no Slack is set up", cure="set VOUCH_SLACK__BOT_TOKEN; docs/slack.md tells where it is from")
    return slack


def check_slack(settings: Settings) -> None:
    """Raises Usage for settings that lack something."""
    chosen = settings.slack
    if chosen.mode == "socket" and not chosen.app_token.get_secret_value():
        raise Usage("Socket Mode needs an app-level token", cure="set VOUCH_SLACK__APP_TOKEN")
    if chosen.mode == "http" and not chosen.signing_secret.get_secret_value():
        raise Usage("requests over HTTP need a signing secret", cure="set VOUCH_SLACK__SIGNING_SECRET")
    owner_tags(settings)


def _connection(settings: Settings, app: Any, once: "Once") -> tuple[Connection, str]:
    from bots.slack.connection import PATH, EventsServer, SocketConnection

    chosen = settings.slack
    if chosen.mode == "http":
        server = EventsServer(app, once.signed, chosen.host, chosen.port, chosen.signing_secret.get_secret_value())
        return server, f"http://{chosen.host}:{server.port}{PATH}"
    return SocketConnection(app, chosen.app_token.get_secret_value()), "Socket Mode"


def _send(producer: Producer, message: Message) -> None:
    """The log has it afterwards."""
    producer.send(topic_of(message), order_key(message), encode(message))
