"""What labels and candidates weigh in a fit, and the caps on it: nobody steers alone, and no few together.

A group that holds too much is scaled down, which makes the total smaller and
so the cap: the level is the fixed point, where whoever is cut holds exactly
the share of what is left after all cuts. Labels of one group are scaled by
one factor. A citation is of whoever asked: who asks a lot would otherwise decide by questions what they may not by
votes. What people judged is capped by itself, more loosely: whoever judges alone decides, and one of many does not.

A fit gives each question the same, however much its labels weigh, half of it to what is relevant and half to the
rest (weighted_shares). So the weight of labels alone does not tell who decides: one vote for and one against on each
of many questions do more than as many votes on a few.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from vouch.access import PUBLIC
from vouch.learning.labels.judgments import judge_factors
from vouch.learning.labels.label import SOURCES, Label

CAPPED = frozenset(SOURCES) - {"judged"}
SETTLED = 1e-9                          # relative: what one cap may still take of the other's
ROUNDING = 1 + 1e-12
FAIR = 2                                # equal parts that a person or day may hold, however few there are
ROUNDS = 1000
NOTHING = 1e-6                          # of what the cap of people alone leaves

LOUDEST = 5                             # one of so many people is among those who said most

Cell = tuple[str, date]
PeopleShares = tuple[float, float]      # of one person, and of the loudest fifth together
G = TypeVar("G", str, date)


def cap_weights(
    labels: Sequence[Label], *, person_share: float, day_share: float, loudest_share: float = 1.0
) -> list[Label]:
    """The labels in their order; of what people did, no person and no day (UTC) weighs more than its share, nor does
    the fifth of the people who did most weigh more than theirs together.

    Of fewer than 2/share people each may hold twice an equal part: a smaller share would give the word to those who
    say least, or be beyond reach. The same goes for days. Where both caps leave nothing together, as when most days
    are one person's, that of people holds alone. Who is not named is one person together, with the public.
    """
    factor = factors(labels, [one.weight for one in labels], (person_share, loudest_share), day_share)
    return [replace(one, weight=one.weight * part) if part < 1 else one
            for one, part in zip(labels, factor, strict=True)]


def factors(
    labels: Sequence[Label], weights: Sequence[float], people: PeopleShares, day_share: float
) -> list[float]:
    """What each label of these weights is to be multiplied by, 1 for what is not capped or not cut."""
    cells = [_cell(one) if one.source in CAPPED and weight > 0 else None
             for one, weight in zip(labels, weights, strict=True)]
    held: defaultdict[Cell, list[float]] = defaultdict(list)
    for cell, weight in zip(cells, weights, strict=True):
        if cell is not None:
            held[cell].append(weight)
    before = {cell: math.fsum(held[cell]) for cell in sorted(held)}
    after = _capped(before, people, day_share)
    return [min(after[cell] / before[cell], 1.0) if cell is not None else 1.0 for cell in cells]


def _cell(one: Label) -> Cell:
    return one.person or PUBLIC, one.at.astimezone(UTC).date()


def _capped(weights: Mapping[Cell, float], people: PeopleShares, day_share: float) -> Mapping[Cell, float]:
    """By person and day, once neither cap takes anything of the other's."""
    alone = _of_people(weights, people)
    found = alone
    for _ in range(ROUNDS):
        former, found = found, _of_people(_of_days(found, day_share), people)
        if sum(found.values()) < NOTHING * sum(alone.values()):
            break
        if all(math.isclose(found[cell], former[cell], rel_tol=SETTLED) for cell in found):
            return found
    return alone


def _of_people(weights: Mapping[Cell, float], shares: PeopleShares) -> dict[Cell, float]:
    one, loudest = shares
    return _by_group(weights, [person for person, _ in weights],
                     lambda totals: min(highest(totals, one), highest_of_loudest(totals, loudest)))


def _of_days(weights: Mapping[Cell, float], share: float) -> dict[Cell, float]:
    return _by_group(weights, [day for _, day in weights], lambda totals: highest(totals, share))


def _by_group(
    weights: Mapping[Cell, float], groups: Iterable[G], level_of: Callable[[Sequence[float]], float]
) -> dict[Cell, float]:
    members: defaultdict[G, list[Cell]] = defaultdict(list)
    for cell, group in zip(weights, groups, strict=True):
        members[group].append(cell)
    totals = {group: math.fsum(weights[cell] for cell in cells) for group, cells in members.items()}
    level = level_of(list(totals.values()))
    return {
        cell: weights[cell] * level / totals[group] if totals[group] > level else weights[cell]
        for group in members for cell in members[group]
    }


def highest(totals: Sequence[float], share: float) -> float:
    """The level L with L = share · Σ min(total, L), where share is at least twice an equal part.

    The n largest are cut: L = share · (n·L + rest). The first n whose level the next one does not pass is it.
    """
    down = sorted((total for total in totals if total > 0), reverse=True)
    share = max(share, FAIR / len(down)) if down else 1.0
    if share >= 1:
        return down[0] if down else 0.0
    for cut, following in enumerate(down):
        level = share * math.fsum(down[cut:]) / (1 - share * cut)
        if following <= level * ROUNDING:
            return level
    raise AssertionError("more than 1/share totals always have a level")


def highest_of_loudest(totals: Sequence[float], share: float) -> float:
    """The highest level L at which the largest fifth of min(total, L) is at most `share`, at least .2, of them all.

    Infinite for fewer than five. Of the n largest k are cut: k·L + the others of the n = share · (k·L + rest).
    """
    down = sorted((total for total in totals if total > 0), reverse=True)
    loud = len(down) // LOUDEST
    if not loud:
        return math.inf
    left, beside, level = math.fsum(down), math.fsum(down[:loud]), math.inf
    for cut, following in enumerate(down):
        slope = min(cut, loud) - share * cut    # what the loudest have more than their share, by the level
        over = beside - share * left            # and by what is not cut
        level = -over / slope if slope > 0 else math.inf if over <= 0 else -math.inf
        if following <= level * ROUNDING:
            return min(level, down[cut - 1]) if cut else level
        left -= following
        beside -= following if cut < loud else 0.0
    return down[-1]


Floats = NDArray[np.float64]
HALF = 0.5                              # of a question: for what is relevant, and for the rest


def equal_shares(labels: Floats) -> Floats:
    """Where everything is known of every candidate."""
    positive = labels.sum()
    return np.asarray(np.where(labels > 0.5, 0.5 / max(positive, 1.0), 0.5 / max(len(labels) - positive, 1.0)))


def weighted_shares(targets: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """The targets and shares of candidates that are known by labels of these weights.

    What is relevant and the rest still share evenly, each at most a half, and
    at most what the labels of the other weigh: so one that was capped to
    almost nothing cannot make a question count on its own.
    """
    relevant, rest = weights * targets, weights * (1 - targets)
    kind = min(HALF, float(relevant.sum()), float(rest.sum()))
    if kind <= 0:
        return np.zeros(len(weights)), np.zeros(len(weights))
    relevant, rest = relevant * (kind / relevant.sum()), rest * (kind / rest.sum())
    share = relevant + rest
    return np.divide(relevant, share, out=np.zeros(len(share)), where=share > 0), share


def spread(values: Floats, shares: Floats | None) -> tuple[Floats, Floats]:
    """Mean and deviation of each column, of rows that count the same or by their shares."""
    if shares is None:
        return values.mean(axis=0), values.std(axis=0)
    part = (shares / max(float(shares.sum()), 1e-12))[:, None]
    mean = (values * part).sum(axis=0)
    return mean, np.sqrt((((values - mean) ** 2) * part).sum(axis=0))


PASSES = 50
NEXT_TO_NOTHING = 0.01                  # of what all had in the fit before
INFLUENCE_SETTLED = 1e-4                          # relative: what another pass may still take of anybody


def influence(labels: Sequence[Label], weights: Sequence[float]) -> list[float]:
    """What each label of these weights has of its question in a fit; 0 where all say the same of it."""
    sides: defaultdict[tuple[str, bool], float] = defaultdict(float)
    keys = [one.question_key for one in labels]
    for one, key, weight in zip(labels, keys, weights, strict=True):
        sides[key, one.relevance > 0] += weight
    kind = {key: min(HALF, sides[key, True], sides[key, False]) for key in set(keys)}
    return [weight * kind[key] / sides[key, one.relevance > 0] if kind[key] > 0 else 0.0
            for one, key, weight in zip(labels, keys, weights, strict=True)]


def cap_influence(
    labels: Sequence[Label], *, person_share: float, day_share: float, judge_share: float = 1.0,
    loudest_share: float = 1.0,
) -> list[Label]:  # fmt: skip
    """The labels in their order; of what all but judgments weigh in a fit, nobody and no day has more than its share,
    nor have the loudest fifth of the people together, and of what all labels weigh nobody more than `judge_share` by
    judgments, but for TRUSTED.

    Where the bound on the loudest leaves next to nothing, as it may where few say the same of few questions, there is
    none. Where somebody is cut, the other labels of the question, but judgments, are given what they weigh in the fit,
    so that those that are cut weigh less beside them. With few people and days it is as in cap_weights.
    """
    order = sorted(range(len(labels)), key=lambda n: labels[n].key)
    ordered = [labels[n] for n in order]
    weights = [label.weight for label in ordered]
    heard = math.fsum(influence(ordered, weights))
    for _ in range(PASSES):
        parts = influence(ordered, weights)
        cut = list(map(min, factors(ordered, parts, (person_share, loudest_share), day_share),
                       judge_factors(ordered, parts, judge_share)))
        if min(cut, default=1.0) > 1 - INFLUENCE_SETTLED:
            break
        touched = {label.question_key for label, factor in zip(ordered, cut, strict=True) if factor < 1}
        weights = [
            part * factor if part > 0 and (factor < 1 or (label.question_key in touched and label.source != "judged"))
            else weight
            for label, weight, part, factor in zip(ordered, weights, parts, cut, strict=True)
        ]
    if loudest_share < 1 and math.fsum(influence(ordered, weights)) < NEXT_TO_NOTHING * heard:
        return cap_influence(labels, person_share=person_share, day_share=day_share, judge_share=judge_share)
    capped = dict(zip(order, weights, strict=True))
    return [label if capped[n] == label.weight else replace(label, weight=capped[n]) for n, label in enumerate(labels)]
