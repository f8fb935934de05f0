"""One of the processes of Slack, forked by crew.py from one that has imported all this already.

Real but for the documents and models, which are those of slack_company. It works until it is killed.
A doomed one kills itself right after that step, or right before it. Where a folder is named in HELD_IN, a worker tells
the stages of a question, and waits at some of them until a file there lets it go on.
"""

import os
import threading
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

from faults.slack.doom import FORGETFUL, STEPS, doom, forget
from faults.slack.streaming import HELD_IN, held
from slack_scene.slack_company import InForce, answerer, papers

from bots.slack.answers.afterwards import SlackAfterwards
from bots.slack.place import SLACK
from composition.log import GROUP, open_log
from composition.storage import open_home_and_ledger
from consumers.questions.handler import FeedbackHandler, QuestionHandler
from consumers.questions.progress import ProgressPublisher
from consumers.replies.sender import ReplySender
from consumers.resilience import Backoff
from consumers.wiring.slack.bot import build_slack_bot
from consumers.wiring.surfaces import build_slack
from consumers.worker.worker import Worker
from vouch.settings import read_settings

LEASE = timedelta(seconds=2)


def now() -> datetime:
    return datetime.now(UTC)


def run(role: str, environment: Mapping[str, str]) -> None:
    """bot|worker|sender, a step of STEPS, as sender-posted, or FORGETFUL; by the settings of the environment."""
    os.environ.update(environment)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(nowhere, stream)
    settings = read_settings()
    if role in STEPS:
        doom(role)
    elif role == FORGETFUL:
        forget()
    role = role.partition("-")[0]
    if role == "bot":
        build_slack_bot(settings).run(lambda: None)
        return
    home, ledger = open_home_and_ledger(settings)
    slack = build_slack(settings, ledger.slack_changes)
    assert slack is not None
    log, stop, world, publisher = open_log(settings, home), threading.Event(), papers(), None
    if HELD_IN in environment:
        world.components = held(world.components, Path(environment[HELD_IN]))
        publisher = ProgressPublisher(lambda: log.producer(durable=False), now)
    made = answerer(InForce(), world, slack, ledger, publisher)
    if role == "worker":
        handlers = {"questions": QuestionHandler(made.answer, made.decline, ledger, now),
                    "feedback": FeedbackHandler(ledger, now)}
        Worker(log, GROUP, handlers, ledger.attempts, now, stop, backoff=Backoff(0.05, 0.2)).run()
    else:
        ReplySender(ledger, made.still_visible, made.answer, made.decline, {SLACK: slack.surface}, log.producer(),
                    now, lease=LEASE, backoff=Backoff(0.05, 0.2),
                    afterwards={SLACK: SlackAfterwards()}).run(stop)
