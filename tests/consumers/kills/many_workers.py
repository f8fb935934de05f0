"""Run by test_many_workers.py: FOLDER DOCUMENTS QUESTIONS WORKERS STEPS [impatient]. Workers answer beside an ingest.

All share one ledger and one log in SQLite. The documents come in STEPS
ingests while the questions come in; models are made of hashes. Prints as
JSON what the ledger, the log and everybody's log lines say then. `impatient`
is the planted bug: whoever finds the ledger locked does not wait for it.
"""

import json
import logging
import os
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from homes.ingest_bench import Bench
from model_fakes.hashed_machines import work_with_hashed_models
from running.forked import ended, fork

from composition.log import GROUP
from consumers.wiring.processes import build_worker
from vouch.adapters.access.watched import WatchedPermissions
from vouch.adapters.ledger import open_ledger
from vouch.adapters.ledger.documents.sources import SourceRow
from vouch.adapters.ledger.engine import sqlite_engine
from vouch.adapters.message_log.embedded.log import EmbeddedLog
from vouch.messages import QuestionAsked, encode, key_of, topic_of
from vouch.settings import read_settings

folder = Path(sys.argv[1])
documents, questions, workers, steps = map(int, sys.argv[2:6])
home, docs = folder / "home", folder / "docs"
os.environ["VOUCH_HOME"] = str(home)
WORDS = ("leave", "travel", "expense", "laptop", "visa", "office", "holiday", "training", "salary", "notice")
if "impatient" in sys.argv:
    sqlite_engine.BUSY_MS = 0


def write(first: int, end: int) -> None:
    for n in range(first, end):
        place = docs / f"{n % 100:02}" / f"{n}.md"
        place.parent.mkdir(parents=True, exist_ok=True)
        one, two = WORDS[n % 10], WORDS[n // 10 % 10]
        place.write_text(f"# {one} {n}\n\nThe {one} rule number {n} is about {two}. It allows {n % 28 + 1} days.\n")


def bench() -> Bench:
    opened = Bench(home)
    opened.limits = type(opened.limits)(180, 30, 0.2, 64)
    opened.folder("docs", docs)
    return opened


def ingest() -> None:
    each = documents // steps
    for step in range(steps):
        write(step * each, (step + 1) * each)
        bench().ingest()


def work() -> None:
    work_with_hashed_models(lambda: build_worker(read_settings()))


def ask() -> None:
    producer = EmbeddedLog(home / "log.sqlite").producer()
    for n in range(questions):
        question = QuestionAsked.model_validate({
            "id": f"q{n:05}", "text": f"How many days does the {WORDS[n % 10]} rule number {n} allow?",
            "surface": "terminal", "asker": "public", "audience": {"tags": ["public"]}, "asked_at": datetime.now(UTC),
        })
        producer.send(topic_of(question), key_of(question), encode(question))
        time.sleep(0.02)


def started(name: str, job: Callable[[], None]) -> int:
    """A child whose log lines, and what it failed with, go to a file of its name."""
    return fork(partial(logged, name, job))


def logged(name: str, job: Callable[[], None]) -> None:
    form = "%(asctime)s %(levelname)s %(name)s %(message)s"
    logging.basicConfig(filename=folder / f"{name}.log", level="WARNING", force=True, format=form)
    try:
        job()
    except BaseException:
        logging.getLogger(name).exception("ended")
        raise


def prepare() -> None:
    write(0, 20)
    opened = bench()
    access = folder / "access.yaml"
    access.write_text("rules:\n  - match: '**'\n    allow: [public]\n")
    opened.ledger.sources.add(SourceRow("docs", "folder", str(docs), str(access)))
    WatchedPermissions(opened.ledger.sources, opened.ledger.access).refresh()   # what rules grant, a later scan gives
    opened.ingest()


def look(codes: dict[str, int]) -> None:
    ledger, log = open_ledger(home / "ledger.sqlite"), EmbeddedLog(home / "log.sqlite")
    lines = [line for file in sorted(folder.glob("*.log")) for line in file.read_text().splitlines()]
    answered = [ledger.surface.read(f"q{n:05}") for n in range(questions)]
    announced = Counter(json.loads(record.value)["question_id"] for record in log.read("answers"))
    with ledger._database.read() as connection:
        attempts: Any = connection.exec_driver_sql("SELECT COUNT(*) FROM attempts").scalar_one()
        doubled: Any = connection.exec_driver_sql(
            "SELECT COUNT(*) FROM (SELECT question_id FROM answers GROUP BY 1 HAVING COUNT(*) > 1)"
        ).scalar_one()
    version = bench().components.store.open_current()
    print(json.dumps({
        "codes": codes,
        "unanswered": sum(answer is None for answer in answered),
        "doubled": doubled + sum(times > 1 for times in announced.values()),
        "found": sum(answer is not None and answer["action"] != "declined" for answer in answered),
        "lock_lines": [line for line in lines if "lock" in line.lower() or "busy" in line.lower()][:5],
        "other_lines": [line for line in lines if "lock" not in line.lower() and "busy" not in line.lower()][:5],
        "attempts_left": attempts,
        "dead": len(list(log.read("questions.dead"))),
        "lag": log.lag(GROUP, "questions"),
        "documents": len(version.known("docs")) if version else 0,
        "versions": version.number if version else 0,
    }))


def main() -> None:
    home.mkdir()
    codes = {"prepare": ended(started("prepare", prepare))}
    crew = [started(f"worker{n}", work) for n in range(workers)]
    began = time.monotonic()
    ingesting, asking = started("ingest", ingest), started("ask", ask)
    codes |= {"ask": ended(asking), "ingest": ended(ingesting)}
    seconds = round(time.monotonic() - began, 1)
    codes["wait"] = ended(started("wait", wait_for_answers))
    for worker in crew:
        os.kill(worker, signal.SIGTERM)
    codes |= {f"worker{n}": ended(worker) for n, worker in enumerate(crew)}
    codes["seconds"] = int(seconds)
    if ended(started("look", partial(look, codes))):
        raise SystemExit((folder / "look.log").read_text())


def wait_for_answers() -> None:
    ledger = open_ledger(home / "ledger.sqlite")
    until = time.monotonic() + (1 if "impatient" in sys.argv else 300)
    while time.monotonic() < until and any(ledger.surface.read(f"q{n:05}") is None for n in range(questions)):
        time.sleep(0.1)


main()
