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
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Literal, TypeVar, get_args

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
SHARE = 10                              # of the list: of no beginning is more than one, and a tenth, of one person


def in_turns(rows: Iterable[Row], person: Callable[[Row], Hashable], most: int) -> Iterator[Row]:
    """The first `most` rows of each person; the second once 10 rows are in the list, the third once 20 are, and so on.

    A test that may be looked at after each value can be decided by its first
    values, and whoever is quick would give these alone. What comes too soon
    waits; what still waits at the end is left out. Which row is next depends
    on who gave it and when, never on what it says: so bets on it stay fair.
    """
    came, turns = Counter[Hashable](), Counter[Hashable]()
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
            _line_up(who, turns[who], length, waiting, ready, later)
        while ready:
            _, who = heappop(ready)
            yield waiting[who].popleft()[1]
            turns[who] += 1
            length += 1
            if waiting[who]:
                _line_up(who, turns[who], length, waiting, ready, later)
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
