"""What judgments count beside other labels: whoever judges alone decides, and one of many does not.

A judgment is one person's word on one passage, so it weighs more than what people did, and takes its place. It is
capped all the same, by what all labels weigh: 500 wrong ones of one person would otherwise outweigh all voters. Below
TRUSTED nothing is cut: where few others say anything, a share of what they say would leave nothing to learn from.
"""

import math
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import replace

from vouch.access import PUBLIC
from vouch.learning.labels.label import Label

_ROUNDING = 1 + 1e-12
TRUSTED = 25.0                          # questions or outcomes that anybody may decide by judgments


def cap_judges(labels: Sequence[Label], *, share: float) -> list[Label]:
    """The labels in their order; of the weight of all nobody has more than `share` by judgments, but for TRUSTED."""
    factor = judge_factors(labels, [one.weight for one in labels], share)
    return [replace(one, weight=one.weight * part) if part < 1 else one
            for one, part in zip(labels, factor, strict=True)]


def judge_factors(labels: Sequence[Label], weights: Sequence[float], share: float) -> list[float]:
    """What each label of these weights is to be multiplied by; 1 for what is no judgment, and where one person judged
    and nobody else said anything. Who is not named is one person together."""
    held: defaultdict[str, list[float]] = defaultdict(list)
    rest: list[float] = []
    for one, weight in zip(labels, weights, strict=True):
        (held[one.person or PUBLIC] if one.source == "judged" else rest).append(weight)
    totals = {person: math.fsum(some) for person, some in held.items()}
    if share >= 1 or sum(total > 0 for total in totals.values()) + (math.fsum(rest) > 0) < 2:
        return [1.0] * len(labels)
    level = max(_beside(sorted(totals.values(), reverse=True), math.fsum(rest), share), TRUSTED)
    return [min(level / totals[one.person or PUBLIC], 1.0) if one.source == "judged" and weight > 0 else 1.0
            for one, weight in zip(labels, weights, strict=True)]


def _beside(down: Sequence[float], rest: float, share: float) -> float:
    """The level L with L = share · (rest + Σ min(total, L)); 0 where there is none, as so many share all of it."""
    for cut, following in enumerate(down):
        if share * cut >= 1:
            return 0.0
        level = share * (math.fsum(down[cut:]) + rest) / (1 - share * cut)
        if following <= level * _ROUNDING:
            return level
    cut = len(down)
    return share * rest / (1 - share * cut) if share * cut < 1 else 0.0


def outranking(judged: Collection[Label], labels: Collection[Label]) -> bool:
    """Whether judgments stand for all that is known. What was cut since one person judged too much does not: whoever
    judges what others voted on would silence them."""
    return bool(judged) and math.fsum(one.weight for one in judged) >= max(
        (one.weight for one in labels if one.source != "judged"), default=0.0)
