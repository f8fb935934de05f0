"""Fit a learned fusion and decide whether it may be served.

1. Weights: logistic regression over the candidates of a question. Each
   question weighs the same, half of it for what is relevant and half for the
   rest. Which features are used is decided on the calibration split, by
   models of the train split; the one that serves is fitted on both.
2. Figures: nDCG@10 on the test split, which nothing above has seen, beside
   reciprocal ranks; the interval of the difference is a paired bootstrap
   over questions. What several readers ask in the same words is one question.
3. Gate: a model is refused if too few questions were held out, or if it may
   be worse than reciprocal ranks, or than the model that ranks now, by more
   than a stated loss.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import product

import numpy as np
from numpy.typing import NDArray

from vouch.errors import BadInput
from vouch.learning.labels.weights import equal_shares, spread, weighted_shares
from vouch.learning.models.fusion_model import PRODUCT, Formula, FusionModel, FusionTerm, columns, standardised
from vouch.learning.models.model_file import LARGEST_WEIGHT, Figure, coarse
from vouch.learning.statistics.logistic import fit
from vouch.learning.statistics.metrics import paired_interval
from vouch.learning.statistics.splits import split_of
from vouch.ports.index import View
from vouch.ports.models import Analyser
from vouch.retrieval.fusion_features import FEATURE_NAMES, FEATURE_SCHEMA, OF_THE_QUESTION, feature_matrix
from vouch.values.candidate import Candidate
from vouch.values.question import Query

Floats = NDArray[np.float64]

L2 = 1.0
DEPTH = 10                              # of nDCG
ENGINE_FEATURES = tuple(name for name in FEATURE_NAMES if name.startswith(("bm25_", "sem_")))
_BY_KIND = tuple(PRODUCT.join(pair) for pair in product(
    ("bm25_share", "bm25_rrf", "sem_gap", "sem_rrf"), OF_THE_QUESTION))
TERMS = {                               # the fewer come first, and win a tie
    "engines": ENGINE_FEATURES,
    "engines by kind of question": ENGINE_FEATURES + _BY_KIND,
    "all": (*(name for name in FEATURE_NAMES if name not in OF_THE_QUESTION), *_BY_KIND),
}
FEWEST = 20                             # questions that are held out
LOSS = 0.01                             # of nDCG@10, that the lower end of the interval may show


@dataclass(frozen=True, slots=True)
class JudgedCandidates:
    """The fused candidates of one question.

    `group`: what it is split by. `items`: what each counts as, its document or itself; a later candidate of
    the same item counts nothing. `relevance` by item, also of items that were
    not found; what it lacks is not relevant. With `weights`, one per candidate,
    only what is known of it is here: `targets` says how much of a candidate's
    weight calls it relevant.
    """

    group: str
    matrix: Floats                      # candidates x FEATURE_NAMES
    reciprocal: Sequence[float]         # their reciprocal ranks
    items: Sequence[str]
    relevance: Mapping[str, float]
    weights: Floats | None = None
    targets: Floats | None = None       # between 0 and 1; None: what `labels` says

    @property
    def labels(self) -> Floats:
        return np.array([float(self.relevance.get(item, 0) > 0) for item in self.items])

    @property
    def observed(self) -> tuple[Floats, Floats]:
        """Per candidate the target of the fit, and its share in it."""
        if self.weights is None:
            return self.labels, equal_shares(self.labels)
        return weighted_shares(self.labels if self.targets is None else self.targets, self.weights)

    @property
    def weight(self) -> float:
        """Of the question beside others, from 0 to 1: 0 where what is known tells nothing about an order."""
        return 1.0 if self.weights is None else float(self.observed[1].sum())


def describe(
    view: View, query: Query, candidates: Sequence[Candidate], items: Sequence[str], relevance: Mapping[str, int],
    analyser: Analyser,
) -> JudgedCandidates:  # fmt: skip
    """With the features of candidates in the order of reciprocal ranks. Questions of the same terms are one group."""
    matrix = feature_matrix(query, candidates, view.statistics(query.terms), analyser)
    return JudgedCandidates(group_of(query), matrix, [c.fused_score for c in candidates], items, relevance)


def group_of(query: Query) -> str:
    """What a question is split by."""
    return " ".join(sorted(set(query.terms))) or query.text


def train_fusion(
    lists: Sequence[JudgedCandidates], *, data: Sequence[str], seed: int, today: date, fingerprints: Mapping[str, str],
    current: Mapping[str, FusionTerm] | None = None,
) -> FusionModel:
    """The model with its figures on held-out questions. Raises BadInput without questions that have an answer.

    `current`: terms of the model that ranks now, which decide whether it is refused and no weight of it.
    """
    answered = [judged for judged in lists if judged.labels.any()]
    train = [judged for judged in answered if split_of(judged.group) != "test"]
    test = [judged for judged in lists if split_of(judged.group) == "test"]
    if not train:
        raise BadInput("no question finds anything that is relevant to it",
                       cure="give questions about the documents that are served, with what answers them")
    chosen = choose(train)
    model = FusionModel(
        feature_schema=FEATURE_SCHEMA, terms=fit_terms(train, TERMS[chosen]), features=chosen, data=tuple(data),
        seed=seed, trained_on=today.isoformat(), fingerprints=dict(fingerprints),
    )
    figures: dict[str, Figure] = {"trained": len({one.group for one in train}), **compare(model, test, seed, current)}
    return model.model_copy(update={"figures": {"held out": figures}, "refused": gate(figures)})


def choose(lists: Sequence[JudgedCandidates]) -> str:
    """Which features order the calibration split best, by weights of the others; the fewest if it is empty."""
    rest = [one for one in lists if split_of(one.group) != "calibration"]
    judged = [one for one in lists if split_of(one.group) == "calibration"]
    if not rest or not judged:
        return next(iter(TERMS))
    return max(TERMS, key=lambda name: _mean(judged, _ndcgs(fit_terms(rest, TERMS[name]), judged)))


def _mean(lists: Sequence[JudgedCandidates], values: Sequence[float]) -> float:
    if all(one.weights is None for one in lists):
        return float(np.mean(values))
    return float(np.average(values, weights=[one.weight for one in lists]))


def fit_terms(lists: Sequence[JudgedCandidates], names: Sequence[str]) -> dict[str, FusionTerm]:
    """Weights that order the relevant first. A feature that is the same everywhere has none.

    Means and deviations are rounded before the fit, so that the file holds exactly what was used.
    Where lists have weights, what weighs nothing changes nothing.
    """
    values = np.vstack([columns(one.matrix, names) for one in lists])
    observed = [one.observed for one in lists]
    labels, shares = np.concatenate([one for one, _ in observed]), np.concatenate([one for _, one in observed])
    mean, scale = spread(values, None if all(one.weights is None for one in lists) else shares)
    telling = np.flatnonzero(scale > 1e-6)
    means, scales = coarse(mean[telling]), coarse(scale[telling])
    rows = standardised(values[:, telling], means, scales)
    weights = fit(rows, labels, l2=L2, weights=shares)
    return {
        names[int(column)]: FusionTerm(
            mean=float(mean), scale=float(scale),
            weight=round(float(np.clip(weight, -LARGEST_WEIGHT, LARGEST_WEIGHT)), 4),
        )
        for column, mean, scale, weight in zip(telling, means, scales, weights, strict=False)     # the bias comes last
    }


def compare(
    model: FusionModel, lists: Sequence[JudgedCandidates], seed: int, current: Mapping[str, FusionTerm] | None = None
) -> dict[str, Figure]:
    """nDCG@10 of the model and of reciprocal ranks on the same lists, and the 95 % interval of the difference; the
    same of the `current` model where there is one."""
    if not lists:
        return {"held_out": 0}
    learned = np.array(_ndcgs(model.terms, lists))
    reciprocal = np.array([ndcg(judged, np.array(judged.reciprocal)) for judged in lists])
    groups = [judged.group for judged in lists]
    low, high = paired_interval(learned - reciprocal, seed=seed, groups=groups)
    beside: dict[str, Figure] = {}
    if current is not None:
        gains = learned - np.array(_ndcgs(current, lists))
        ends = paired_interval(gains, seed=seed, groups=groups)
        beside = {"gain_over_current": _round(gains.mean()), "gain_over_current_interval": list(map(_round, ends))}
    return {
        "held_out": len(set(groups)),
        "ndcg@10": _round(learned.mean()), "ndcg@10_reciprocal_ranks": _round(reciprocal.mean()),
        "gain": _round((learned - reciprocal).mean()), "gain_interval": [_round(low), _round(high)],
        **beside,
    }


def _ndcgs(terms: Mapping[str, FusionTerm], lists: Sequence[JudgedCandidates]) -> list[float]:
    return [ndcg(one, scores_by(terms, one)) for one in lists]


def scores_by(terms: Mapping[str, FusionTerm], one: JudgedCandidates) -> Floats:
    return Formula(terms).scores(one.matrix)


def ndcg(one: JudgedCandidates, scores: Floats) -> float:
    """nDCG@10 of the order by score (Järvelin and Kekäläinen 2002), each item counted at its best place."""
    order = dict.fromkeys(one.items[place] for place in np.argsort(-scores, kind="stable"))
    gains = [one.relevance.get(item, 0) for item in order][:DEPTH]
    ideal = _discounted(sorted(one.relevance.values(), reverse=True)[:DEPTH])
    return _discounted(gains) / ideal if ideal else 0.0


def _discounted(gains: Sequence[float]) -> float:
    return float(sum(gain / np.log2(place + 1) for place, gain in enumerate(gains, 1)))


def gate(figures: Mapping[str, Figure]) -> str:
    """Why a model with these figures must not be served; empty if it may."""
    questions, interval = figures["held_out"], figures.get("gain_interval")
    if not isinstance(questions, int) or questions < FEWEST:
        return f"{questions} questions were held out, and at least {FEWEST} are needed to judge it"
    if not isinstance(interval, list) or interval[0] < -LOSS:
        return f"on held-out questions it may be worse than reciprocal ranks by more than {LOSS} of nDCG@10"
    beside = figures.get("gain_over_current_interval")
    if isinstance(beside, list) and beside[0] < -LOSS:
        return f"on held-out questions it may be worse than the model that ranks now by more than {LOSS} of nDCG@10"
    return ""


def _round(value: float) -> float:
    return round(float(value), 4)
