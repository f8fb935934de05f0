"""Run by test_history.py: replays a file of events, one version per commit, with an encoder made of hashes.

    PYTHONPATH=tests:. python tests/faults/replay.py HOME EVENTS UNTIL

Goes on where an earlier run of the same home was killed. Prints a JSON row per version.
"""

import json
import sys
import time
from pathlib import Path

from ingest_bench import Bench

from flows.run import ingest_direct
from vouch.documents.document import RunReport


def main(home: Path, events: Path, until: int) -> None:
    bench = Bench(home)
    bench.events("handbook", events)
    machines = bench.machines
    store, publish = machines.store, machines.store.publish
    timed: list[float] = []

    def timing(*arguments: object, **named: object) -> object:
        started = time.perf_counter()
        try:
            return publish(*arguments, **named)  # type: ignore[arg-type]
        finally:
            timed.append(time.perf_counter() - started)

    def tell(report: RunReport) -> None:
        row = {"version": report.version, "embedded": report.embedded, "changed": report.changed,
               "added": report.added, "renamed": report.renamed, "removed": report.removed,
               "chunks": report.chunks_added, "touched": report.chunks_added + report.chunks_kept,
               "publish_s": timed[-1] if timed else 0.0}
        print(json.dumps(row), flush=True)

    store.publish = timing  # type: ignore[method-assign]
    ingest_direct(machines, ["handbook"], step=1, until=until, allow_removals=True, done=tell)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]))
