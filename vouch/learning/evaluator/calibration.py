"""Calibrate an evaluator: probabilities and thresholds from a company's own questions. Its weights stay as they are.

P(passage holds the answer) = sigmoid(slope · score + offset), fitted to the
labeled passages (Platt 1999). The thresholds follow from costs. With p the
chance that the passages an answer is made from hold it, by a second such fit
to the best score of each question:

    sure      (1 − p) · wrong
    unsure    p · doubted + (1 − p) · unsure
    decline   p · declined

`upper` is where an answer given as certain becomes the cheapest, and NEAREST
of `lower`, down to which passages are shown at all, where a decline ceases to
be; both are told as the probability of the best passage.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vouch.correction.evaluation import NEAREST
from vouch.errors import BadInput
from vouch.learning.models.evaluator_model import EvaluatorModel
from vouch.learning.statistics.logistic import fit, sigmoid

Floats = NDArray[np.float64]
PLACES = 6                              # passages of the highest scores that an answer may be made from
HOLDS = 2                               # relevance from which on a passage holds the answer
STEEPEST = 100.0                        # slope that an evaluator's file may have
_CURE = "give more questions in the file, of both kinds; or label more: vouch label; or let people vote for a while"


@dataclass(frozen=True, slots=True)
class Costs:
    """Of one question. A right answer given as certain, and a decline where nothing holds the answer, cost 0."""

    wrong: float = 2.0                  # given as certain, and not there
    unsure: float = 0.125               # shown with caution, and not there
    doubted: float = 0.5                # shown with caution, and right
    declined: float = 1.0               # and it was there

    def shares(self) -> tuple[float, float]:
        """From which chances on it is worth to show something, and to be certain."""
        lower = self.unsure / (self.unsure + self.declined - self.doubted) if self.declined > self.doubted else 1.0
        gap = self.wrong - self.unsure
        upper = gap / (gap + self.doubted) if gap > 0 else 0.0
        if lower <= upper:
            return lower, upper
        even = self.wrong / (self.wrong + self.declined)        # to be unsure is never the best
        return even, even


@dataclass(frozen=True, slots=True)
class ScoredList:
    """The passages judged for one question: the evaluator's score before calibration, what is known of each, and how
    much that counts (0: nothing is known). Lists of one `group` are of nearly the same question. `counts` says how much
    its outcome does beside that of a question with a known answer; lists of one `question`, where it is given, are of
    that very one."""

    group: str
    scores: Floats
    holds: Floats
    weights: Floats
    counts: float = 1.0
    question: str = ""

    @property
    def best(self) -> float:
        return float(self.scores.max())

    @property
    def right(self) -> float | None:
        """1: an answer could be made from what is there; 0: not from the best; None: not known."""
        place = self.telling
        return None if place is None else float(self.holds[place] > 0.5)

    @property
    def telling(self) -> int | None:
        """The place of the passage that tells the outcome: of those that hold the answer what is known best, or the
        best one; None where the outcome is not known."""
        top = np.argsort(-self.scores, kind="stable")[:PLACES]
        known = top[self.weights[top] > 0]
        holding = known[self.holds[known] > 0.5]
        if len(holding):
            return int(holding[np.argmax(self.weights[holding])])
        return int(top[0]) if len(known) and known[0] == top[0] else None


@dataclass(frozen=True, slots=True)
class Calibration:
    slope: float
    offset: float
    lower: float
    upper: float

    def probabilities(self, scores: Floats) -> Floats:
        return sigmoid(self.slope * scores + self.offset)

    @property
    def shown(self) -> float:
        """From which probability of the best passage on a question is not declined."""
        return NEAREST * self.lower

    def best(self, one: ScoredList) -> float:
        """The probability of the list's best passage."""
        return float(self.probabilities(np.array([one.best]))[0])

    def on(self, model: EvaluatorModel) -> EvaluatorModel:
        changed = {"slope": self.slope, "offset": self.offset, "lower": self.lower, "upper": self.upper}
        return EvaluatorModel.model_validate(model.model_dump() | changed)  # copies are not validated


def calibration_of(model: EvaluatorModel) -> Calibration:
    return Calibration(model.slope, model.offset, model.lower, model.upper)


def scored_list(
    model: EvaluatorModel, group: str, evidence: Sequence[Mapping[str, float]], known: Sequence[tuple[float, float]]
) -> ScoredList:
    """`known`: of each passage whether it holds the answer, from 0 to 1, and how much that counts.

    Raises BadInput for evidence that lacks a feature.
    """
    scores = np.array([model.score(row) for row in evidence])
    return ScoredList(group, scores, *np.array(known, dtype=np.float64).T.copy())


def calibrate(lists: Sequence[ScoredList], costs: Costs) -> Calibration:
    """Raises BadInput where all that is known is of one kind, or speaks against the scores."""
    scores, holds, weights = (np.concatenate([getattr(one, name) for one in lists] or [np.array([])])
                              for name in ("scores", "holds", "weights"))
    slope, offset = map(_coarse, _platt(scores, holds, weights, "passages"))
    outcomes = [(one.best, one.right, one.counts) for one in lists if one.right is not None]
    best, right, counts = np.array(outcomes, dtype=np.float64).reshape(-1, 3).T.copy()
    steep, shift = _platt(best, right, counts, "questions")
    shown, upper = (_as_probability(share, steep, shift, slope, offset) for share in costs.shares())
    return Calibration(slope, offset, round(min(shown / NEAREST, upper), 4), round(upper, 4))


def _coarse(value: float) -> float:
    """To four significant digits: all numbers of a calibration are rounded."""
    return float(f"{value:.4g}")


def _as_probability(share: float, steep: float, shift: float, slope: float, offset: float) -> float:
    """The calibrated probability of a best passage with which this share of the questions can be answered."""
    if not 0 < share < 1:
        return share
    score = (math.log(share / (1 - share)) - shift) / steep
    return float(sigmoid(np.array(slope * score + offset)))


def _platt(scores: Floats, holds: Floats, weights: Floats, what: str) -> tuple[float, float]:
    """With Platt's smoothed targets; a count is a sum of weights."""
    positive = float((weights * holds).sum())
    negative = float((weights * (1 - holds)).sum())
    if positive < 1 or negative < 1:
        raise BadInput(f"of the {what} too few hold the answer, or too few do not", cure=_CURE)
    low, high = 1 / (negative + 2), (positive + 1) / (positive + 2)
    slope, offset = map(float, fit(scores[:, None], low + holds * (high - low), l2=1e-6, weights=weights))
    if not 0 < slope <= STEEPEST:
        raise BadInput(f"the labels of the {what} do not agree with the evaluator's scores at all", cure=_CURE)
    return slope, offset
