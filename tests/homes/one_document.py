"""What is one document, told from the history alone: an oracle that reads no file of the index.

Each paragraph gets a number when it is first written, and keeps it as long as
the document keeps the paragraph, through edits and moves. Contents that have a
number in common are states of one document.
"""

from collections.abc import Collection, Iterable, Mapping
from itertools import count
from typing import Any

Content = tuple[str, str]               # path and hash


class Documents:
    """`publish` follows the history; `one` says what belongs to the document at some places."""

    def __init__(self) -> None:
        self._fresh = count()
        self._standing: dict[str, tuple[Content, list[tuple[str, int]]]] = {}
        self._numbers: dict[Content, set[int]] = {}

    def publish(self, written: Mapping[str, Any], moved: Mapping[str, str], removed: Iterable[str]) -> None:
        free = {path: list(paragraphs) for path, (_, paragraphs) in self._standing.items()}
        for path in [*removed, *moved.values()]:
            self._standing.pop(path, None)
        for path, record in written.items():
            mine = free.get(moved.get(path, path), [])
            paragraphs = []
            for chunk in record.chunks:
                text = record.text[chunk.start : chunk.end]
                known = next((one for one in mine if one[0] == text), None)
                if known is not None:
                    mine.remove(known)
                paragraphs.append(known or (text, next(self._fresh)))
            content = path, record.hash
            self._standing[path] = content, paragraphs
            self._numbers.setdefault(content, set()).update(number for _, number in paragraphs)

    def one(self, places: Collection[str]) -> tuple[set[str], set[Content]]:
        """The places, with those where the same bytes stand today, and all contents that go with them."""
        wanted = set(places)
        while True:
            found = self._belonging(wanted)
            hashes = {digest for _, digest in found}
            copies = {path for path, (content, _) in self._standing.items() if content[1] in hashes} - wanted
            if not copies:
                return wanted, found
            wanted |= copies

    def _belonging(self, places: set[str]) -> set[Content]:
        of_others = set().union(*(self._past(path) for path in self._standing if path not in places))
        live = {content for path, (content, _) in self._standing.items() if path not in places}
        found = {content for content in self._numbers if content[0] in places}
        while True:
            hashes = {digest for _, digest in found}
            through = set().union(*(self._numbers[content] for content in found - of_others))
            more = {c for c in self._numbers if c[1] in hashes and c not in live}
            more |= {c for c, numbers in self._numbers.items() if numbers & through and c not in of_others}
            if more <= found:
                return found
            found |= more

    def _past(self, path: str) -> set[Content]:
        """What the document that stands at `path` was before at this very place."""
        past = {self._standing[path][0]}
        while True:
            numbers = set().union(*(self._numbers[content] for content in past))
            more = {c for c, own in self._numbers.items() if c[0] == path and own & numbers}
            if more <= past:
                return past
            past |= more
