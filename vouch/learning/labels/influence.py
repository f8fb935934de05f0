"""What labels weigh in a fit, and the cap on it: many questions of one's own must not steer either.

A fit gives each question the same, however much its labels weigh, half of it to what is relevant and half to the
rest (weighted_shares). So the weight of labels alone does not tell who decides: one vote for and one against on each
of many questions do more than as many votes on a few.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from vouch.learning.labels.caps import factors
from vouch.learning.labels.label import Label
from vouch.learning.statistics.shares import HALF

PASSES = 50
SETTLED = 1e-4                          # relative: what another pass may still take of anybody


def influence(labels: Sequence[Label], weights: Sequence[float]) -> list[float]:
    """What each label of these weights has of its question in a fit; 0 where all say the same of it."""
    sides: defaultdict[tuple[str, bool], float] = defaultdict(float)
    keys = [one.question_key for one in labels]
    for one, key, weight in zip(labels, keys, weights, strict=True):
        sides[key, one.relevance > 0] += weight
    kind = {key: min(HALF, sides[key, True], sides[key, False]) for key in set(keys)}
    return [weight * kind[key] / sides[key, one.relevance > 0] if kind[key] > 0 else 0.0
            for one, key, weight in zip(labels, keys, weights, strict=True)]


def cap_influence(labels: Sequence[Label], *, person_share: float, day_share: float) -> list[Label]:
    """The labels in their order; of what all but judgments weigh in a fit, nobody and no day has more than its share.

    Where somebody is cut, the other labels of the question, but judgments, are given what they weigh in the fit, so
    that those that are cut weigh less beside them. With few people and days it is as in cap_weights.
    """
    order = sorted(range(len(labels)), key=lambda n: labels[n].key)
    ordered = [labels[n] for n in order]
    weights = [one.weight for one in ordered]
    for _ in range(PASSES):
        parts = influence(ordered, weights)
        cut = factors(ordered, parts, person_share, day_share)
        if min(cut, default=1.0) > 1 - SETTLED:
            break
        touched = {one.question_key for one, factor in zip(ordered, cut, strict=True) if factor < 1}
        weights = [
            part * factor if one.question_key in touched and one.source != "judged" and part > 0 else weight
            for one, weight, part, factor in zip(ordered, weights, parts, cut, strict=True)
        ]
    found = dict(zip(order, weights, strict=True))
    return [one if found[n] == one.weight else replace(one, weight=found[n]) for n, one in enumerate(labels)]
