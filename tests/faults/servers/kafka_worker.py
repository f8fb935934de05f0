"""Run by tests of workers on Kafka: FOLDER SERVERS PREFIX SECONDS NAME [static] [lingers] [early|quits|forgetful].

Works a Kafka log until SIGTERM, with a ledger in FOLDER or where VOUCH_LEDGER__URL says. `static`: it comes back under
its name. `lingers`: a while passes between a post and its mark.

A question takes SECONDS to answer; the poll interval is a second. Posts go to
FOLDER/board and begun answers to FOLDER/begun, where each stays to be counted.
Planted bugs: `early` commits what is read before it is answered, `quits` takes
an outage of the log for the end, `forgetful` posts again without asking.
"""

import logging
import os
import sys
import threading
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from machines.board import Board, Early, Result, append, decline
from machines.board import answer as answered

from consumers.process import stop_on_signals
from consumers.questions.handler import QuestionHandler
from consumers.replies.sender import ReplySender
from consumers.resilience import OUTAGE, Backoff
from consumers.worker.message_processor import Dead
from consumers.worker.worker import Worker
from vouch.adapters.ledger import open_ledger
from vouch.adapters.message_log.kafka.connection import KafkaConnection
from vouch.adapters.message_log.kafka.log import KafkaLog
from vouch.messages import QuestionAsked
from vouch.ports.log import Record

folder, servers, prefix, seconds, name = Path(sys.argv[1]), sys.argv[2], sys.argv[3], float(sys.argv[4]), sys.argv[5]
planted = sys.argv[6:]
POLL_S, SESSION_S, TIMEOUT_S = 1.0, 3.0, 2.0


def answer(question: QuestionAsked) -> Result:
    append(folder / "begun", f"{question.id} {name}")
    time.sleep(seconds)
    return answered(question)


class Drains(Worker):
    _doomed: tuple[Record, ...] = ()

    def step(self, timeout_s: float, *, hold: int | None = None) -> bool:
        try:
            moved = super().step(timeout_s, hold=hold)
        except OUTAGE:
            self._doomed = tuple(self._due.values()) or self._doomed
            raise
        doomed, self._doomed = self._doomed, ()
        for record in doomed:
            self._bury(record, Dead(RuntimeError("an outage"), 1, now()))
        return moved


def now() -> datetime:
    return datetime.now(UTC)


form = "%(asctime)s %(levelname)s %(name)s %(message)s"
logging.basicConfig(level="INFO", filename=folder / f"{name}.log", format=form)
logging.getLogger("kafka").setLevel("CRITICAL")
log = KafkaLog(KafkaConnection(
    servers, topic_prefix=prefix, poll_seconds=POLL_S, session_seconds=SESSION_S, timeout_seconds=TIMEOUT_S,
    instance=name if "static" in planted else "",
))
ledger, stop = open_ledger(os.environ.get("VOUCH_LEDGER__URL") or folder / "ledger.sqlite"), threading.Event()
stop_on_signals(stop)
handler = QuestionHandler(answer, decline, ledger, now)
kinds = {"early": Early, "drains": Drains}
working = next((kinds[word] for word in planted if word in kinds), Worker)(
    log, "g", {"questions": handler}, ledger.attempts, now, stop, backoff=Backoff(0.1, 1.0), hold=16
)
board = Board(folder / "board", forgetful="forgetful" in planted, lingers_s=0.05 if "lingers" in planted else 0)
sender = ReplySender(
    ledger, lambda audience, chunks: True, answer, decline, {"board": board}, log.producer(), now,
    backoff=Backoff(0.05, 0.5), lease=timedelta(seconds=2),
)  # fmt: skip
sending = threading.Thread(target=sender.run, args=(stop,))
sending.start()
try:
    working.run()
finally:
    stop.set()
    sending.join()
