"""How long one search takes, without the query encoding, by share of visible chunks.

    python benchmarks/index_search.py --chunks 200000

Documents of five chunks, each chunk of 60 to 180 words of a Zipf vocabulary,
spread over 100 groups; an audience of n groups sees n % of them.
"""

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from two_world.machines import FixedPermissions, MemoryVersions
from two_world.worlds import make_record

from indexers.publish import IndexStore
from indexers.reader import LiveIndex
from vouch.access import Audience, Directory, Permissions, Reader, Rule, RuleBook
from vouch.adapters.analyser import SnowballAnalyser

DIMENSIONS = 384
GROUPS = 100


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chunks", type=int, default=200_000)
    parser.add_argument("--queries", type=int, default=100)
    parser.add_argument("--batches", type=int, default=1, help="publishes the corpus is spread over")
    options = parser.parse_args()
    rng = np.random.default_rng(7)
    vocabulary = np.array([_word(n) for n in range(60_000)])
    weight = 1 / np.arange(10, len(vocabulary) + 10)
    ends = np.cumsum(weight) / weight.sum()

    def words(count: int) -> list[str]:
        return vocabulary[np.searchsorted(ends, rng.random(count))].tolist()

    with tempfile.TemporaryDirectory() as home:
        store = IndexStore(Path(home), MemoryVersions(), SnowballAnalyser(), 120.0)
        start = time.perf_counter()
        documents = options.chunks // 5
        for batch in np.array_split(np.arange(documents), options.batches):
            records = [
                make_record("s", f"g{n % GROUPS}/{n}.md",
                            [("Notes", [" ".join(words(int(rng.integers(60, 181)))) for _ in range(5)])])
                for n in batch.tolist()
            ]
            store.publish(
                store.open_current(), changed=records, moved={}, removed=[], cursors={}, vectors=_random(rng),
                fingerprints=store.fingerprints("random", "by hand"),
            )
        print(f"published {options.chunks} chunks in {time.perf_counter() - start:.1f} s")
        rules = RuleBook(tuple(Rule(f"g{n}/**", frozenset({f"group:g{n}"})) for n in range(GROUPS)))
        index = LiveIndex(store, FixedPermissions(Permissions(1, {"s": rules}, Directory())))
        start = time.perf_counter()
        index.version()
        print(f"opened in {time.perf_counter() - start:.2f} s, {len(index.version().segments)} segments")
        analyser = SnowballAnalyser()
        for share in (1, 10, 50, 100):
            audience = Audience((Reader("all", frozenset(f"group:g{n}" for n in range(share))),))
            start = time.perf_counter()
            index.view(audience)
            first = (time.perf_counter() - start) * 1e3
            questions = [analyser.terms(" ".join(words(9))) for _ in range(options.queries)]
            vectors = rng.standard_normal((options.queries, DIMENSIONS), dtype=np.float32)
            print(f"{share:3d} % visible: first view {first:.0f} ms, {measured(index, audience, questions, vectors)}")


def measured(index: LiveIndex, audience: Audience, questions: list[list[str]], vectors: np.ndarray) -> str:
    times: dict[str, list[float]] = {"lexical": [], "dense": [], "both": []}
    for terms, vector in zip(questions, vectors, strict=True):
        start = time.perf_counter()
        view = index.view(audience)
        view.lexical(terms, 100)
        middle = time.perf_counter()
        view.dense(vector, 100)
        end = time.perf_counter()
        for name, seconds in (("lexical", middle - start), ("dense", end - middle), ("both", end - start)):
            times[name].append(seconds * 1e3)
    return ", ".join(f"{n} p50 {statistics.median(t):.1f} p95 {np.quantile(t, 0.95):.1f} ms" for n, t in times.items())


def _word(number: int) -> str:
    """A word of letters alone, so that the analyser makes one term of it."""
    return "k" + "".join("bcdfghjklmnprtvwz"[number // 17**place % 17] for place in range(4)) + "o"


def _random(rng: np.random.Generator) -> Callable[[list[bytes]], np.ndarray]:
    def vectors(keys: list[bytes]) -> np.ndarray:
        rows = rng.standard_normal((len(keys), DIMENSIONS), dtype=np.float32)
        return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float16)

    return vectors


if __name__ == "__main__":
    main()
