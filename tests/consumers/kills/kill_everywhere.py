"""Run by test_kill.py: FOLDER [forgetful]. Asks one question, twice, and dies at every step in turn.

A step is the moment before or after a call of the log, the surface or the
loop, or before a change or commit of the ledger. Each life is a fork; the next
one, an hour later by its clock, dies nowhere. Prints one JSON line per step.
A forgetful surface denies that a post is there: the planted bug, which ends the
harness as soon as it shows. Then only calls of the surface are steps: all
others are more on a machine under load, where claims are renewed, so that none
of two lives in turn might die right behind the post.
"""

import json
import os
import shutil
import sys
import threading
import time
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from machines.board import Board, Result
from running.forked import DIED, ended, finish, fork
from sqlalchemy import event

from consumers.questions.handler import QuestionHandler
from consumers.replies.sender import ReplySender
from consumers.resilience import Backoff
from consumers.worker.worker import Worker
from vouch.adapters.ledger import open_ledger
from vouch.adapters.message_log.embedded.log import EmbeddedLog
from vouch.messages import QuestionAsked, TagsAudience, encode

NOW = datetime(2026, 11, 21, tzinfo=UTC)
HOUR = 3600.0
CHANGES = ("INSERT", "UPDATE", "DELETE")


class Steps:
    """Counts, and ends the process at the step it is told to."""

    def __init__(self, last: int) -> None:
        self._left = last

    def __call__(self, *_: Any) -> None:
        self._left -= 1
        if self._left == 0:
            os._exit(DIED)


class Watched:
    """`inner`, with a step before and after each of its methods' calls."""

    def __init__(self, inner: Any, step: Steps) -> None:
        self._inner, self._step = inner, step

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._inner, name)
        if not callable(found):
            return found

        def call(*arguments: Any, **named: Any) -> Any:
            self._step()
            result = found(*arguments, **named)
            self._step()
            return Watched(result, self._step) if name in ("consumer", "producer") else result

        return call


class Loop:
    def __init__(self, given: list[str]) -> None:
        self.given = given

    def answer(self, question: QuestionAsked) -> Result:
        rows = [{"chunk_id": c, "cited": True, "evidence": {}, "schema": 1, "features": {}} for c in self.given]
        return Result({"id": os.urandom(4).hex(), "answer": "so"}, self.given, rows)

    def decline(self, question: QuestionAsked, reason: str) -> dict[str, Any]:
        return {"id": os.urandom(4).hex(), "reason": reason}


def live(home: Path, last: int, forgetful: bool, later: float) -> None:
    """A worker and a sender until nothing is left to do. The first ground has fallen away when it comes to sending."""
    counted, clock = Steps(last), (lambda: datetime.fromtimestamp(time.time() + later, UTC))
    step = Steps(0) if forgetful else counted
    ledger = open_ledger(home / "ledger.sqlite")
    engine = ledger._database._engine
    event.listen(engine, "commit", step)
    event.listen(engine, "before_cursor_execute", lambda *a: step() if a[2].startswith(CHANGES) else None)
    log = Watched(EmbeddedLog(home / "log.sqlite", clock=lambda: time.time() + later), step)
    first, second = Watched(Loop(["gone"]), step), Watched(Loop(["c1"]), step)
    handler = QuestionHandler(first.answer, first.decline, ledger, clock)
    sender = ReplySender(
        ledger, lambda audience, chunks: "gone" not in chunks, second.answer, second.decline,
        {"board": Watched(Board(home / "board", forgetful=forgetful), counted)}, log.producer(), clock,
        backoff=Backoff(0, 0),
    )  # fmt: skip
    Worker(log, "g", {"questions": handler}, ledger.attempts, clock, threading.Event()).run(drain=True)
    while sender.step():
        pass


def prepare(home: Path) -> None:
    open_ledger(home / "ledger.sqlite").close()
    question = QuestionAsked(
        id="q1", text="Who?", surface="board", asker="public", audience=TagsAudience(tags=("public",)), asked_at=NOW
    )
    producer = EmbeddedLog(home / "log.sqlite").producer()
    for _ in range(2):
        producer.send("questions", b"q1", encode(question))
    producer.close()


def look(home: Path) -> dict[str, Any]:
    ledger, log = open_ledger(home / "ledger.sqlite"), EmbeddedLog(home / "log.sqlite")
    recorded = ledger.answers.by_question("q1")
    return {
        "posts": [line.split()[1] for line in (home / "board").read_text().splitlines()],
        "recorded": recorded and recorded["id"],
        "outbox": ledger.outbox.counts(),
        "lag": log.lag("g", "questions"),
        "dead": len(list(log.read("questions.dead"))),
        "announced": sorted({json.loads(record.value)["answer_id"] for record in log.read("answers")}),
    }


def tell(home: Path, end: int) -> None:
    """The next life and what is found after it."""
    if end == DIED:
        live(home, 0, forgetful, HOUR)
    found = look(home) | {"end": end}
    print(json.dumps(found), flush=True)
    os._exit(2 if len(found["posts"]) > 1 else 0)


folder, forgetful = Path(sys.argv[1]), "forgetful" in sys.argv
finish(partial(prepare, folder))
for last in range(1, 1000):
    home = folder / str(last)
    home.mkdir()
    for file in folder.glob("*.sqlite*"):
        shutil.copy(file, home)
    end = ended(fork(partial(live, home, last, forgetful, 0.0)))
    doubled = ended(fork(partial(tell, home, end)))
    shutil.rmtree(home)
    if end != DIED or doubled:
        break
