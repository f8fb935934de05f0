"""What the HNSW option finds and costs beside exact search, by share of visible rows, in one segment.

    .venv/bin/python benchmarks/search/graph_search.py

Two kinds of vectors, for a graph does much better on the one than on the
other: random ones, and ones of 32 hidden dimensions with noise, which is
nearer to what texts give. Times are processor time of the searching thread.
"""

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.report import Report, p50, p95
from indexers.segments.hnsw import FILE as GRAPH
from indexers.segments.hnsw import GraphParameters, GraphSearch, SegmentGraph, write_graph
from indexers.segments.vectors import FILE as EXACT
from indexers.segments.vectors import SegmentVectors, Selected, write_vectors
from indexers.storage import Checksums, Folder, write_folder

SHARES = (1, 10, 50, 100)
DIMENSIONS, HIDDEN, NOISE = 384, 32, 0.35
TOP = 10


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--m", type=int, default=GraphParameters().m)
    parser.add_argument("--ef-construction", type=int, default=GraphParameters().ef_construction)
    parser.add_argument("--ef-search", type=int, nargs="+", default=[64, GraphSearch().ef_search, 512])
    options = parser.parse_args()
    recipe = GraphParameters(options.m, options.ef_construction)
    report = Report(f"HNSW over {options.rows:,} vectors")
    for kind, make in (("random", random), ("of 32 hidden dimensions", hidden_dimensions)):
        rows, questions = make(np.random.default_rng(7), options.rows, options.questions)
        with tempfile.TemporaryDirectory() as place:
            started = time.process_time()
            entry = write_folder(Path(place), len(rows), lambda f, rows=rows: write_vectors(f, rows))
            exact_s = time.process_time() - started
            folder = Folder(Path(place) / entry.id, entry, Checksums())
            exact = SegmentVectors(folder)
            started = time.process_time()
            linked = write_folder(Path(place), len(rows), lambda f, rows=rows: write_graph(f, rows, recipe))
            graph = SegmentGraph(Folder(Path(place) / linked.id, linked, Checksums()), exact)
            graph_s = time.process_time() - started
            sizes = {file.name: file.size / 1e6 for file in (*entry.files, *linked.files)}
            print(f"\n{len(rows):,} vectors, {kind}: M {recipe.m}, ef_construction {recipe.ef_construction}; made in "
                  f"{exact_s:.0f} s ({sizes[EXACT]:.0f} MB) and {graph_s:.0f} s more ({sizes[GRAPH]:.0f} MB more)")
            tell(report, exact, graph, questions, options.ef_search)
    report.end()


def tell(
    report: Report, exact: SegmentVectors, graph: SegmentGraph, questions: NDArray[np.float32], searches: list[int]
) -> None:
    heads = [f"ef_search {ef}: recall@{TOP}, p50 / p95 ms" for ef in searches]
    report.table(["visible", "exact p50 / p95 ms", *heads])
    for share in SHARES:
        visible = Selected(np.arange(graph.rows) % 100 < share)
        truth, times = asked(lambda q, visible=visible: exact.search(q, visible, TOP), questions)
        cells = [spent(times)]
        for ef in searches:
            search = GraphSearch(ef, exact_share=0)
            found, times = asked(lambda q, v=visible, s=search: graph.search(q, v, TOP, s), questions)
            recall = np.mean([len(set(t[:TOP]) & set(f[:TOP])) / TOP for t, f in zip(truth, found, strict=True)])
            cells.append(f"{recall:.3f}, {spent(times)}")
        report.line(f"{share} %", *cells)


def asked(search, questions):  # type: ignore[no-untyped-def]
    """Rows found for each question, and the milliseconds each took; the first questions are asked twice."""
    found, times = [], []
    for question in [*questions[:10], *questions]:
        started = time.thread_time()
        rows, _ = search(question)
        times.append((time.thread_time() - started) * 1e3)
        found.append(rows.tolist())
    return found[10:], times[10:]


def spent(times: list[float]) -> str:
    return f"{p50(times):.2f} / {p95(times):.2f}"


def random(rng: np.random.Generator, rows: int, questions: int) -> tuple[NDArray[np.float16], NDArray[np.float32]]:
    drawn = unit(rng.standard_normal((rows + questions, DIMENSIONS), dtype=np.float32))
    return drawn[:rows].astype(np.float16), drawn[rows:]


def hidden_dimensions(
    rng: np.random.Generator, rows: int, questions: int
) -> tuple[NDArray[np.float16], NDArray[np.float32]]:
    basis = rng.standard_normal((HIDDEN, DIMENSIONS), dtype=np.float32)
    drawn = unit(rng.standard_normal((rows + questions, HIDDEN), dtype=np.float32) @ basis)
    noise = unit(rng.standard_normal((rows + questions, DIMENSIONS), dtype=np.float32))
    drawn = unit(drawn + NOISE * noise)
    return drawn[:rows].astype(np.float16), drawn[rows:]


def unit(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


if __name__ == "__main__":
    main()
