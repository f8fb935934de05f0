"""Run by test_purge_kill.py: kills a purge at its first step, its second and so on, then runs it again.

    OMP_NUM_THREADS=1 PYTHONPATH=tests:. python tests/flows/purging/kill_purge.py FOLDER STRIDE

A step is everything that changes a file or the ledger. Forks instead of
starting Python anew. Prints a JSON line per step: how it ended, and what was
wrong afterwards (nothing). STRIDE 1 takes every step.
"""

import contextlib
import itertools
import json
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from homes.grep_home import grep
from homes.ingest_bench import Bench
from homes.purge_scene import SECOND, SECRET, blobs_of, ingest_history, texts
from learning_scene.flow_answers import AT, answered
from running.forked import DIED, dying, ended, fork

from flows.purging import forgetting
from flows.runs.purge import purge
from indexers import storage
from vouch.adapters import embedding_cache
from vouch.adapters.filesystem import sqlite_file
from vouch.adapters.ledger.engine import database
from vouch.adapters.message_log.embedded import trim as log_trim
from vouch.adapters.message_log.embedded.log import EmbeddedLog
from vouch.learning.labels.label import Label

PLACE = ("docs", "board/pay.md")
_fsync = os.fsync


def in_child(work: Callable[[], Any], told: Path | None = None) -> int:
    """The exit code of `work` in a process of its own; what it returns goes to `told`."""
    def job() -> None:
        result = work()
        if told is not None:
            told.write_text(json.dumps(result))

    return ended(fork(job))


def purge_and_die(home: Path, step: int) -> None:
    bench = Bench(home)
    wrap = dying(step)
    os.fsync, os.replace = wrap(lambda handle: None), wrap(os.replace)
    os.unlink, os.rmdir = wrap(os.unlink), wrap(os.rmdir)
    scour = wrap(sqlite_file.scour)
    database.scour = log_trim.scour = embedding_cache.scour = scour
    write = database.Database.write

    @contextlib.contextmanager
    def write_and_step(self: Any, *about: Any) -> Any:
        with write(self, *about) as connection:
            yield connection
            wrap(lambda: None)()                            # before the commit
        wrap(lambda: None)()                                # and after it

    database.Database.write = write_and_step  # type: ignore[method-assign]
    purge(bench.components, PLACE, with_copies=False)


def look_and_go_on(home: Path, expected: dict[str, dict[str, str]], blobs: list[bytes], by_ingest: bool) -> list[str]:
    """What is wrong after a kill, and after the purge was gone on with."""
    bench, wrong = Bench(home), []
    os.fsync = lambda handle: None
    store = bench.components.store
    for row in bench.ledger.versions.rows():
        if row.state == "published":
            wrong += [f"after the kill: {problem}" for problem in store.verify(row.number)]
    if by_ingest:
        bench.ingest()
        # Killed before it was asked for: then nothing happened yet.
        if not bench.ledger.purges.all():
            purge(bench.components, PLACE, with_copies=False)
    elif not bench.ledger.purges.all() or bench.ledger.purges.unfinished():
        purge(bench.components, PLACE, with_copies=False)
    wrong += [f"unfinished: {row.state}" for row in bench.ledger.purges.unfinished()]
    wrong += grep(home, SECRET, blobs)
    for row in bench.ledger.versions.rows():
        if row.state == "published":
            wrong += [f"in the end: {problem}" for problem in store.verify(row.number)]
    for number, held in expected.items():
        if texts(bench, int(number)) != held:
            wrong.append(f"version {number} holds other documents than it should")
    wrong += [f"left over: {path.name}" for path in home.iterdir() if "notes" in path.name or path.suffix == ".tmp"]
    if bench.ledger.surface.read("q")["reason"] != "removed":
        wrong.append("the answer still stands")
    wrong += [f"a label keeps: {label.question}" for label in bench.ledger.labels.list()]
    return wrong


def prepare(home: Path, docs: Path) -> dict[str, Any]:
    bench = Bench(home)
    ingest_history(bench, docs)
    answered(bench, "q", "What is the pay?", cites=[PLACE], text=SECOND[60:160])
    bench.ledger.labels.put([
        Label("What is the pay?", ("public",), "0" * 32, None, 4, 2, "judged", 1.0, AT, person="user:ana@acme.test"),
    ])
    producer = EmbeddedLog(home / "log.sqlite").producer()
    producer.send("answers", b"k", SECOND.encode())
    producer.close()
    blobs = [blob.hex() for blob in blobs_of(bench)]
    held = {n: {k: v for k, v in texts(bench, n).items() if "pay" not in k} for n in range(1, 5)}
    bench.ledger.close()
    return {"blobs": blobs, "held": held}


def main(folder: Path, stride: int, first: int) -> None:
    base, told = folder / "base", folder / "told.json"
    assert in_child(lambda: prepare(base, folder / "docs"), told) == 0
    made = json.loads(told.read_text())
    blobs = [bytes.fromhex(blob) for blob in made["blobs"]]
    assert grep(base, SECRET, blobs)
    # Where the file still lies it stays the source's; the purge keeps it out.
    for step in itertools.count(first, stride):
        home = folder / "home"
        shutil.rmtree(home, ignore_errors=True)
        shutil.copytree(base, home)
        code = in_child(lambda: purge_and_die(home, step))  # noqa: B023
        done = in_child(lambda: look_and_go_on(home, made["held"], blobs, step % 2 == 0), told)  # noqa: B023
        problems = json.loads(told.read_text()) if done == 0 else [f"going on ended with {done}"]
        print(json.dumps({"step": step, "code": code, "problems": problems}), flush=True)
        if code != DIED:
            break


if __name__ == "__main__":
    assert forgetting and storage
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
