"""Searches many short texts for words of a document, most of them together, and none twice."""

from collections.abc import Callable, Iterable

_TOGETHER = 500                         # what a search costs beside its bytes is then paid once for that many texts
_JOINT = b"\0"


class WordSearch:
    """Remembers what it has looked into, so that it can be asked before a write transaction and again within it.

    `holds` says whether some bytes hold such words; bytes that do, do so too with others around them.
    """

    def __init__(self, holds: Callable[[bytes], bool]) -> None:
        self._holds = holds
        self._seen = dict[str, bool]()

    def quoting(self, texts: Iterable[str]) -> set[str]:
        """Those that hold words of the document."""
        asked = set(texts)
        new = sorted(asked - self._seen.keys())
        for start in range(0, len(new), _TOGETHER):
            self._look(new[start : start + _TOGETHER])
        return {text for text in asked if self._seen[text]}

    def _look(self, texts: list[str]) -> None:
        any_of_them = self._holds(_JOINT.join(text.encode() for text in texts))
        self._seen.update({text: any_of_them and self._holds(text.encode()) for text in texts})
