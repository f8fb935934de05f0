"""Approximate vector search by a graph (HNSW, Malkov and Yashunin, 2018). An option, and NOT LEAK-FREE.

A graph is shaped by all its rows. Inside a bitmap it still walks over the
hidden ones, so what others may read decides which visible rows are found.
The exact file stays beside it: it holds the vectors, and narrow audiences
are searched in it.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexers.segments.vectors import SegmentVectors, Selected, load_faiss, read_index, single_threaded
from indexers.storage import Folder
from vouch.errors import Damaged, Usage

FILE = "graph.faiss"
FINGERPRINT = "vectors"                 # its place among the fingerprints of a version; exact ones have none
SERVER_GRAPH = "elasticsearch hnsw m=32 ef_construction=100"    # there, where graphs lie on the server
NOT_LEAK_FREE = (
    "NOT LEAK-FREE: vectors are searched by an HNSW graph, so documents you may not read can change what is found"
)
_RECIPE = re.compile(r"hnsw m=(\d+) ef_construction=(\d+)")


@dataclass(frozen=True, slots=True)
class GraphParameters:
    """How graphs are built: links per row (twice as many on the ground floor), candidates while linking."""

    m: int = 32
    ef_construction: int = 100

    @property
    def fingerprints(self) -> dict[str, str]:
        """What it adds to the fingerprints of a version."""
        return {FINGERPRINT: f"hnsw m={self.m} ef_construction={self.ef_construction}"}


@dataclass(frozen=True, slots=True)
class GraphSearch:
    """How graphs are searched: candidates per search, and the share of rows below which the exact file is."""

    ef_search: int = 128
    exact_share: float = 0.2


def recipe_of(fingerprints: Mapping[str, str]) -> GraphParameters | None:
    """How graphs of segments are built, None if they have none. Raises Usage for what this vouch cannot build."""
    named = fingerprints.get(FINGERPRINT)
    if named is None or named == SERVER_GRAPH:
        return None
    match = _RECIPE.fullmatch(named)
    if match is None:
        raise Usage(f"this vouch cannot make vectors of the kind {named!r}",
                    cure="update vouch, or build the index again: vouch rebuild")
    return GraphParameters(int(match[1]), int(match[2]))


def graphs_on_server(fingerprints: Mapping[str, str]) -> bool:
    return fingerprints.get(FINGERPRINT) == SERVER_GRAPH


def warnings_of(fingerprints: Mapping[str, str]) -> list[str]:
    """What must be said wherever a version of these fingerprints is shown."""
    return [NOT_LEAK_FREE] if FINGERPRINT in fingerprints else []


def write_graph(folder: Path, vectors: NDArray[np.float16], recipe: GraphParameters) -> None:
    """Stores the links between the rows of `vectors`, equal for equal rows; the vectors stay in the exact file."""
    faiss = load_faiss()
    index = faiss.IndexHNSWSQ(vectors.shape[1], faiss.ScalarQuantizer.QT_fp16, recipe.m, faiss.METRIC_INNER_PRODUCT)
    index.hnsw.efConstruction = recipe.ef_construction
    floats = vectors.astype(np.float32)
    with single_threaded():             # several threads link rows in whatever order they come
        index.train(floats[:1])
        index.add(floats)
    (folder / FILE).write_bytes(faiss.serialize_index(index, faiss.IO_FLAG_SKIP_STORAGE).tobytes())


class SegmentGraph:
    """The links of one segment, over the vectors of its exact file."""

    def __init__(self, folder: Folder, exact: SegmentVectors) -> None:
        faiss = load_faiss()
        path = folder.file(FILE)
        index = read_index(path)
        sound = isinstance(index, faiss.IndexHNSWSQ) and index.metric_type == faiss.METRIC_INNER_PRODUCT
        if not sound or index.ntotal != folder.entry.rows or index.d != exact.dimensions:
            raise Damaged(f"{path} is not a graph of {folder.entry.rows} rows of {exact.dimensions} dimensions")
        index.storage, index.own_fields = exact.index, False
        self._exact = exact                                 # which must outlive the graph
        self._index: Any = index
        self.rows = int(index.ntotal)

    @property
    def recipe(self) -> GraphParameters:
        return GraphParameters(int(self._index.hnsw.nb_neighbors(1)), int(self._index.hnsw.efConstruction))

    def search(
        self, query: NDArray[np.float32], visible: Selected, top: int, search: GraphSearch
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """(rows, scores) of about the best `top` visible rows; there may be fewer, and better ones may be missing."""
        if visible.count < search.exact_share * max(visible.rows, 1):
            return self._exact.search(query, visible, top)
        inside = load_faiss().SearchParametersHNSW(sel=visible.selector, efSearch=max(search.ef_search, top))
        with single_threaded():
            scores, rows = self._index.search(query.reshape(1, -1), min(top, visible.rows), params=inside)
        hit_mask = rows[0] >= 0
        return rows[0][hit_mask], scores[0][hit_mask]
