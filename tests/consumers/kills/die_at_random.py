"""Run by test_random_kills.py: FOLDER QUESTIONS KILLS SEED [early|highest]. Kills a worker that holds 16 at random.

Each life of the worker is a fork that gets some more questions and ends by
SIGKILL at a random moment; the last one works the log off. Prints what the
log, the ledger and the surface hold then, as JSON. `early` commits what was
read before it is answered, `highest` what is finished whatever came before
it: the planted bugs.
"""

import json
import random
import sys
import threading
import time
from collections import Counter
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

from machines.board import Board, Early, Result, decline
from machines.board import answer as answered
from running.forked import finish, fork, kill

from consumers.questions.handler import QuestionHandler
from consumers.replies.sender import ReplySender
from consumers.resilience import Backoff
from consumers.worker.in_flight import InFlight
from consumers.worker.worker import Worker
from vouch.adapters.ledger import open_ledger
from vouch.adapters.message_log.embedded.log import EmbeddedLog
from vouch.messages import QuestionAsked, TagsAudience, encode
from vouch.ports.log import Record

folder, count, kills, seed = Path(sys.argv[1]), *map(int, sys.argv[2:5])
planted = sys.argv[5] if len(sys.argv) > 5 else ""
HOLD, LEASE_S = 16, 0.3


def log() -> EmbeddedLog:
    return EmbeddedLog(folder / "log.sqlite", lease_seconds=LEASE_S)


def now() -> datetime:
    return datetime.now(UTC)


def answer(question: QuestionAsked) -> Result:
    """Every fourth question takes ten times as long as those after it; longer still to give a planted bug time."""
    slow = 0.6 if planted else 0.2
    time.sleep(slow if int(question.id[1:]) % 4 == 0 else 0.02)
    return answered(question)


class Highest(InFlight):
    def finish(self, record: Record) -> Record | None:
        super().finish(record)
        return record


def work(drain: bool) -> None:
    ledger, stop = open_ledger(folder / "ledger.sqlite"), threading.Event()
    handler = QuestionHandler(answer, decline, ledger, now)
    kind = Early if planted == "early" else Worker
    worker = kind(log(), "g", {"questions": handler}, ledger.attempts, now, stop, hold=HOLD)
    if planted == "highest":
        worker._hand = Highest()
    sender = ReplySender(
        ledger, lambda audience, chunks: True, answer, decline, {"board": Board(folder / "board")}, log().producer(),
        now, backoff=Backoff(0.01, 0.05), lease=timedelta(seconds=1),
    )  # fmt: skip
    sending = threading.Thread(target=sender.run, args=(stop,))
    sending.start()
    worker.run(drain=drain)
    while ledger.outbox.counts().keys() - {"sent", "failed"}:
        time.sleep(0.05)
    stop.set()
    sending.join()


def ask(first: int, end: int) -> None:
    producer = log().producer()
    for number in range(first, end):
        question = QuestionAsked(
            id=f"q{number:05}", text="Who?", surface="board", asker="public", audience=TagsAudience(tags=("public",)),
            asked_at=now(),
        )
        producer.send("questions", question.id.encode(), encode(question))


def look() -> None:
    ledger = open_ledger(folder / "ledger.sqlite")
    asked = {json.loads(record.value)["id"] for record in log().read("questions")}
    answers = {one: ledger.answers.by_question(one) for one in asked}
    posts = Counter(line.split()[0] for line in (folder / "board").read_text().splitlines())
    right = {f"{one} {answer['id']}" for one, answer in answers.items() if answer}
    print(json.dumps({
        "asked": len(asked),
        "lost": sorted(asked - posts.keys()),
        "twice": sorted(one for one, times in posts.items() if times > 1),
        "posted_other_than_recorded": len(set((folder / "board").read_text().splitlines()) - right),
        "declined": sum(answer is not None and "reason" in answer for answer in answers.values()),
        "dead": len(list(log().read("questions.dead"))),
        "lag": log().lag("g", "questions"),
        "killed_in_work": killed,
    }))


chance, killed = random.Random(seed), 0
finish(lambda: open_ledger(folder / "ledger.sqlite").close())
sent = min(count, 2 * HOLD)
finish(partial(ask, 0, sent))
for life in range(kills):
    more = sent + (count - sent) // (kills - life)
    finish(partial(ask, sent, more))
    sent = more
    worker = fork(partial(work, drain=False))
    time.sleep(LEASE_S + chance.uniform(0.1, 1.0))
    killed += kill(worker)
time.sleep(LEASE_S)
finish(partial(work, drain=True))
finish(look)
