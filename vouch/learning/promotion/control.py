"""Is a model worse than the one before it? A test of values of many people, to be looked at at any time.

Of each figure there are values between 0 and 1, higher being better, of the
former model and of the one that serves. Evidence that their mean is above a
bound b is the wealth of somebody who bets against that at fair odds, a mean
over fixed stakes c:

    E_n(b) = mean over c of  Π_{i≤n} (1 − c + c·x_i / b),    0 < c < 1

If the mean is b or less, E is a supermartingale that starts at 1, so the
chance that it ever reaches 1/α is at most α (Ville 1939), for any number of
looks and for few values as well (Waudby-Smith and Ramdas 2024, "Estimating
means of bounded random variables by betting"; the mean over stakes is the
mixture of Robbins 1970). Used twice, each time with half of the error:

1. the former model's mean is above `least`: the largest bound that its values
   speak against;
2. the new model's losses, 1 − x, are above 1 − (least − tolerance).

Both together: the chance of an alarm for a model that is not worse is at most
`false_alarms`, over all figures together (Bonferroni) and over all looks.
"""

import math
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Any, Literal, TypeVar, get_args

import numpy as np
from numpy.typing import NDArray

from vouch.errors import Usage

Floats = NDArray[np.float64]
Figure = Literal["votes", "answers", "confidence", "citations"]
FIGURES: tuple[Figure, ...] = get_args(Figure)
STAKES = np.geomspace(0.01, 0.9, 12)
_HALVINGS = 40                          # of the range of a bound: closer than any figure is told


@dataclass(frozen=True, slots=True)
class Limit:
    """One figure of both models. `crossed`: after how many values of the new one its limit was crossed; None: never.

    `least`: what the new model's mean may fall to. `evidence`: the most there ever was that it is lower;
    1 / `error` of it is an alarm.
    """

    figure: Figure
    before: float
    values_before: int
    since: float
    values_since: int
    least: float
    evidence: float
    error: float
    crossed: int | None


def compare(
    before: Mapping[Figure, Floats], since: Mapping[Figure, Floats],
    *, false_alarms: float, tolerance: float = 0.0, figures: Collection[Figure] = FIGURES,
) -> list[Limit]:  # fmt: skip
    """One limit for each of `figures` that both have values of, each list in the order in which its values came.

    Raises Usage for values outside 0 … 1.
    """
    error = false_alarms / len(FIGURES) / 2
    return [
        _limit(figure, _checked(before[figure]), _checked(since[figure]), error, tolerance)
        for figure in FIGURES if figure in figures and len(before[figure]) and len(since[figure])
    ]  # fmt: skip


def lower_limit(values: Floats, error: float) -> float:
    """What the mean behind `values` is above, but for a chance of `error`. 0 where they are too few to say."""
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if float(wealth(values, middle).max(initial=0.0)) >= -math.log(error):
            low = middle
        else:
            high = middle
    return low


def wealth(values: Floats, bound: float) -> Floats:
    """ln E_n(bound) after each value."""
    logs = np.full(len(values), -np.inf)
    for stake in STAKES:
        logs = np.logaddexp(logs, np.cumsum(np.log1p(stake * (values / bound - 1.0))))
    return logs - math.log(len(STAKES))


def _limit(figure: Figure, before: Floats, since: Floats, error: float, tolerance: float) -> Limit:
    least = lower_limit(before, error) - tolerance
    found = wealth(1.0 - since, 1.0 - max(least, 0.0))
    above = np.flatnonzero(found >= -math.log(error)) if least > 0 else np.array([], dtype=int)
    return Limit(
        figure, float(before.mean()), len(before), float(since.mean()), len(since), max(least, 0.0),
        math.exp(min(float(found.max()), 700.0)), error, int(above[0]) + 1 if len(above) else None,
    )  # fmt: skip


def _checked(values: Floats) -> Floats:
    if not bool(((values >= 0.0) & (values <= 1.0)).all()):
        raise Usage("a figure of an answer is not between 0 and 1", cure="this is a fault of vouch: please report it")
    return values


Row = TypeVar("Row")
SHARE = 10                              # people that there is room for in each round, however few there are
EVERY = 4                               # of so many people one has to give as much as anybody whose values count


def in_turns(rows: Iterable[Row], person: Callable[[Row], Hashable], most: int) -> Iterator[Row]:
    """The first `most` rows of each person, in rounds: another one of a person once there was room for all others.

    So of no beginning of the list is more than one, and a tenth, of one
    person, and who gives a hundred times as much as others counts no more
    often than every fourth of them. A test that may be looked at after each
    value can be decided by its first values, and whoever is quick would give
    these alone; and a few who are loud would be many. What comes too soon
    waits; what still waits at the end is left out. Which row is next depends
    on who gave it and when, never on what it says: so bets on it stay fair.
    """
    came = Counter[Hashable]()
    turns = _Turns()
    for number, row in enumerate(rows):
        who = person(row)
        came[who] += 1
        if came[who] <= most:
            yield from turns.after(who, number, row, came[who])


def is_turn(came: Sequence[int], counted: int, length: int) -> bool:
    """Whether the next value of somebody of whom `counted` are in a list of that length may count.

    `came` tells by number how many people have given so many values, counted
    yet or not. There is room in the list for all who gave as many before, for
    SHARE of them at least, and every fourth person has given as many as this.
    """
    if counted == 0:
        return True
    return EVERY * came[counted] >= came[0] and sum(max(people, SHARE) for people in came[:counted]) <= length


class _Turns:
    """Rows that wait for their turn, by person; `_later` has who waits by how many rows of theirs are in the list."""

    def __init__(self) -> None:
        self._waiting: dict[Hashable, deque[tuple[int, Any]]] = defaultdict(deque)
        self._given = Counter[Hashable]()
        self._ready: list[tuple[int, Hashable]] = []    # the earliest first
        self._later: defaultdict[int, list[Hashable]] = defaultdict(list)
        self._came: list[int] = []                      # by round
        self._length = 0

    def after(self, who: Hashable, number: int, row: Row, rows: int) -> Iterator[Row]:
        """What is next in the list once this row has come, so many of this person's by now."""
        self._came += [0] * (rows - len(self._came))
        self._came[rows - 1] += 1
        self._waiting[who].append((number, row))
        if len(self._waiting[who]) == 1:
            self._later[self._given[who]].append(who)
        while self._due():
            _, first = heappop(self._ready)
            yield self._waiting[first].popleft()[1]
            self._given[first] += 1
            self._length += 1
            if self._waiting[first]:
                self._later[self._given[first]].append(first)

    def _due(self) -> bool:
        """Who has become due is lined up; whether anybody is."""
        for given in sorted(self._later):
            if not is_turn(self._came, given, self._length):
                break
            for who in self._later.pop(given):
                heappush(self._ready, (self._waiting[who][0][0], who))
        return bool(self._ready)
