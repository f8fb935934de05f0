"""Run by test_reply_kills.py: FOLDER tells|drops [all] [loses] [blind|early]. A sender dies at each step of an answer.

A step is a system call that writes to the ledger or the log or speaks with
the receiver, a real one over a socket. Each life is a fork that strace kills
at its N-th step, `all` or from the claim on; the next one, an hour later by
its clock, dies nowhere.
`loses`: the receiver's first reply is lost too. Prints a JSON line per step.
`blind` asks nobody before it sends again, `early` marks as sent what is not:
the planted bugs, which end the harness as soon as they show.
"""

import json
import shutil
import sqlite3
import sys
import time
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from faults.traced import Fault, operations, run_with_fault
from http_scene.callback_receiver import SECRET, CallbackReceiver, loses_reply
from running.forked import ended, fork

from bots.callback.surface import HttpCallback
from consumers.replies.sender import ReplySender
from consumers.resilience import Backoff
from vouch.adapters.ledger import open_ledger
from vouch.adapters.message_log.embedded.log import EmbeddedLog
from vouch.messages import QuestionAsked, TagsAudience

KILL = Fault("killed", ("connect", "sendto", "recvfrom", "pwrite64", "fdatasync", "fsync", "ftruncate"), "signal=KILL")
HOUR_S = 3600.0
CLAIMING = 12                           # steps before the post in which the row is claimed and marked


class Blind(HttpCallback):
    """Believes of every receiver that it drops repeats."""

    after_doubt = "repeat"              # type: ignore[assignment]


def mark_early(outbox: Any) -> None:
    """What is about to be posted counts as sent already."""
    mark = outbox.posting
    outbox.posting = lambda row, now, lease: mark(row, now, lease) and outbox.sent(row, now)


def live(home: Path, url: str, receiver: str, planted: str, later_s: float = 0.0) -> None:
    """Sends until nothing is left, or as long as that could take."""
    ledger = open_ledger(home / "ledger.sqlite")
    kind = Blind if planted == "blind" else HttpCallback
    surface = kind(url, SECRET, ["127.0.0.1"], after_doubt="repeat" if receiver == "drops" else "ask", timeout_s=5)
    if planted == "early":
        mark_early(ledger.outbox)
    sender = ReplySender(
        ledger, lambda audience, chunks: True, nobody, nobody, {"there": surface},
        EmbeddedLog(home / "log.sqlite").producer(), lambda: datetime.fromtimestamp(time.time() + later_s, UTC),
        backoff=Backoff(0.01, 0.01),
    )  # fmt: skip
    until = time.monotonic() + 5
    while ledger.outbox.counts().keys() - {"sent", "failed"} and time.monotonic() < until:
        if not sender.step():
            time.sleep(0.01)


def nobody(*_: Any) -> Any:
    raise AssertionError("nothing is answered anew")


def prepare(home: Path) -> None:
    home.mkdir()
    ledger = open_ledger(home / "ledger.sqlite")
    question = QuestionAsked(
        id="q1", text="Who?", surface="there", asker="public", audience=TagsAudience(tags=("public",)),
        asked_at=datetime.now(UTC),
    )
    ledger.answers.record(question, {"id": "a1", "answer": "so"}, [], ["c1"], datetime.now(UTC))
    ledger.close()
    producer = EmbeddedLog(home / "log.sqlite").producer()
    producer.send("answers", b"first", b"makes the file")
    producer.close()


def state_of(home: Path) -> str:
    db = sqlite3.connect(home / "ledger.sqlite")
    try:
        return str(db.execute("SELECT state FROM outbox").fetchone()[0])
    finally:
        db.close()


def main() -> None:
    folder, receiver, rest = Path(sys.argv[1]), sys.argv[2], sys.argv[3:]
    planted = next((one for one in rest if one in ("blind", "early")), "")
    prepare(folder / "clean")
    with CallbackReceiver(drops_repeats=receiver == "drops") as server:

        def fresh(name: str) -> Path:
            shutil.copytree(folder / "clean", folder / name)
            server.posts.clear()
            server.asked.clear()
            server.to_posts[:] = [loses_reply] if "loses" in rest else []
            return folder / name

        live(fresh("warm"), server.url, receiver, planted)      # what is imported now need not be in each life
        whole = fresh("whole")
        steps = operations(lambda: live(whole, server.url, receiver, planted), KILL, folder)
        post = [call for call, _ in steps].index("connect")
        first = 0 if "all" in rest else post if planted else post - CLAIMING
        for number, (call, at) in enumerate(steps[first:]):
            home = fresh(f"step{number}")
            life = run_with_fault(
                lambda home=home: live(home, server.url, receiver, planted), KILL, call, at, folder  # type: ignore[misc]
            )
            left = state_of(home)
            ended(fork(partial(live, home, server.url, receiver, planted, HOUR_S)))
            found = {"step": f"{call} {at}", "killed": life.hit, "crash": life.crash, "left": left,
                     "posts": len(server.posts), "asked": len(server.asked), "state": state_of(home),
                     "complaints": server.complaints}
            print(json.dumps(found), flush=True)
            shutil.rmtree(home)
            if planted and found["posts"] != 1:
                return


main()
