"""A made-up company for benchmarks: chunks of Zipf words, spread over groups, published as a living index is.

Documents hold a few chunks of 60 to 180 words each. An audience of n groups
reads n % of them. Six publishes leave several segments and some dead rows.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from indexers.publishing.index_store import IndexStore
from indexers.segments.segment import input_key
from vouch.access import Audience, Directory, Permissions, Reader, Rule, RuleBook
from vouch.adapters.analyser import SnowballAnalyser
from vouch.adapters.ledger import open_ledger
from vouch.documents.chunk import Chunk, chunk_id
from vouch.documents.document import DocumentRecord

GROUPS = 100
SOURCE = "company"
REFERENCE_LENGTH = 120.0
_SHARES = (0.62, 0.25, 0.085, 0.035, 0.01)      # of the documents, per publish; none is merged with another
_CHANGED = 199                          # one document in so many is written anew by the last publish
_VOCABULARY, _COMMON = 60_000, 50


@dataclass(frozen=True)
class Corpus:
    """Everything the index is made from, and what oracles count. Equal arguments give equal corpora."""

    chunks: int
    per_document: int = 5
    dimensions: int = 384

    @property
    def documents(self) -> int:
        return self.chunks // self.per_document

    @cached_property
    def names(self) -> list[str]:
        return [_word(n) for n in range(_VOCABULARY)]

    @cached_property
    def ends(self) -> NDArray[np.int64]:
        lengths = np.random.default_rng(1).integers(60, 181, self.chunks)
        return np.concatenate(([0], np.cumsum(lengths)))

    @cached_property
    def tokens(self) -> NDArray[np.int32]:
        """Word numbers of all chunks, one after the other; chunk c is `tokens[ends[c]:ends[c+1]]`."""
        return _draw(np.random.default_rng(2), int(self.ends[-1]))

    @cached_property
    def vectors(self) -> NDArray[np.float16]:
        rng = np.random.default_rng(3)
        found = np.empty((self.chunks, self.dimensions), np.float16)
        for start in range(0, self.chunks, 20_000):
            block = rng.standard_normal((min(20_000, self.chunks - start), self.dimensions), dtype=np.float32)
            found[start : start + len(block)] = block / np.linalg.norm(block, axis=1, keepdims=True)
        return found

    @cached_property
    def group_of_chunk(self) -> NDArray[np.int64]:
        return np.arange(self.chunks) // self.per_document % GROUPS

    def words(self, chunk: int) -> list[str]:
        return [self.names[n] for n in self.tokens[self.ends[chunk] : self.ends[chunk + 1]].tolist()]

    def record(self, document: int, *, draft: bool = False) -> DocumentRecord:
        """The document; as a draft, with its words the other way round."""
        path, text, chunks = path_of(document), "", []
        for ordinal, number in enumerate(self._chunks_of(document)):
            passage = " ".join(self.words(number)[:: -1 if draft else 1])
            start = len(text)
            text += passage + "\n"
            chunks.append(Chunk(chunk_id(SOURCE, path, (), passage, 0), (), start, len(text) - 1,
                                ordinal + 1, ordinal + 1, ordinal))
        return DocumentRecord(SOURCE, path, f"{document:064x}", "indexed", title=f"Paper {document}", text=text,
                              chunks=tuple(chunks))

    def chunk_ids(self) -> list[str]:
        """The id of each chunk, in its final words."""
        return [c.id for d in range(self.documents) for c in self.record(d).chunks]

    def publish(self, home: Path) -> None:
        """A home with this corpus; nothing is done if it holds it already."""
        wanted = {"chunks": self.chunks, "per_document": self.per_document, "dimensions": self.dimensions, "form": 1}
        marker = home / "corpus.json"
        if marker.exists() and json.loads(marker.read_text()) == wanted:
            return
        home.mkdir(parents=True, exist_ok=True)
        store = open_store(home)
        for batch in self._batches():
            store.publish(
                store.open_current(), changed=[record for record, _ in batch], moved={}, removed=[], cursors={},
                fingerprints=store.fingerprints("random", "by hand"), vectors=self._vectors_of(batch),
            )
        marker.write_text(json.dumps(wanted))

    def _batches(self) -> Iterator[list[tuple[DocumentRecord, int]]]:
        """The publishes: records, each with its document's number."""
        bounds = np.concatenate(([0], np.cumsum(np.array(_SHARES) * self.documents).astype(int)[:-1],
                                 [self.documents])).tolist()
        changed = range(0, bounds[1], _CHANGED)
        for n, (start, end) in enumerate(pairwise(bounds)):
            drafts = set(changed) if n == 0 else set()
            batch = [(self.record(d, draft=d in drafts), d) for d in range(start, end)]
            yield batch + ([(self.record(d), d) for d in changed] if n == len(_SHARES) - 1 else [])

    def _vectors_of(self, batch: Sequence[tuple[DocumentRecord, int]]) -> Callable[..., NDArray[np.float16]]:
        at = {input_key(r.text[c.start : c.end]): d * self.per_document + c.ordinal for r, d in batch for c in r.chunks}
        return lambda keys: self.vectors[[at[key] for key in keys]]

    def _chunks_of(self, document: int) -> range:
        return range(document * self.per_document, (document + 1) * self.per_document)

    def questions(self, kind: str, count: int) -> list[list[int]]:
        """Word numbers of made-up questions: `nine words` as the corpus uses them, or `six common words`."""
        rng = np.random.default_rng(4)
        if kind == "six common words":
            return [rng.choice(_COMMON, 6, replace=False).tolist() for _ in range(count)]
        return _draw(rng, 9 * count).reshape(count, 9).tolist()

    def question_vectors(self, count: int) -> NDArray[np.float32]:
        rows = np.random.default_rng(5).standard_normal((count, self.dimensions), dtype=np.float32)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def open_store(home: Path) -> IndexStore:
    return IndexStore(home, open_ledger(home / "ledger.sqlite").versions, SnowballAnalyser(), REFERENCE_LENGTH)


def path_of(document: int) -> str:
    return f"g{document % GROUPS}/{document}.md"


def audience(groups: int) -> Audience:
    """A reader of the first `groups` groups: so many per cent of the corpus."""
    return Audience((Reader("all", frozenset(f"group:g{n}" for n in range(groups))),))


class GroupPermissions:
    """A PermissionStore with one rule per group."""

    def __init__(self) -> None:
        rules = tuple(Rule(f"g{n}/**", frozenset({f"group:g{n}"})) for n in range(GROUPS))
        self._held = Permissions.settled(1, {SOURCE: RuleBook(rules)}, Directory())

    def permissions(self) -> Permissions:
        return self._held


def _draw(rng: np.random.Generator, count: int) -> NDArray[np.int32]:
    """Word numbers by Zipf's law, its steepest end cut off as stop words are."""
    weight = 1 / np.arange(10, _VOCABULARY + 10)
    ends = np.cumsum(weight) / weight.sum()
    return np.minimum(np.searchsorted(ends, rng.random(count)), _VOCABULARY - 1).astype(np.int32)


def _word(number: int) -> str:
    """A word that the analyser leaves as it is."""
    return "k" + "".join("bcdfghjklmnprtvwz"[number // 17**place % 17] for place in range(4)) + "o"
