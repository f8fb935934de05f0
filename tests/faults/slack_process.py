"""Run by test_slack_killed.py and test_slack_event_killed.py: bot|doomed|struck|worker|sender.

One of the processes of Slack, by the settings of its environment.

Real but for the documents and models, which are those of slack_company. It works until it is killed.
A doomed bot kills itself before it keeps the id of an event, a struck one right after.
"""

import os
import signal
import sys
import threading
from datetime import UTC, datetime, timedelta

from slack_company import InForce, answerer, papers

from bots.slack.afterwards import SlackAfterwards
from composition.ledger import open_home_and_ledger
from composition.log import GROUP, open_log
from consumers.questions.feedback import FeedbackHandler
from consumers.questions.handler import QuestionHandler
from consumers.replies.sender import ReplySender
from consumers.resilience.backoff import Backoff
from consumers.wiring.slack import SURFACE, build_slack
from consumers.wiring.slack_bot import build_slack_bot
from consumers.worker.worker import Worker
from vouch.adapters.ledger.conversations.slack_events import SlackEvents
from vouch.settings import read_settings

LEASE = timedelta(seconds=2)


def now() -> datetime:
    return datetime.now(UTC)


def doom(*, kept: bool) -> None:
    real = SlackEvents.take

    def take(self: SlackEvents, event_id: str, at: datetime) -> None:
        if kept:
            real(self, event_id, at)
        os.kill(os.getpid(), signal.SIGKILL)

    SlackEvents.take = take  # type: ignore[method-assign]


def main(role: str) -> None:
    settings = read_settings()
    if role in ("doomed", "struck"):
        doom(kept=role == "struck")
    if role in ("bot", "doomed", "struck"):
        build_slack_bot(settings).run(lambda: print("ready", flush=True))
        return
    home, ledger = open_home_and_ledger(settings)
    slack = build_slack(settings)
    assert slack is not None
    made, log, stop = answerer(InForce(), papers(), slack, ledger), open_log(settings, home), threading.Event()
    print("ready", flush=True)
    if role == "worker":
        handlers = {"questions": QuestionHandler(made.answer, made.decline, ledger, now),
                    "feedback": FeedbackHandler(ledger)}
        Worker(log, GROUP, handlers, ledger.attempts, now, stop, backoff=Backoff(0.05, 0.2)).run()
    else:
        ReplySender(ledger, made.still_visible, made.answer, made.decline, {SURFACE: slack.surface}, log.producer(),
                    now, lease=LEASE, backoff=Backoff(0.05, 0.2),
                    afterwards={SURFACE: SlackAfterwards()}).run(stop)


main(sys.argv[1])
