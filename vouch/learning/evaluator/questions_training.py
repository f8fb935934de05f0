"""An evaluator from questions with known answers, over the documents that answer them.

Weights are fitted to the passages that a search finds for the questions of the
train split, as `train_evaluator` fits them. What a list tells as a whole is
then weighed beside the score of its best passage, by whether the list holds the
answer. Probabilities and thresholds are fitted to the calibration split, by
what wrong, doubted and declined answers cost (see calibration.py). The figures
are of the test split.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np

from vouch.errors import BadInput
from vouch.learning.collections.golden import GoldenQuestion, relevance
from vouch.learning.collections.judged_lists import JudgedList
from vouch.learning.evaluator.calibration import Costs, ScoredList, calibrate, scored_list
from vouch.learning.evaluator.evaluator_figures import Figures
from vouch.learning.evaluator.evaluator_training import L2, SMALLEST, UNLESS, best_of, weigh
from vouch.learning.models.evaluator_model import JUDGE, EvaluatorModel, Term
from vouch.learning.models.model_file import LARGEST_WEIGHT
from vouch.learning.statistics.logistic import fit
from vouch.learning.statistics.metrics import auc, bootstrap_interval, expected_calibration_error
from vouch.learning.statistics.splits import Split, split_of
from vouch.retrieval.evidence_features import EVIDENCE_SCHEMA, OF_THE_LIST
from vouch.values.candidate import Candidate

FEWEST = 30                             # questions of a split
RULE = "thresholds from what wrong, unsure, doubted and declined answers cost"


@dataclass(frozen=True, slots=True)
class AskedList:
    """What a search finds for a question: the evidence of each passage, and 1 where it holds a known answer."""

    question: GoldenQuestion
    features: tuple[Mapping[str, float], ...]
    labels: tuple[float, ...]

    @property
    def split(self) -> Split:
        """By the first document that answers, so that questions about one are never parted; else by the words."""
        paths = [f"{self.question.corpus}/{gold.path}" for one in self.question.gold for gold in one]
        return split_of(paths[0] if paths else self.question.text)

    def judged(self) -> JudgedList:
        return JudgedList("given", self.split, self.features, self.labels)

    def scored(self, model: EvaluatorModel) -> ScoredList:
        return scored_list(model, self.question.id, self.features, [(label, 1.0) for label in self.labels])


def asked_list(question: GoldenQuestion, found: Sequence[Candidate]) -> AskedList:
    """Of the passages that were judged."""
    read = [one for one in found if one.features]
    right = relevance(question, [one.passage for one in read])
    return AskedList(question, tuple(one.features for one in read),
                     tuple(float(right.get(one.chunk_id, 0)) for one in read))


def train_from_questions(
    lists: Sequence[AskedList], costs: Costs, *, data: Sequence[str], fingerprints: Mapping[str, str], today: date
) -> EvaluatorModel:
    """The model with its figures on the test split. Raises BadInput where a split holds too little."""
    lists = [asked for asked in lists if asked.features]
    parts: dict[Split, list[AskedList]] = {"train": [], "calibration": [], "test": []}
    for asked in lists:
        parts[asked.split].append(asked)
    for split, part in parts.items():
        right = sum(max(asked.labels) for asked in part)
        if len(part) < FEWEST or not 0 < right < len(part):
            raise BadInput(f"the questions hold {len(part)} for {split}, {int(right)} of them with a passage that "
                           "answers: too few", cure="give more questions, some of which nothing answers")
    terms, bias = weigh([asked.judged() for asked in parts["train"]])
    raw = EvaluatorModel(
        feature_schema=EVIDENCE_SCHEMA, terms=terms, bias=bias, slope=1.0, offset=0.0, lower=0.0, upper=1.0,
        threshold_rule=RULE, data=tuple(data), trained_on=today.isoformat(), fingerprints=dict(fingerprints),
    )
    raw = raw.model_copy(update={"terms": terms | of_the_list(raw, parts["train"])})
    model = calibrate([asked.scored(raw) for asked in parts["calibration"]], costs).on(raw)
    return model.model_copy(update={"figures": {"questions": _figures(model, parts["test"])}})


def of_the_list(model: EvaluatorModel, lists: Sequence[AskedList]) -> dict[str, Term]:
    """Terms of what a list tells as a whole; none that speaks against an answer, and none without a judge.

    Each adds the same to every passage of a list: their order stays, and the log-odds of the best become those of the
    question.
    """
    if JUDGE not in model.terms:
        return {}
    names = sorted(OF_THE_LIST)
    values = np.array([[max(model.score(row) for row in asked.features), *(asked.features[0][name] for name in names)]
                       for asked in lists])
    holds = np.array([max(asked.labels) for asked in lists])
    mean, scale = values.mean(axis=0), np.maximum(values.std(axis=0), 1e-6)
    best, *rest = fit((values - mean) / scale, holds, l2=L2)[:-1]
    if best < SMALLEST:
        return {}
    return {
        name: Term(mean=float(mean[n]), scale=float(scale[n]), unless=UNLESS[name],
                   weight=float(min(weight * scale[0] / best, LARGEST_WEIGHT)))
        for n, (name, weight) in enumerate(zip(names, rest, strict=True), start=1) if weight >= SMALLEST
    }


def _figures(model: EvaluatorModel, lists: Sequence[AskedList]) -> Figures:
    """Of passages the AUC and calibration error; of questions how well the best tells those that can be answered."""
    labels = np.array([label for asked in lists for label in asked.labels])
    likely = np.array([p for asked in lists for p in model.probabilities_of(asked.features)])
    there = np.array([float(asked.question.answerable) for asked in lists])
    best = np.array(best_of(model, [asked.judged() for asked in lists]))
    low, high = bootstrap_interval(auc, there, best)
    return {
        "questions": len(lists), "passages": len(labels), "passages_auc": round(auc(labels, likely), 4),
        "ece": round(expected_calibration_error(labels, likely), 4), "questions_auc": round(auc(there, best), 4),
        "questions_auc_low": round(low, 4), "questions_auc_high": round(high, 4),
    }
