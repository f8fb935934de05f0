"""What would betray a document: pieces of its text, its vectors, the ids and keys made of its words, its own terms.

A search of vouch's own files for these proves that the document is gone.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from vouch.documents.chunk import passage_input
from vouch.documents.text.sentences import sentence_spans

LEAST = 20                              # characters; shorter runs of words stand in many documents
_LONG_WORD = 40                         # characters; longer ones are addresses, data, or written without spaces
_STRIDE = 10                            # from one piece of data to the next
_WORD = re.compile(r"\S+")


@dataclass(frozen=True)
class Fingerprints:
    """Of some documents, and of nothing that is to stay. `ids` are chunk ids (hex), `keys` and `vectors` bytes.

    `asked` are ids of the answers made from them, and of their questions: what messages say about them goes too.
    `question_keys` are what labels name those questions by.
    """

    pieces: frozenset[str] = frozenset()
    ids: frozenset[str] = frozenset()
    keys: frozenset[bytes] = frozenset()
    vectors: frozenset[bytes] = frozenset()
    terms: frozenset[str] = frozenset()
    asked: frozenset[str] = frozenset()
    question_keys: frozenset[str] = frozenset()

    def __or__(self, other: "Fingerprints") -> "Fingerprints":
        return Fingerprints(
            self.pieces | other.pieces,
            self.ids | other.ids,
            self.keys | other.keys,
            self.vectors | other.vectors,
            self.terms | other.terms,
            self.asked | other.asked,
            self.question_keys | other.question_keys,
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
            "asked": sorted(self.asked),
            "question_keys": sorted(self.question_keys),
        }
        return json.dumps(held)

    @classmethod
    def from_json(cls, text: str) -> "Fingerprints":
        """Raises ValueError or KeyError for anything that `to_json` did not make."""
        fields = json.loads(text)
        return cls(
            frozenset(fields["pieces"]),
            frozenset(fields["ids"]),
            frozenset(map(bytes.fromhex, fields["keys"])),
            frozenset(map(bytes.fromhex, fields["vectors"])),
            frozenset(fields["terms"]),
            frozenset(fields.get("asked", ())),       # notes of earlier releases have none
            frozenset(fields.get("question_keys", ())),
        )


def pieces(text: str) -> set[str]:
    """Every run of whole words of `text` that is just LEAST characters or longer; many of them overlap.

    So whatever whole words are quoted from it, LEAST characters or more, hold
    one of them: as they stand, with other spaces, or as models and answers
    write its sentences. They are about as many as the words.
    """
    sentences = (passage_input(text[start:end]) for start, end in sentence_spans(text))
    return {piece for run in (text, " ".join(text.split()), *sentences) for piece in _shortest_runs(run)}


def _shortest_runs(run: str) -> Iterator[str]:
    """From every place where a word begins to the first word's end that is far enough."""
    begins: list[int] = []
    ends: list[int] = []
    for word in _WORD.finditer(run):
        start, end = word.span()
        if end - start <= _LONG_WORD:
            begins.append(start)
            ends.append(end)
        else:                           # data, by every tenth place; writing without spaces by each
            begins += range(start, end, _STRIDE if word[0].isascii() else 1)
            ends += range(start + 1, end + 1)
    at = 0
    for start in begins:
        while at < len(ends) and ends[at] < start + LEAST:
            at += 1
        if at == len(ends):
            return
        yield run[start : ends[at]]
