"""What searches are compared with: FAISS and tantivy alone, and what should be found by brute force."""

import math
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.search.corpus import GROUPS, REFERENCE_LENGTH, Corpus


class FaissAlone:
    """One exact fp16 index of all chunks; a search goes straight to it, with a bitmap made beforehand."""

    def __init__(self, corpus: Corpus) -> None:
        import faiss

        self._faiss: Any = faiss
        self._index: Any = faiss.IndexScalarQuantizer(
            corpus.dimensions, faiss.ScalarQuantizer.QT_fp16, faiss.METRIC_INNER_PRODUCT
        )
        for start in range(0, corpus.chunks, 20_000):
            self._index.add(corpus.vectors[start : start + 20_000].astype(np.float32))
        self._inside: Any = None
        self._bits: Any = None

    def prepare(self, visible: NDArray[np.bool_]) -> None:
        self._bits = np.packbits(visible, bitorder="little")        # kept, for the selector only points to it
        self._inside = self._faiss.SearchParameters(sel=self._faiss.IDSelectorBitmap(self._bits))

    def search(self, vector: NDArray[np.float32], top: int) -> NDArray[np.int64]:
        self._faiss.omp_set_num_threads(1)
        rows: NDArray[np.int64] = self._index.search(vector.reshape(1, -1), top, params=self._inside)[1]
        return rows[0]


class TantivyFiltered:
    """An index of the same words, one thread, all segments merged into one.

    The filter is a clause that every hit must meet and that adds nothing to
    the score. At 100 % there is none, and counting hits is off: both are as
    favourable to tantivy as its Python package allows. Its chunks carry a tag
    per share, so that the clause is one term and not a hundred groups.
    """

    def __init__(self, corpus: Corpus, folder: Path, shares: Sequence[int]) -> None:
        import tantivy

        self._tantivy: Any = tantivy
        schema = tantivy.SchemaBuilder()
        schema.add_text_field("words", tokenizer_name="whitespace", index_option="freq")
        schema.add_text_field("shares", tokenizer_name="whitespace", index_option="basic")
        self._schema = schema.build()
        folder.mkdir(parents=True)
        index = tantivy.Index(self._schema, path=str(folder))
        writer = index.writer(500_000_000, 1)
        tags = [" ".join(f"v{share}" for share in shares if group < share) for group in range(GROUPS)]
        for chunk in range(corpus.chunks):
            writer.add_document(tantivy.Document(
                words=" ".join(corpus.words(chunk)), shares=tags[int(corpus.group_of_chunk[chunk])]
            ))
        writer.commit()
        writer.wait_merging_threads()
        index.reload()
        self._searcher = index.searcher()
        self.segments = self._searcher.num_segments
        self._filter: Any = None

    def prepare(self, share: int) -> None:
        query = self._tantivy.Query
        inside = query.term_query(self._schema, "shares", f"v{share}")
        self._filter = query.const_score_query(inside, 0.0) if share < 100 else None

    def search(self, terms: Sequence[str], top: int) -> int:
        query, occur = self._tantivy.Query, self._tantivy.Occur
        words = query.boolean_query([(occur.Should, query.term_query(self._schema, "words", t)) for t in terms])
        if self._filter is not None:
            words = query.boolean_query([(occur.Must, words), (occur.Must, self._filter)])
        return len(self._searcher.search(words, top, count=False).hits)


K1, B = 1.2, 0.75
Float = NDArray[np.float64]


class Oracle:
    """Brute force over a corpus."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        lengths = np.diff(corpus.ends)
        self._chunk_of_token = np.repeat(np.arange(corpus.chunks, dtype=np.int32), lengths)
        self._norm = K1 * (1 - B + B * np.array([_byte_length(n) for n in lengths.tolist()]) / REFERENCE_LENGTH)
        self._tf = lru_cache(maxsize=200)(self._count)

    def bm25(self, words: Sequence[int], visible: NDArray[np.bool_]) -> Float:
        """The score of every chunk, statistics of the visible ones alone, −1 outside."""
        scores = np.zeros(self._corpus.chunks)
        for word in words:
            chunks, tf = self._tf(word)
            df = int(np.count_nonzero(visible[chunks]))
            idf = math.log(1 + (int(np.count_nonzero(visible)) - df + 0.5) / (df + 0.5))
            scores[chunks] += idf * tf * (K1 + 1) / (tf + self._norm[chunks])
        return np.where(visible, scores, -1.0)

    def inner_products(self, vector: NDArray[np.float32], visible: NDArray[np.bool_]) -> Float:
        """Of every chunk with `vector`, −2 outside."""
        products = np.full(self._corpus.chunks, -2.0)
        for start in range(0, self._corpus.chunks, 20_000):
            block = self._corpus.vectors[start : start + 20_000].astype(np.float32)
            products[start : start + 20_000] = block @ vector
        return np.where(visible, products, -2.0)

    def _count(self, word: int) -> tuple[NDArray[np.int64], Float]:
        counts = np.bincount(self._chunk_of_token[self._corpus.tokens == word], minlength=self._corpus.chunks)
        chunks = np.flatnonzero(counts)
        return chunks, counts[chunks].astype(np.float64)


def agree(found: Sequence[tuple[int, float]], wanted: Float, top: int, tolerance: float) -> bool:
    """Whether (chunk, score) pairs are a best `top` by `wanted`, each with its score, within a relative tolerance."""
    if len({chunk for chunk, _ in found}) != min(top, int(np.count_nonzero(wanted > 0))):
        return False
    best = np.sort(wanted[wanted > 0])[::-1][: len(found)]
    scores = np.array([score for _, score in found])
    own = wanted[[chunk for chunk, _ in found]]
    return np.allclose(scores, own, tolerance, 0) and np.allclose(np.sort(own)[::-1], best, tolerance, 0)


def recall(found: Sequence[int], wanted: Float, top: int) -> float:
    """Share of the best `top` that was found; what equals the last of them to one in a million counts as it."""
    least = np.sort(wanted)[-top]
    return sum(bool(wanted[chunk] >= least - 1e-6) for chunk in set(found)) / top


def _byte_length(length: int) -> int:
    """`length` after a way through the one byte Lucene has for it (SmallFloat): exact below 40, then four bits."""
    free = 24                           # lengths that need no mantissa: 255 − code(2³¹ − 1)
    if length < free:
        return length
    code, exponent = length - free, 0
    while code >= 16:
        code, exponent = code // 2, exponent + 1
    return free + code * 2**exponent
