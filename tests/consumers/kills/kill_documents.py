"""Run by test_documents_kill.py: FOLDER CHANGES KILLS SEED [hasty]. Edits a folder, tells the log, kills the workers.

Each worker is a fork that ingests for real (with an encoder made of hashes)
and dies by SIGKILL at a random moment; the last one drains the log. A hasty
worker commits a message before its ingest: the planted bug. Prints what the
index knows and what stands in the folder.
"""

import json
import random
import sys
import threading
import time
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from hashlib import sha256
from pathlib import Path

from homes.ingest_bench import Bench
from running.forked import ended, fork, kill

from consumers.documents.consumer import TOPIC, DocumentsWorker
from flows.runs.runner import DirectRunner
from vouch.adapters.message_log.embedded.log import EmbeddedLog
from vouch.messages import DocumentsChanged, encode

folder, changes, kills, seed = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
hasty = "hasty" in sys.argv
docs, home = folder / "docs", folder / "home"


def now() -> datetime:
    return datetime.now(UTC)


def log() -> EmbeddedLog:
    return EmbeddedLog(folder / "log.sqlite", lease_seconds=0.5)


def bench() -> Bench:
    made = Bench(home)
    made.folder("docs", docs)
    made.limits = replace(made.limits, max_removed_share=1.0)
    return made


class Hasty(DocumentsWorker):
    def _take(self, record) -> None:
        super()._take(record)
        self._consumer.commit(record)


def work(*, drain: bool = False) -> None:
    kind = Hasty if hasty else DocumentsWorker
    worker = kind(log(), "g", DirectRunner(lambda: bench().components), bench().ledger.attempts, now,
                  threading.Event(), quiet_s=0.02, longest_s=0.1, max_attempts=1000)
    worker.run(drain=drain)


docs.mkdir()
(docs / "stays.md").write_text("# Stays\n\nIt stays.\n")
bench().ingest(["docs"])
chance = random.Random(seed)
producer = log().producer()
worker = fork(work)
ends = sorted(chance.sample(range(1, changes), kills))
for n in range(changes):
    path = docs / f"{chance.randrange(8)}.md"
    if path.exists() and chance.random() < 0.3:
        path.unlink()
    else:
        path.write_text(f"# Page\n\nThis is what number {n} says.\n")
    producer.send(TOPIC, b"docs", encode(DocumentsChanged(source="docs", paths=(path.name,), at=now())))
    time.sleep(chance.uniform(0.0, 0.15))
    if ends and n == ends[0]:
        ends.pop(0)
        kill(worker)
        worker = fork(work)
kill(worker)
if not hasty:
    time.sleep(0.6)                     # the dead member's lease
print(json.dumps({
    "ended": ended(fork(partial(work, drain=True))),
    "known": bench().known("docs"),
    "there": {path.name: sha256(path.read_bytes()).hexdigest() for path in docs.iterdir()},
    "lag": log().lag("g", TOPIC),
    "dead": len(list(log().read(f"{TOPIC}.dead"))),
}))  # fmt: skip
