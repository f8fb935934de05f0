"""The vectors of one segment, searched exactly by FAISS: inner product over float16 codes, inside a bitmap of rows.

Only FAISS's flat scalar quantiser is used here: a row's score does not depend on
the other rows, on its position or on the bitmap, bit for bit, which no
approximate index promises.
"""

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexers.storage import Folder
from vouch.errors import Damaged

FILE = "vectors.faiss"
_READING = threading.Lock()             # FAISS's limit on what a file may claim is global


def write_vectors(folder: Path, vectors: NDArray[np.float16]) -> None:
    """Stores the rows of `vectors` (n, dimensions) as rows 0 to n−1, exactly as they are."""
    faiss = load_faiss()
    index = faiss.IndexScalarQuantizer(vectors.shape[1], faiss.ScalarQuantizer.QT_fp16, faiss.METRIC_INNER_PRODUCT)
    index.add(vectors.astype(np.float32))
    # FAISS's own writer does not look whether closing the file succeeded: on a full disk it leaves half of it.
    (folder / FILE).write_bytes(faiss.serialize_index(index).tobytes())


class Selected:
    """Some rows of one segment, as FAISS is told of them. Made once, good for many searches and threads."""

    def __init__(self, mask: NDArray[np.bool_]) -> None:
        faiss = load_faiss()
        self.rows = len(mask)
        self.count = int(np.count_nonzero(mask))
        self._bits = np.packbits(mask, bitorder="little")
        self.selector: Any = faiss.IDSelectorBitmap(self._bits)         # refers to the bits, which must outlive it
        self.parameters: Any = faiss.SearchParameters(sel=self.selector)


class SegmentVectors:
    """The vectors of one segment, mapped from a file whose checksum was compared first."""

    def __init__(self, folder: Folder) -> None:
        faiss = load_faiss()
        path = folder.file(FILE)
        index = read_index(path)
        exact = isinstance(index, faiss.IndexScalarQuantizer) and index.sq.qtype == faiss.ScalarQuantizer.QT_fp16
        if not exact or index.metric_type != faiss.METRIC_INNER_PRODUCT or index.ntotal != folder.entry.rows:
            raise Damaged(f"{path} is not an exact inner product index of {folder.entry.rows} rows")
        self.index = index
        self.dimensions = int(index.d)
        # Numbers of the mapped file itself, which the index must outlive.
        self.codes: NDArray[np.uint8] = faiss.rev_swig_ptr(index.codes.data(), index.codes.size()).reshape(
            index.ntotal, index.code_size)
        self.codes.flags.writeable = False

    def all(self) -> NDArray[np.float16]:
        """Every stored vector, exactly, in order of row."""
        decoded: NDArray[np.float32] = self.index.reconstruct_n(0, self.index.ntotal)
        return decoded.astype(np.float16)

    def row(self, number: int) -> NDArray[np.float16]:
        """One stored vector."""
        stored: NDArray[np.float16] = self.codes[number].view(np.float16)
        return stored

    def search(
        self, query: NDArray[np.float32], visible: Selected, top: int
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """(rows, scores) of the best `top` visible rows, and of all that tie with the last of them."""
        return _best(self.index, query, top, visible.count, visible.parameters)


def search_few(
    picked: Sequence[tuple[SegmentVectors, NDArray[np.int64]]], query: NDArray[np.float32], top: int
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Like `SegmentVectors.search` over the picked rows of several segments, numbered as they are picked.

    The rows are copied together and searched by the same code with the same
    bits: when one row in many is visible, passing over the others costs more.
    """
    faiss = load_faiss()
    count, dimensions = sum(len(rows) for _, rows in picked), picked[0][0].dimensions
    index = faiss.IndexScalarQuantizer(dimensions, faiss.ScalarQuantizer.QT_fp16, faiss.METRIC_INNER_PRODUCT)
    index.codes.resize(count * index.code_size)
    copies = faiss.rev_swig_ptr(index.codes.data(), count * index.code_size).reshape(count, index.code_size)
    start = 0
    for vectors, rows in picked:
        vectors.codes.take(rows, axis=0, out=copies[start : start + len(rows)], mode="clip")
        start += len(rows)
    index.ntotal = count
    return _best(index, query, top, count, None)


def _best(
    index: Any, query: NDArray[np.float32], top: int, count: int, parameters: Any
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    asked = min(top + 1, count)
    # One query is one thread's work: FAISS's second thread only waits, 24 ms a query on a busy machine.
    with single_threaded():
        while asked:
            scores, rows = index.search(query.reshape(1, -1), asked, params=parameters)
            if asked >= count or scores[0, -1] < scores[0, top - 1]:
                return rows[0], scores[0]
            asked = min(asked * 4, count)                   # a tie goes on behind the last row: take it whole
    return np.empty(0, np.int64), np.empty(0, np.float32)


@contextmanager
def single_threaded() -> Iterator[None]:
    """In it FAISS shares no work between threads. Afterwards the number is as before: torch, called by the same thread,
    goes by it too, and every pass of a model would run on one core."""
    faiss = load_faiss()
    before = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(1)
    try:
        yield
    finally:
        faiss.omp_set_num_threads(before)


def read_index(path: Path) -> Any:
    """What FAISS wrote, mapped, if it claims no more than the file can hold. Raises Damaged."""
    faiss = load_faiss()
    try:
        with _READING:
            faiss.set_deserialization_vector_byte_limit(path.stat().st_size)
            return faiss.read_index(str(path), faiss.IO_FLAG_MMAP_IFC)
    except RuntimeError as error:
        raise Damaged(f"{path} cannot be opened: {str(error).splitlines()[0]}") from error


def load_faiss() -> Any:
    import faiss  # late, for it takes a third of a second; Any, for its stubs leave out its Python layer

    return faiss
