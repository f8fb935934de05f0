"""Run by test_side_by_side.py, once per source: edits the source's documents and ingests it, again and again.

    PYTHONPATH=tests:. python tests/flows/ingesting/ingest_beside.py HOME DOCS NAME ROUNDS

Says that it is ready and waits for a line; then prints one line of JSON per
round: the version and how many texts were embedded.
"""

import json
import sys
from pathlib import Path

from homes.ingest_bench import Bench


def main(home: Path, docs: Path, name: str, rounds: int) -> None:
    bench = Bench(home)
    bench.folder(name, docs)
    print("ready", flush=True)
    sys.stdin.readline()
    for n in range(rounds):
        (docs / f"{n}.md").write_text(f"# New\n\nThis is document {n} of {name}.\n")
        (docs / "same.md").write_text(f"# Same\n\nEdition {n} of {name}.\n")
        if n:
            (docs / f"{n - 1}.md").rename(docs / f"{n - 1}-moved.md")
        (report,) = bench.ingest([name])
        print(json.dumps({"version": report.version, "embedded": report.embedded}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], int(sys.argv[4]))
