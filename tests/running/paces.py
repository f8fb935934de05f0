"""How long equal publishes take on different homes, in turn, so that whatever else the machine does falls on all."""

import statistics
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from homes.ingest_bench import Bench
from two_world.worlds import make_record

from flows.shared.components import IngestComponents
from indexers.building.changes import model_inputs
from indexers.segments.segment import input_key


def paces(homes: Sequence[Path], rounds: int) -> list[float]:
    """Seconds that opening the current version and publishing one new chunk takes, per home: the median."""
    benches = [Bench(home) for home in homes]
    components = [bench.components for bench in benches]
    taken: list[list[float]] = [[] for _ in homes]
    for number in range(rounds):
        for bench, on, seconds in zip(benches, components, taken, strict=True):
            seconds.append(_publish(bench, on, number))
    for bench in benches:
        bench.ledger.close()
    return [statistics.median(seconds[rounds // 10 :]) for seconds in taken]


def _publish(bench: Bench, components: IngestComponents, number: int) -> float:
    record = make_record("handbook", "pace.md", [("Rules", ("travel budget", "leave", f"edition {number}"))])
    inputs = model_inputs(record)
    vectors = dict(zip(map(input_key, inputs), bench.encoder.passages(inputs).astype(np.float16), strict=True))
    started = time.perf_counter()
    base = components.store.open_current()
    assert base is not None
    components.store.publish(
        base, changed=[record], moved={}, removed=[], cursors=base.manifest.cursors,
        fingerprints=components.fingerprints, vectors=lambda keys: np.array([vectors[key] for key in keys], np.float16),
    )
    return time.perf_counter() - started
