"""What an assistant may do for one person: ask, search, show. It gets only what this person may read."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

_WITHHELD = "withheld: it reads like instructions to a language model"
_INSIDE = "something failed inside vouch; try again in a moment"


class Library(Protocol):
    def search(self, text: str, tags: Sequence[str], top: int, mode: str) -> dict[str, Any]: ...

    def show(self, chunk_id: str, tags: Sequence[str], around: int) -> dict[str, Any]: ...


class Desk(Protocol):
    def ask(self, text: str, tags: Sequence[str]) -> dict[str, Any]:
        """The answer, however long it takes. Not to be called twice at a time."""
        ...


class Tools:
    """As values. A passage that gives orders to a language model is never given to one."""

    def __init__(self, desk: Desk, library: Library, tag: str) -> None:
        self._desk = desk
        self._library = library
        self._tags = (tag,)

    def ask(self, question: str) -> dict[str, Any]:
        return self._desk.ask(question, self._tags)

    def search(self, query: str, top: int) -> dict[str, Any]:
        found = self._library.search(query, self._tags, max(1, min(top, 50)), "fused")
        return {**found, "results": [_safe(one) for one in found["results"]]}

    def show(self, chunk_id: str, around: int) -> dict[str, Any]:
        shown = self._library.show(chunk_id, self._tags, max(0, min(around, 10)))
        lead = {"title": "", "section": []} if shown["flagged"] else {}
        return {**shown, **lead, "passages": [_safe(one) for one in shown["passages"]]}


def _safe(passage: Mapping[str, Any]) -> dict[str, Any]:
    if not passage["flagged"]:
        return dict(passage)
    return {**passage, "text": _WITHHELD, "title": "", "section": []}


def told(cause: str, cure: str, *, inside: bool) -> str:
    """Of an error, for the assistant: no more than its person may know."""
    return _INSIDE if inside else f"{cause} ({cure})" if cure else cause
