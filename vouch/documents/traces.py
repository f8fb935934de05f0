"""What would betray a document: pieces of its text, its vectors, the ids and keys made of its words, its own terms.

A search of vouch's own files for these proves that the document is gone.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from vouch.documents.chunk import passage_input
from vouch.documents.sentences import sentence_spans

LEAST = 20                              # characters; shorter runs of words stand in many documents
PIECE = 40                              # characters of a piece, about
_LONGEST = 80
_WORD = re.compile(r"\S+")


@dataclass(frozen=True)
class Traces:
    """Of some documents, and of nothing that is to stay. `ids` are chunk ids (hex), `keys` and `vectors` bytes."""

    pieces: frozenset[str] = frozenset()
    ids: frozenset[str] = frozenset()
    keys: frozenset[bytes] = frozenset()
    vectors: frozenset[bytes] = frozenset()
    terms: frozenset[str] = frozenset()

    def __or__(self, other: "Traces") -> "Traces":
        return Traces(
            self.pieces | other.pieces,
            self.ids | other.ids,
            self.keys | other.keys,
            self.vectors | other.vectors,
            self.terms | other.terms,
        )

    def __bool__(self) -> bool:
        return bool(self.pieces or self.ids or self.keys or self.vectors or self.terms)

    def to_json(self) -> str:
        held = {
            "pieces": sorted(self.pieces),
            "ids": sorted(self.ids),
            "keys": sorted(key.hex() for key in self.keys),
            "vectors": sorted(vector.hex() for vector in self.vectors),
            "terms": sorted(self.terms),
        }
        return json.dumps(held)

    @classmethod
    def from_json(cls, text: str) -> "Traces":
        """Raises ValueError or KeyError for anything that `to_json` did not make."""
        held = json.loads(text)
        return cls(
            frozenset(held["pieces"]),
            frozenset(held["ids"]),
            frozenset(map(bytes.fromhex, held["keys"])),
            frozenset(map(bytes.fromhex, held["vectors"])),
            frozenset(held["terms"]),
        )


def pieces(text: str) -> set[str]:
    """Runs of whole words that tell of `text`, as it stands and as models and answers write its sentences."""
    runs = text.splitlines()
    runs += [passage_input(text[start:end]) for start, end in sentence_spans(text)]
    return {piece for run in runs for piece in _cut(run)}


def _cut(run: str) -> Iterator[str]:
    """`run` in pieces of about PIECE characters at word ends; nothing if it is shorter than LEAST."""
    start: int | None = None
    last: int | None = None             # where the piece before began
    end = 0
    for word_start, word_end in _words(run):
        start, end = word_start if start is None else start, word_end
        if end - start >= PIECE:
            yield run[start:end]
            start, last = None, start
    if start is not None:
        rest = run[start if end - start >= LEAST or last is None else last : end]
        if len(rest) >= LEAST:
            yield rest


def _words(run: str) -> Iterator[tuple[int, int]]:
    """Ranges of the words; what is written without spaces is cut by length."""
    for word in _WORD.finditer(run):
        for start in range(word.start(), word.end(), _LONGEST):
            yield start, min(start + _LONGEST, word.end())
