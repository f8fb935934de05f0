"""Run by test_history.py: replays a file of events, one version per commit, with an encoder made of hashes.

    PYTHONPATH=tests:. python tests/faults/index/replay.py HOME EVENTS UNTIL

Goes on where an earlier run of the same home was killed. Prints a JSON row per version.
"""

import json
import sys
from pathlib import Path

from homes.ingest_bench import Bench

from flows.ingesting.extent import Extent
from flows.runs.run import ingest_direct
from vouch.documents.document import RunReport


def main(home: Path, events: Path, until: int) -> None:
    bench = Bench(home)
    bench.events("handbook", events)
    components = bench.components

    def tell(report: RunReport) -> None:
        row = {"version": report.version, "embedded": report.embedded, "changed": report.changed,
               "added": report.added, "renamed": report.renamed, "removed": report.removed,
               "chunks": report.chunks_added, "touched": report.chunks_added + report.chunks_kept}
        print(json.dumps(row), flush=True)

    ingest_direct(components, ["handbook"], Extent(until, 1, allow_removals=True), done=tell)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]))
