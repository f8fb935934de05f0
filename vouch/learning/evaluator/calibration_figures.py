"""What a calibration is worth on questions that it was not made from, and whether it may serve.

Five folds by group: each question is judged by the calibration that was
fitted on the other folds; the one that serves is fitted on all. Differences
have 95 % intervals of a paired bootstrap over groups.
"""

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vouch.errors import BadInput
from vouch.learning.evaluator.calibration import Calibration, Costs, ScoredList, calibrate
from vouch.learning.statistics import metrics
from vouch.plurals import count

Floats = NDArray[np.float64]
FOLDS, DRAWS = 5, 2000
_BINS = 10                              # of the calibration error, as metrics.expected_calibration_error has them
_SUMS = 5 + _BINS
_SMALLEST = 1e-6                        # probability: the loss of one passage is bounded by it
Measured = Sequence[tuple[ScoredList, Calibration]]


@dataclass(frozen=True, slots=True)
class Needed:
    """`questions` whose outcome is known, `each` of those that can be answered and of the others. `loss` is what the
    lower end of a gain's interval may show, in cost of a question and in log loss."""

    questions: int = 50
    each: int = 10
    loss: float = 0.02


def fold_of(group: str) -> int:
    return int.from_bytes(hashlib.sha256(f"calibrate {group}".encode()).digest()[:8], "big") % FOLDS


def held_out(lists: Sequence[ScoredList], costs: Costs) -> list[tuple[ScoredList, Calibration]]:
    """Each list with the calibration of the other folds. Raises what `calibrate` raises."""
    found = []
    for fold in range(FOLDS):
        inside = [one for one in lists if fold_of(one.group) == fold]
        if inside:
            made = calibrate([one for one in lists if fold_of(one.group) != fold], costs)
            found += [(one, made) for one in inside]
    return found


def report(lists: Sequence[ScoredList], former: Calibration, costs: Costs, needed: Needed) -> dict[str, Any]:
    """Figures before and after, gains with intervals, and `refused`: why it must not serve, empty if it may."""
    outcomes = _outcomes(lists)
    right = sum(outcomes)
    counts = {"questions": questions_of(lists), "known": len(outcomes), "answerable": right,
              "passages": int(sum((scored_list.weights > 0).sum() for scored_list in lists)), "costs": asdict(costs)}
    if short := _short(len(outcomes), right, needed):
        return {**counts, "refused": short}
    try:
        after = held_out(lists, costs)
    except BadInput as error:
        return {**counts, "refused": error.cause}
    before = [(scored_list, former) for scored_list, _ in after]
    result = {"before": figures(before, costs), "after": figures(after, costs), "gains": _gains(before, after, costs)}
    return {**counts, **result, "refused": _refusal(result, needed)}


def questions_of(lists: Sequence[ScoredList]) -> int:
    """How many different ones."""
    return len({one.question or str(number) for number, one in enumerate(lists)})


def _outcomes(lists: Sequence[ScoredList]) -> list[bool]:
    """Of each question whose outcome is known whether it can be answered: by most of its lists."""
    known: dict[str, list[float]] = {}
    for number, one in enumerate(lists):
        if one.right is not None:
            known.setdefault(one.question or str(number), []).append(one.right)
    return [sum(told) > len(told) / 2 for told in known.values()]


def _short(known: int, right: int, needed: Needed) -> str:
    """Which numbers of questions are too small; empty if none is."""
    numbers = ((f"{count(known, 'question has', 'questions have')} a known outcome", known, needed.questions),
               (f"{right} can be answered", right, needed.each),
               (f"{known - right} cannot be answered", known - right, needed.each))
    return "; ".join(f"{told}, at least {least} are needed" for told, number, least in numbers if number < least)


def _refusal(found: Mapping[str, Any], needed: Needed) -> str:
    """Why the calibration with these figures must not serve; empty if it may."""
    lows = {name: found["gains"][name][1] for name in ("cost", "log_loss")}
    why = [f"{name}: the 95 % interval of its gain begins at {low:.4f}, below -{needed.loss}"
           for name, low in lows.items() if low < -needed.loss]
    if not found["after"]["certain"] and found["before"]["certain"]:
        why.append("no question at all would be answered as certain")
    return "; ".join(why)


def golden_gain(lists: Sequence[ScoredList], former: Calibration, made: Calibration, costs: Costs) -> float | None:
    """How much less a golden question costs than before, on the whole; None without one whose outcome is known."""
    known = [one for one in lists if one.right is not None]
    if not known:
        return None
    saved = [_cost(one.right or 0.0, former.best(one), former, costs) - _cost(one.right or 0.0, made.best(one), made,
             costs) for one in known]
    return round(math.fsum(saved) / len(known), 4)


def gain_of(
    former: tuple[Calibration, Mapping[str, ScoredList]], made: tuple[Calibration, Mapping[str, ScoredList]],
    costs: Costs,
) -> float | None:  # fmt: skip
    """The same for two evaluators that scored the passages of each question, by its id, themselves.

    What one of them put first that answers was there for the other one, too: to decline it costs.
    """
    both = [(former[1][name], made[1][name]) for name in sorted(former[1].keys() & made[1].keys())]
    saved = []
    for one, two in both:
        there = max(one.right or 0.0, two.right or 0.0)
        saved.append(_paid(one, former[0], there, costs) - _paid(two, made[0], there, costs))
    return round(math.fsum(saved) / len(saved), 4) if saved else None


def _paid(one: ScoredList, made: Calibration, there: float, costs: Costs) -> float:
    shown = made.best(one) >= made.shown
    return _cost((one.right or 0.0) if shown else there, made.best(one), made, costs)


def figures(measured: Measured, costs: Costs) -> dict[str, float]:
    """Of passages: AUC, ECE, log loss. Of questions: `precision` of those given as certain, `coverage` of those that
    can be answered, `declined` of all, mean `cost`, where each counts as its outcome does."""
    known = [(scored, fit) for scored, fit in measured if scored.right is not None]
    best = np.array([fit.best(scored) for scored, fit in known])
    right, counts = np.array([(scored.right, scored.counts) for scored, _ in known]).T
    sure = best >= [fit.upper for _, fit in known]
    shown = best >= [fit.shown for _, fit in known]
    holds, chances = (np.concatenate(column) for column in zip(*(_known(*each)[:2] for each in measured), strict=True))
    sums = np.sum([_sums(scored, fit, costs) for scored, fit in measured], axis=0)
    results = {
        "auc": metrics.auc(holds, chances),
        **{name: float(value) for name, value in _of_sums(sums).items()},
        "certain": _share(sure, counts), "precision": _share(right[sure], counts[sure]),
        "coverage": _share(sure[right > 0], counts[right > 0]), "declined": _share(~shown, counts),
    }
    return {name: round(value, 4) for name, value in results.items() if math.isfinite(value)}


def _share(true: NDArray[np.bool_] | Floats, counts: Floats) -> float:
    whole = counts.sum()
    return float((true * counts).sum() / whole) if whole else math.nan


def _gains(before: Measured, after: Measured, costs: Costs) -> dict[str, list[float]]:
    """How much lower each figure is now, and the interval of that: groups are drawn, for both alike."""
    groups = sorted({scored.group for scored, _ in before})
    row = {group: number for number, group in enumerate(groups)}
    former, new = np.zeros((len(groups), _SUMS)), np.zeros((len(groups), _SUMS))
    for (scored, fit), (_, other) in zip(before, after, strict=True):
        former[row[scored.group]] += _sums(scored, fit, costs)
        new[row[scored.group]] += _sums(scored, other, costs)
    draws = np.random.default_rng(0).multinomial(len(groups), np.full(len(groups), 1 / len(groups)), DRAWS)
    drawn = [_of_sums(draws @ sums) for sums in (former, new)]
    whole = [_of_sums(sums.sum(axis=0)) for sums in (former, new)]
    gains = {}
    for name in whole[0]:
        low, high = np.nanquantile(drawn[0][name] - drawn[1][name], [0.025, 0.975])
        gains[name] = [round(float(value), 4) for value in (whole[0][name] - whole[1][name], low, high)]
    return gains


def _sums(one: ScoredList, made: Calibration, costs: Costs) -> Floats:
    """What the figures of any set of lists are made from, when it is added up."""
    holds, given, weights = _known(one, made)
    chance = np.clip(np.where(holds > 0.5, given, 1 - given), _SMALLEST, 1.0)
    gaps = np.zeros(_BINS)
    np.add.at(gaps, np.minimum((given * _BINS).astype(int), _BINS - 1), holds - given)
    price = 0.0 if one.right is None else _cost(one.right, made.best(one), made, costs)
    known = 0.0 if one.right is None else one.counts
    sums = [float((weights * -np.log(chance)).sum()), weights.sum(), known * price, known, len(holds)]
    return np.array([*sums, *gaps], dtype=np.float64)


def _of_sums(sums: Floats) -> dict[str, Floats]:
    """Figures that are better the lower they are; `sums` in the last axis."""
    loss, weight, price, known, passages = (sums[..., n] for n in range(_SUMS - _BINS))
    with np.errstate(invalid="ignore"):
        return {"ece": np.abs(sums[..., -_BINS:]).sum(axis=-1) / passages, "log_loss": loss / weight,
                "cost": price / known}


def _known(one: ScoredList, made: Calibration) -> tuple[Floats, Floats, Floats]:
    """Of the passages that something is known of: whether each holds the answer, its probability, and its weight."""
    some = one.weights > 0
    return (one.holds[some] > 0.5).astype(np.float64), made.probabilities(one.scores[some]), one.weights[some]


def _cost(right: float, best: float, made: Calibration, costs: Costs) -> float:
    if best >= made.upper:
        return 0.0 if right else costs.wrong
    if best >= made.shown:
        return costs.doubted if right else costs.unsure
    return costs.declined if right else 0.0
