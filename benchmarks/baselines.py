"""What the index is compared with: FAISS with a selector alone, and tantivy with a filter."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from corpus import GROUPS, Corpus
from numpy.typing import NDArray


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
