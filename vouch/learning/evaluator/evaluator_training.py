"""Train, calibrate and measure the evaluator.

1. Weights: logistic regression on the train split, openqa lists at weight 1
   and served SQuAD lists at 0.3. Evidence may only speak for an answer: a
   feature whose weight has the wrong sign is dropped and the rest fitted
   again, so that no weight is an artefact of correlated neighbors.
2. Calibration: Platt scaling on the openqa lists of the calibration split.
3. Thresholds, on the served lists of the calibration split:
   lower: 85 % of the questions whose article is not there fall below it;
   upper: 90 % of those whose paragraph alone is not there fall below it.
4. Figures: on the test split, which nothing above has seen.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date

import numpy as np
from numpy.typing import NDArray

from vouch.errors import BadInput
from vouch.learning.collections.judged_lists import JudgedList, Progress, Scorers, given_lists, served_lists
from vouch.learning.collections.labeled import TrainingData
from vouch.learning.evaluator.evaluator_figures import Figures, pair_figures, verdict_shares
from vouch.learning.models.evaluator_model import EvaluatorModel, Term
from vouch.learning.models.model_file import LARGEST_WEIGHT
from vouch.learning.statistics.logistic import fit, platt
from vouch.learning.statistics.splits import Split
from vouch.retrieval.evidence_features import EVIDENCE_FEATURES, EVIDENCE_SCHEMA, OF_THE_LIST

AGAINST = frozenset({"largest_gap", "cosine_missing", "judge_missing"})     # features that speak against an answer
UNLESS = {"cosine": "cosine_missing", "judge": "judge_missing", "judge_best": "judge_missing"}
SERVED_WEIGHT, L2, SMALLEST = 0.3, 3.0, 0.02
DECLINED, DOUBTED = 0.85, 0.90
RULE = (
    "lower: 85 % of the calibration questions asked where their article is not there fall below; "
    "upper: 90 % of those asked where their paragraph is not there fall below"
)
Floats = NDArray[np.float64]


def train_evaluator(
    data: TrainingData, scorers: Scorers, *, seed: int, today: date, progress: Progress
) -> EvaluatorModel:
    """The model with its figures on the test split. Raises BadInput where a split lacks what it needs."""
    lists = [*given_lists(data.openqa, scorers, progress), *served_lists(data, scorers, seed, progress)]
    return fit_evaluator(lists, scorers, seed=seed, today=today)


def fit_evaluator(lists: Sequence[JudgedList], scorers: Scorers, *, seed: int, today: date) -> EvaluatorModel:
    for split, kind in (("train", "given"), ("train", "present"), ("calibration", "given"), ("calibration", "near"),
                        ("calibration", "absent"), ("test", "given")):
        if not any(judged.split == split and judged.kind == kind for judged in lists):
            raise BadInput(f"the data hold no {kind} lists to use for {split}", cure="give more articles and questions")
    terms, bias = weigh([judged for judged in lists if judged.split == "train"])
    model = EvaluatorModel(
        feature_schema=EVIDENCE_SCHEMA, terms=terms, bias=bias, slope=1.0, offset=0.0, lower=0.0, upper=1.0,
        threshold_rule=RULE, data=("openqa_passages", "SQuAD 2.0 dev"), seed=seed, trained_on=today.isoformat(),
        fingerprints={
            "encoder": scorers.encoder.fingerprint, "reranker": scorers.reranker.fingerprint,
            "analyser": scorers.analyser.fingerprint, "weights": scorers.weights,
            "reranked_with": scorers.reranked_with,
        },
    )
    scores, labels = _scores(model, _of(lists, "calibration", "given"))
    slope, offset = platt(scores, labels)
    model = model.model_copy(update={"slope": slope, "offset": offset})
    lower = float(np.quantile(best_of(model, _of(lists, "calibration", "absent", "off_topic")), DECLINED))
    upper = float(np.quantile(best_of(model, _of(lists, "calibration", "near")), DOUBTED))
    model = model.model_copy(update={"lower": round(lower, 4), "upper": round(max(lower, upper), 4)})
    checked = EvaluatorModel.model_validate(model.model_dump())     # copies are not validated
    return checked.model_copy(update={"figures": figures(checked, lists)})


def figures(model: EvaluatorModel, lists: Iterable[JudgedList], split: Split = "test") -> dict[str, Figures]:
    """Pair figures on the openqa lists, and per kind of served list the shares of verdicts."""
    chosen = [one for one in lists if one.split == split]
    given = _of(chosen, split, "given")
    groups = [n for n, one in enumerate(given) for _ in one.labels]
    probabilities = [p for one in given for p in model.probabilities_of(one.features)]
    found = {f"openqa {split}": pair_figures([y for one in given for y in one.labels], probabilities, groups)}
    for kind in ("present", "near", "absent", "off_topic"):
        if served := _of(chosen, split, kind):
            found[f"squad {split}, {kind}"] = verdict_shares(best_of(model, served), model.lower, model.upper)
    return found


def best_of(model: EvaluatorModel, lists: Iterable[JudgedList]) -> list[float]:
    return [max(model.probabilities_of(one.features), default=0.0) for one in lists]


def _of(lists: Iterable[JudgedList], split: Split, *kinds: str) -> list[JudgedList]:
    return [one for one in lists if one.split == split and one.kind in kinds]


def weigh(lists: Sequence[JudgedList]) -> tuple[dict[str, Term], float]:
    """The terms of the features that speak as they should, and the bias."""
    rows = [row for judged in lists for row in judged.features]
    labels = np.array([label for judged in lists for label in judged.labels])
    shares = np.array([1.0 if judged.kind == "given" else SERVED_WEIGHT for judged in lists for _ in judged.labels])
    names = [name for name in EVIDENCE_FEATURES if name not in OF_THE_LIST
             and (name not in UNLESS or any(not row[UNLESS[name]] for row in rows))]
    while True:
        values = _values(rows, names)
        mean, scale = np.nanmean(values, axis=0), np.maximum(np.nanstd(values, axis=0), 1e-6)
        coefficients = fit(np.nan_to_num((values - mean) / scale), labels, l2=L2, weights=shares)
        support = {n: float(-w if n in AGAINST else w) for n, w in zip(names, coefficients, strict=False)}
        worst = min(support, key=lambda name: support[name])
        if support[worst] >= SMALLEST:
            break
        names.remove(worst)
    terms = {
        name: Term(
            mean=float(mean[i]), scale=float(scale[i]), unless=UNLESS.get(name, ""),
            weight=float(np.clip(coefficients[i], -LARGEST_WEIGHT, LARGEST_WEIGHT)),
        )
        for i, name in enumerate(names)
    }
    return terms, float(coefficients[-1])


def _values(rows: Sequence[Mapping[str, float]], names: Sequence[str]) -> Floats:
    """NaN where a feature is unknown; standardised it then counts as the mean."""
    def value(row: Mapping[str, float], name: str) -> float:
        return float("nan") if name in UNLESS and row[UNLESS[name]] else row[name]

    return np.array([[value(row, name) for name in names] for row in rows])


def _scores(model: EvaluatorModel, lists: Iterable[JudgedList]) -> tuple[Floats, Floats]:
    pairs = [(model.score(row), y) for one in lists for row, y in zip(one.features, one.labels, strict=True)]
    return np.array([s for s, _ in pairs]), np.array([y for _, y in pairs])
