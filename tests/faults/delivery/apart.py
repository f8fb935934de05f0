"""Run by test_apart.py: FOLDER QUESTIONS KILLS SEED [forgetful]. Worker and sender, each a process, are killed in turn.

They are built as `vouch worker --without replies` and `vouch sender` are, on
the log, the ledger and the callback that the environment names; models are
made of hashes. Each life gets some more questions, and one of the two ends by
SIGKILL at a random moment. At last both are told to end, and what is left is
worked off. Prints as JSON how they ended and what they left. `forgetful`, the
planted bug, posts again without asking.
"""

import json
import os
import random
import signal
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

from homes.ingest_bench import Bench
from model_fakes.hashed_machines import work_with_hashed_models
from running.forked import ended, finish, fork, kill

from bots.callback.surface import HttpCallback
from composition.log import GROUP, open_log
from consumers.process import Process
from consumers.replies.sender import ReplySender
from consumers.resilience import Backoff
from consumers.wiring import components
from consumers.wiring.processes import build_sender, build_worker
from vouch.adapters.ledger import open_ledger
from vouch.adapters.ledger.documents.sources import SourceRow
from vouch.adapters.observability.processes import running
from vouch.messages import QuestionAsked, encode, key_of, topic_of
from vouch.settings import read_settings

START_S = 90.0
folder, (count, kills, seed) = Path(sys.argv[1]), map(int, sys.argv[2:5])
home = folder / "home"
os.environ["VOUCH_HOME"] = str(home)
if "forgetful" in sys.argv:
    HttpCallback.knows = lambda self, question_id: False  # type: ignore[method-assign]


def prepare() -> None:
    docs = folder / "docs"
    docs.mkdir()
    for number in range(20):
        (docs / f"{number}.md").write_text(f"# Rule {number}\n\nRule number {number} allows {number + 1} days.\n")
    (folder / "access.yaml").write_text("rules:\n  - match: '**'\n    allow: [public]\n")
    bench = Bench(home)
    bench.ledger = open_ledger(read_settings().ledger.url or home / "ledger.sqlite")
    bench.folder("docs", docs)
    bench.ledger.sources.add(SourceRow("docs", "folder", str(docs), str(folder / "access.yaml")))
    bench.ingest()


def ask(first: int, end: int) -> None:
    producer = open_log(read_settings(), home).producer()
    for number in range(first, end):
        question = QuestionAsked.model_validate({
            "id": f"q{number:05}", "text": f"How many days does rule number {number % 20} allow?", "asker": "public",
            "surface": "callback", "audience": {"tags": ["public"]}, "asked_at": datetime.now(UTC),
        })
        producer.send(topic_of(question), key_of(question), encode(question))
    producer.close()


def work(build: Callable[[], Process], *, drain: bool = False) -> None:
    components.ReplySender = partial(ReplySender, lease=timedelta(seconds=1), backoff=Backoff(0.05, 0.2))
    work_with_hashed_models(build, drain=drain)


LIVES: dict[str, Callable[[], Process]] = {
    "worker": lambda: build_worker(read_settings(), sends=False),
    "sender": lambda: build_sender(read_settings()),
}


def told_to_end(children: dict[str, int]) -> dict[str, float]:
    """Seconds that each took to end by itself; none if it ended otherwise."""
    took, began = {}, time.monotonic()
    for name, child in children.items():
        os.kill(child, signal.SIGTERM)
        if ended(child) == 0:
            took[name] = round(time.monotonic() - began, 1)
    return took


def look(killed: int, took: dict[str, float]) -> None:
    settings = read_settings()
    log, ledger = open_log(settings, home), open_ledger(settings.ledger.url or home / "ledger.sqlite")
    print(json.dumps({
        "killed": killed, "ended": took, "outbox": ledger.outbox.counts(), "lag": log.lag(GROUP, "questions"),
        "dead": sum(1 for _ in log.read("questions.dead")),
    }))


def main() -> None:
    home.mkdir()
    finish(prepare)
    chance, killed, sent = random.Random(seed), 0, 0
    children = {name: fork(partial(work, build)) for name, build in LIVES.items()}
    for life in range(kills):
        more = sent + (count - sent) // (kills - life)
        finish(partial(ask, sent, more))
        sent = more
        victim = ("worker", "sender")[life % 2]
        time.sleep(chance.uniform(0.05, 0.8))
        killed += kill(children[victim])
        children[victim] = fork(partial(work, LIVES[victim]))
    until = time.monotonic() + START_S
    while {process["pid"] for process in running(home)} < set(children.values()):
        gone = [name for name, child in children.items() if os.waitpid(child, os.WNOHANG)[0]]
        if gone or time.monotonic() > until:
            raise SystemExit(f"{gone or 'nobody'} ended, and not all are at work")
        time.sleep(0.05)
    took = told_to_end(children)
    time.sleep(1.5)                     # the leases of those that were killed
    for build in LIVES.values():
        finish(partial(work, build, drain=True))
    finish(partial(look, killed, took))


main()
