"""In which order the values of many people count, so that no beginning of the list is one person's."""

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from heapq import heappop, heappush
from typing import TypeVar

Row = TypeVar("Row")
SHARE = 10                              # of the list: of no beginning is more than one, and a tenth, of one person


def in_turns(rows: Iterable[Row], person: Callable[[Row], Hashable], most: int) -> Iterator[Row]:
    """The first `most` rows of each person; the second once 10 rows are in the list, the third once 20 are, and so on.

    A test that may be looked at after each value can be decided by its first
    values, and whoever is quick would give these alone. What comes too soon
    waits; what still waits at the end is left out. Which row is next depends
    on who gave it and when, never on what it says: so bets on it stay fair.
    """
    came, given = Counter[Hashable](), Counter[Hashable]()
    waiting: dict[Hashable, deque[tuple[int, Row]]] = defaultdict(deque)
    ready: list[tuple[int, Hashable]] = []                  # the earliest first
    later: defaultdict[int, list[Hashable]] = defaultdict(list)
    length = 0
    for number, row in enumerate(rows):
        who = person(row)
        came[who] += 1
        if came[who] > most:
            continue
        waiting[who].append((number, row))
        if len(waiting[who]) == 1:
            _line_up(who, given[who], length, waiting, ready, later)
        while ready:
            _, who = heappop(ready)
            yield waiting[who].popleft()[1]
            given[who] += 1
            length += 1
            if waiting[who]:
                _line_up(who, given[who], length, waiting, ready, later)
            for due in later.pop(length, ()):
                heappush(ready, (waiting[due][0][0], due))


def _line_up(
    who: Hashable, given: int, length: int, waiting: Mapping[Hashable, deque[tuple[int, Row]]],
    ready: list[tuple[int, Hashable]], later: defaultdict[int, list[Hashable]],
) -> None:  # fmt: skip
    if given * SHARE <= length:
        heappush(ready, (waiting[who][0][0], who))
    else:
        later[given * SHARE].append(who)
