"""Run by test_steps_in_queue.py: FOLDER. Asks a question of several steps, and dies in each of them in turn.

A moment is one before or after an order of the planner or a call of a tool. Each
life is a fork; the next one, an hour later by its clock, dies nowhere. Prints one
JSON line per moment.
"""

import json
import os
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from homes.small_world import handbook, passage, small_world
from machines.board import Board
from running.forked import DIED, ended, finish, fork

from consumers.questions.handler import QuestionHandler
from consumers.replies.sender import ReplySender
from consumers.resilience import Backoff
from consumers.worker.worker import Worker
from vouch.adapters.ledger import open_ledger
from vouch.adapters.message_log.embedded.log import EmbeddedLog
from vouch.correction.loop import answer_question
from vouch.correction.outcome import Outcome
from vouch.correction.planning.planners import RulePlanner
from vouch.correction.steps import further
from vouch.correction.steps.tools import TOOLS
from vouch.messages import QuestionAsked, TagsAudience, encode

NOW = datetime(2026, 11, 21, tzinfo=UTC)
HOUR = 3600.0
TEXT = "Who leads the team that owns the payment gateway, how many weeks of leave do parents get and what is Atlantis?"
ROWS = [
    passage("The payment gateway is owned by the Falcon team.", chunk_id="gateway", path="gateway.md", title="Gateway"),
    passage("Falcon is on call from Monday. Its lead is Mara Lind.", chunk_id="falcon", path="f.md", title="Falcon"),
    *handbook(),
]


class Moments:
    def __init__(self, last: int) -> None:
        self._left = last

    def __call__(self) -> None:
        self._left -= 1
        if self._left == 0:
            os._exit(DIED)

    def around(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def watched(*given: Any) -> Any:
            self()
            found = call(*given)
            self()
            return found

        return watched


def answering(moments: Moments) -> Callable[[QuestionAsked], Outcome]:
    made = small_world(ROWS)
    further.TOOLS = {name: moments.around(tool) for name, tool in TOOLS.items()}    # type: ignore[misc]
    planner: Any = RulePlanner()
    planner.next_step = moments.around(planner.next_step)
    components = replace(made.components, planner=planner)
    return lambda asked: answer_question(replace(made.ask(asked.text), id=asked.id, steps=4), components)


def live(home: Path, last: int, later: float) -> None:
    """A worker and a sender until nothing is left to do."""
    def clock() -> datetime:
        return datetime.fromtimestamp(time.time() + later, UTC)

    answer = answering(Moments(last))
    ledger = open_ledger(home / "ledger.sqlite")
    log = EmbeddedLog(home / "log.sqlite", clock=lambda: time.time() + later)
    decline: Any = None
    handler = QuestionHandler(answer, decline, ledger, clock)
    sender = ReplySender(ledger, lambda audience, chunks: True, answer, decline, {"board": Board(home / "board")},
                         log.producer(), clock, backoff=Backoff(0, 0))
    Worker(log, "g", {"questions": handler}, ledger.attempts, clock, threading.Event()).run(drain=True)
    while sender.step():
        pass


def prepare(home: Path) -> None:
    open_ledger(home / "ledger.sqlite").close()
    question = QuestionAsked(id="q1", text=TEXT, surface="board", asker="public", asked_at=NOW,
                             audience=TagsAudience(tags=("public",)))
    producer = EmbeddedLog(home / "log.sqlite").producer()
    producer.send("questions", b"q1", encode(question))
    producer.close()


def tell(home: Path, end: int) -> None:
    """The next life and what is found after it."""
    if end == DIED:
        live(home, 0, HOUR)
    ledger, log = open_ledger(home / "ledger.sqlite"), EmbeddedLog(home / "log.sqlite")
    recorded: Any = ledger.answers.by_question("q1")
    print(json.dumps({
        "end": end, "posts": [line.split()[1] for line in (home / "board").read_text().splitlines()],
        "recorded": recorded["id"], "steps": len(ledger.answers.steps(recorded["id"])),
        "lag": log.lag("g", "questions"), "outbox": ledger.outbox.counts(),
    }), flush=True)


folder = Path(sys.argv[1])
for last in range(1, 100):
    home = folder / str(last)
    home.mkdir()
    finish(partial(prepare, home))
    end = ended(fork(partial(live, home, last, 0.0)))
    finish(partial(tell, home, end))
    if end != DIED:
        break
