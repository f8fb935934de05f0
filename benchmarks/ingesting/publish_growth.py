"""What a publish of one changed document costs as versions add up, with an encoder made of hashes.

    OMP_NUM_THREADS=1 PYTHONPATH=tests:. .venv/bin/python benchmarks/ingesting/publish_growth.py --folder /dev/shm

Medians per hundred versions, in milliseconds: opening what is current,
publishing, tidying up, and the processor time of all three.
"""

import argparse
import statistics
import tempfile
import time
from itertools import pairwise
from pathlib import Path

from two_world.stand_ins import HashEncoder, MemoryVectors
from two_world.worlds import ANALYSER, SOURCE, make_record

from indexers.building.changes import model_inputs
from indexers.publishing.index_store import IndexStore
from vouch.adapters.ledger import open_ledger
from vouch.documents.document import DocumentRecord


def record(number: int, edition: int) -> DocumentRecord:
    passages = (f"travel {number} rule", f"leave {number}", f"budget {number % 7} edition {edition}", "badge laptop")
    return make_record(SOURCE, f"open/{number:05}.md", [("Rules", passages)])


def publish(store: IndexStore, vectors: MemoryVectors, records: list[DocumentRecord]) -> tuple[float, ...]:
    vectors.learn([text for one in records for text in model_inputs(one)])
    processor = time.process_time()
    moments = [time.perf_counter()]
    base = store.open_current()
    moments.append(time.perf_counter())
    store.publish(base, changed=records, moved={}, removed=[], cursors={}, vectors=vectors.get,
                  fingerprints=store.fingerprints(HashEncoder.fingerprint, "by hand"))
    moments.append(time.perf_counter())
    store.sweep_if_due()
    moments.append(time.perf_counter())
    return (*(b - a for a, b in pairwise(moments)), time.process_time() - processor)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--versions", type=int, default=600)
    parser.add_argument("--documents", type=int, default=1000)
    parser.add_argument("--folder", type=Path, default=None)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
        home = Path(folder)
        store = IndexStore(home, open_ledger(home / "ledger.sqlite").versions, ANALYSER, 8.0)
        vectors = MemoryVectors(HashEncoder())
        publish(store, vectors, [record(n, 0) for n in range(given.documents)])
        print("versions          open  publish  tidy  processor")
        taken = []
        for edition in range(1, given.versions + 1):
            taken.append(publish(store, vectors, [record(edition * 37 % given.documents, edition)]))
            if edition % 100 == 0:
                medians = [1000 * statistics.median(column) for column in zip(*taken[-100:], strict=True)]
                print(f"{edition - 98:>5} to {edition + 1:<6}" + "".join(f"{value:8.1f}" for value in medians))


if __name__ == "__main__":
    main()
