"""The rules that a content last had to meet: whom later rules let in, they let in to what stood there then.

A page that was closed, cleared of what nobody should see, and then opened was
never opened as it was before.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence

from indexers.parts import Header, Place
from vouch.access import NOBODY, PUBLIC, Limits, Stand
from vouch.ports.version_store import VersionRow
from vouch.rules import RuleBook

FormerRules = Callable[[int], Mapping[str, tuple[RuleBook, ...] | None] | None]
"""As of `VersionStore.former_rules`."""


class LastGrants:
    """Of the documents `headers` of an earlier version, for serving them while `current` is the current version."""

    def __init__(self, headers: Sequence[Header], current: int, former: FormerRules) -> None:
        self._headers = headers
        self._current = current
        self._former = former
        self._last: dict[Place, tuple[int, tuple[str, ...]]] = {}

    def had(self, row: VersionRow, with_content: Callable[[Header], Sequence[Header]]) -> None:
        """To be told of each version that is kept, oldest first, and of which documents have the content of another.

        A version that itself has documents of an earlier one granted nothing by its own rules.
        """
        for header in self._headers:
            if row.age(header.source) == row.number or row.number == self._current:
                paths = tuple(sorted(one.path for one in with_content(header)))
                if paths:
                    self._last[header.place] = (row.number, paths)

    def limits(self) -> Iterator[tuple[Header, Limits]]:
        """Of documents that the current version does not have any more; nobody where it is not known."""
        for header in self._headers:
            number, paths = self._last.get(header.place, (None, ()))
            if number == self._current:
                continue
            yield header, NOBODY if number is None else self._groups(header, number, paths)

    def _groups(self, header: Header, number: int, paths: Sequence[str]) -> Limits:
        """All of the rules that were in force must allow, at one of the places where it stood."""
        former = self._former(number)
        if former is None:                                  # it was left, and what it granted is not known
            return NOBODY
        if header.source not in former:                     # nobody reads what is of no source
            return ()
        books = former[header.source]
        if books is None:
            return NOBODY
        groups = (tuple(Stand(path, book.allowed(path)) for path in paths) for book in books)
        return tuple(group for group in groups
                     if not any(one.path == header.path and PUBLIC in (one.narrowed or ()) for one in group))
