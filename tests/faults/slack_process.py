"""Run by test_slack_killed.py, test_slack_event_killed.py and test_slack_step_killed.py: bot|worker|sender, or one of
them with a step of DOOMED behind it, as in sender-posted.

One of the processes of Slack, by the settings of its environment.

Real but for the documents and models, which are those of slack_company. It works until it is killed.
A doomed one kills itself right after that step, or right before it.
"""

import os
import signal
import sys
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from slack_scene.slack_company import InForce, answerer, papers

from bots.slack.answers.afterwards import SlackAfterwards
from bots.slack.answers.surface import SlackSurface
from composition.log import GROUP, open_log
from composition.storage import open_home_and_ledger
from consumers.questions.handler import FeedbackHandler, QuestionHandler
from consumers.replies.sender import ReplySender
from consumers.resilience import Backoff
from consumers.wiring.slack.bot import build_slack_bot
from consumers.wiring.surfaces import SLACK, build_slack
from consumers.worker.worker import Worker
from vouch.adapters.ledger.answers.outbox import Outbox
from vouch.adapters.ledger.conversations import SlackEvents
from vouch.settings import read_settings

LEASE = timedelta(seconds=2)


def now() -> datetime:
    return datetime.now(UTC)


DOOMED: dict[str, tuple[type, str, bool]] = {        # where each ends: before the call, or after one that did something
    "bot-taken": (SlackEvents, "take", False), "bot-noted": (SlackEvents, "take", True),
    "worker-begun": (QuestionHandler, "handle", False), "worker-kept": (QuestionHandler, "_keep", True),
    "sender-claimed": (Outbox, "claim", True), "sender-marked": (Outbox, "posting", True),
    "sender-posted": (SlackSurface, "post", True), "sender-sent": (Outbox, "sent", True),
}  # fmt: skip


def doom(of: type, name: str, *, after: bool) -> None:
    real: Callable[..., Any] = getattr(of, name)

    def ends(*given: Any, **named: Any) -> Any:
        done = real(*given, **named) if after else None
        if done != []:                  # nothing was claimed
            os.kill(os.getpid(), signal.SIGKILL)
        return done

    setattr(of, name, ends)


def main(role: str) -> None:
    settings = read_settings()
    if role in DOOMED:
        of, name, after = DOOMED[role]
        doom(of, name, after=after)
    role = role.partition("-")[0]
    if role == "bot":
        build_slack_bot(settings).run(lambda: print("ready", flush=True))
        return
    home, ledger = open_home_and_ledger(settings)
    slack = build_slack(settings, ledger.slack_changes)
    assert slack is not None
    made, log, stop = answerer(InForce(), papers(), slack, ledger), open_log(settings, home), threading.Event()
    print("ready", flush=True)
    if role == "worker":
        handlers = {"questions": QuestionHandler(made.answer, made.decline, ledger, now),
                    "feedback": FeedbackHandler(ledger)}
        Worker(log, GROUP, handlers, ledger.attempts, now, stop, backoff=Backoff(0.05, 0.2)).run()
    else:
        ReplySender(ledger, made.still_visible, made.answer, made.decline, {SLACK: slack.surface}, log.producer(),
                    now, lease=LEASE, backoff=Backoff(0.05, 0.2),
                    afterwards={SLACK: SlackAfterwards()}).run(stop)


main(sys.argv[1])
