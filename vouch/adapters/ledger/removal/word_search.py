"""Which texts of the ledger hold words of a document."""

import json
from collections.abc import Callable, Iterable, Sequence

from vouch.batches import batches

_TOGETHER = 500                         # what a search costs beside its bytes is then paid once for that many texts
_JOINT = b"\0"
Holds = Callable[[bytes], bool]
"""Whether some bytes hold words of the document; if they do, they do so with any others around them."""


def as_json(value: object) -> bytes:
    """As the ledger keeps it, so that words are found in it as they stand there."""
    return json.dumps(value, ensure_ascii=False).encode()


class WordSearch:
    """Remembers what it has looked into, so that it can be asked before a write transaction and again within it."""

    def __init__(self, holds: Holds) -> None:
        self._holds = holds
        self._seen = dict[str, bool]()

    def quoting(self, texts: Iterable[str]) -> set[str]:
        """Those that hold words of the document."""
        asked = set(texts)
        new = sorted(asked - self._seen.keys())
        for some in batches(new, _TOGETHER):
            self._look(some)
        return {text for text in asked if self._seen[text]}

    def _look(self, texts: Sequence[str]) -> None:
        any_of_them = self._holds(_JOINT.join(text.encode() for text in texts))
        self._seen.update({text: any_of_them and self._holds(text.encode()) for text in texts})
