"""The rules that a content last had to meet: whom later rules let in, they let in to what stood there then.

A page that was closed, cleared of what nobody should see, and then opened was
never opened as it was before.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

from indexers.parts.document_parts import Header, Place
from vouch.access import NOBODY, PUBLIC, Limits, Stand
from vouch.ports.stores import VersionRow
from vouch.rules import RuleBook

FormerRules = Callable[[int], Mapping[str, tuple[RuleBook, ...] | None] | None]
"""As of `VersionStore.former_rules`."""
_MOST = 64                              # conditions one group of alternatives may become
Tags = frozenset[str]


@dataclass(frozen=True)
class Ways:
    """Where a version has a document of an earlier one: in each of `groups` one must allow who reads that.

    `lost` are the passages, by the serials of their rows, that it does not
    have. `unchanged`: the very bytes stand at the very place.
    """

    groups: tuple[tuple[Header, ...], ...]
    lost: frozenset[int] = frozenset()
    unchanged: bool = False


class LastGrants:
    """Of the documents `headers` of an earlier version, for serving them while `current` is the current version."""

    def __init__(self, headers: Sequence[Header], current: int, former: FormerRules) -> None:
        self._headers = headers
        self._current = current
        self._former = former
        self._open: dict[Place, frozenset[int] | None] = {}     # passages not found yet; None: all
        self._groups: dict[Place, Limits] = {}

    def had(self, row: VersionRow, own: VersionRow, header: Header, ways: Ways | None) -> None:
        """To be told of each version that is kept, newest first, where it has a document; None if that is unknown.

        `own` is the version the document is of. A version that itself has
        documents of an earlier one grants nothing by its own rules, but refuses.
        """
        open_ = self._open.setdefault(header.place, None)
        if ways is None or (open_ is not None and not open_):
            return
        ages = row.age(header.source), own.age(header.source)
        if row.number != self._current:
            self._groups[header.place] = self._groups.get(header.place, ()) + self._as_then(row.number, header, ways)
        elif ways.unchanged and ages[0] == ages[1]:         # limited already as far as it must be
            self._open[header.place] = frozenset()
        if ages[0] == row.number:
            self._open[header.place] = ways.lost if open_ is None else ways.lost & open_

    def limits(self) -> Iterator[tuple[Header, Limits]]:
        """Of documents of which the current version lacks something; nobody where it is not known."""
        for header in self._headers:
            found = self._open.get(header.place) == frozenset()
            yield header, tuple(dict.fromkeys(self._groups.get(header.place, ()))) if found else NOBODY

    def _as_then(self, number: int, header: Header, ways: Ways) -> Limits:
        """All of the rules that were in force must allow, at one of the places of each group."""
        former = self._former(number)
        if former is None:                                  # it was left, and what it granted is not known
            return NOBODY
        if header.source not in former:                     # nobody reads what is of no source
            return ()
        books = former[header.source]
        if books is None:
            return NOBODY
        wanted = [tags for group in ways.groups for tags in _wanted(group, books)]
        return tuple((Stand(header.path, tags),) if tags else () for tags in wanted)


def _wanted(group: Collection[Header], books: Sequence[RuleBook]) -> list[Tags]:
    """Who meets all of these sets of tags could read one of the documents."""
    ways = {_conditions(one, books) for one in group if one.state == "indexed"}
    ways = {way for way in ways if not any(other < way for other in ways)}
    if not ways:
        return [frozenset()]
    if prod(map(len, ways)) > _MOST:
        return list(frozenset[Tags]().union(*ways))         # of more, all must allow
    return list(dict.fromkeys(frozenset[str]().union(*chosen) for chosen in product(*ways)))


def _conditions(header: Header, books: Sequence[RuleBook]) -> frozenset[Tags]:
    sets = (*(book.allowed(header.path) for book in books), *(() if header.narrowed is None else (header.narrowed,)))
    return frozenset(tags for tags in sets if PUBLIC not in tags)
