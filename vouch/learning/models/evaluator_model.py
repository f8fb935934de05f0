"""The first evaluator: logistic regression over evidence features, calibrated, kept as JSON.

P(passage holds the answer) = sigmoid(slope · (bias + Σ weight · (feature − mean) / scale) + offset)

Nothing in the file is code, and every number in it is checked before use.
"""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Self

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, model_validator

from vouch.errors import BadInput, Usage
from vouch.learning.models.model_file import (
    Figures,
    Number,
    Prints,
    Seed,
    Share,
    Text,
    Texts,
    WeighedFeature,
    digest,
    read_model,
)
from vouch.learning.statistics.logistic import sigmoid
from vouch.ports.index import Contribution
from vouch.ports.models import MAXSIM
from vouch.retrieval.evidence_features import EVIDENCE_FEATURES, EVIDENCE_SCHEMA
from vouch.values.candidate import Candidate

SHIPPED = Path(__file__).with_name("evaluator_model.json")
UNJUDGED = Path(__file__).with_name("unjudged_evaluator_model.json")
"""Comes with vouch, too: for where no judge reads the passages."""
WHAT, CURE = "an evaluator", "train one with: vouch train evaluator"


JUDGE = "judge"                         # the evidence feature


class Term(WeighedFeature):
    """One feature of the evidence."""

    unless: Text = ""                   # a flag: where it is 1 the feature is unknown and weighs nothing


class EvaluatorModel(BaseModel):
    """Implements the Evaluator port."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: Annotated[str, Field(pattern="^logistic-evidence$")] = "logistic-evidence"
    feature_schema: int
    terms: dict[str, Term]
    bias: Number
    slope: Annotated[float, Field(allow_inf_nan=False, gt=0, le=100)]
    offset: Number
    lower: Share
    upper: Share
    threshold_rule: Text = ""
    data: Texts = ()
    seed: Seed = 0
    trained_on: Text = ""               # the day, ISO 8601
    fingerprints: Prints = {}               # fingerprints of what it was trained with; `weights` is the encoder's model
    figures: Figures = {}

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.feature_schema != EVIDENCE_SCHEMA:
            raise ValueError(f"made for feature schema {self.feature_schema}, this vouch computes {EVIDENCE_SCHEMA}")
        unknown = sorted(self.weighed - set(EVIDENCE_FEATURES))
        if unknown or not self.terms:
            raise ValueError(f"unknown features {unknown!s:.200}" if unknown else "no features")
        if self.lower > self.upper:
            raise ValueError("the lower threshold is above the upper one")
        return self

    @property
    def weighed(self) -> set[str]:
        """The features that it needs of a passage."""
        return {*self.terms, *(term.unless for term in self.terms.values() if term.unless)}

    @property
    def fingerprint(self) -> str:
        """Changes whenever a probability or a verdict could change."""
        return "evaluator:" + digest(self, {"feature_schema", "terms", "bias", "slope", "offset", "lower", "upper"})

    @property
    def reranked_with(self) -> str:
        """Which reranker it was trained with, and judges the scores of."""
        return self.fingerprints.get("reranked_with", MAXSIM)

    @property
    def judged_with(self) -> str:
        """Which judge it was trained with, and weighs the scores of; empty for one that weighs none."""
        return self.fingerprints.get("judge", "") if JUDGE in self.terms else ""

    @property
    def thresholds(self) -> tuple[float, float]:
        return self.lower, self.upper

    def probabilities(self, question: str, candidates: Sequence[Candidate]) -> list[float]:
        """One per candidate, from its features alone. Raises BadInput for a candidate without them."""
        return self.probabilities_of([candidate.features for candidate in candidates])

    def probabilities_of(self, rows: Sequence[Mapping[str, float]]) -> list[float]:
        """Calibrated P(holds the answer) for each mapping of features."""
        return [float(sigmoid(np.array(self.slope * self.score(row) + self.offset))) for row in rows]

    def explain(self, features: Mapping[str, float]) -> list[Contribution]:
        """What each feature adds to the calibrated log-odds; the rest of these is the same for all passages."""
        return [Contribution(name, _value(features, name), self.slope * self._adds(features, name, term),
                             self.slope * term.weight)
                for name, term in self.terms.items()]

    def score(self, features: Mapping[str, float]) -> float:
        """The log-odds before calibration."""
        total = self.bias
        for name, term in self.terms.items():
            total += self._adds(features, name, term)
        return total

    @staticmethod
    def _adds(features: Mapping[str, float], name: str, term: Term) -> float:
        if term.unless and _value(features, term.unless):
            return 0.0
        return term.weight * (_value(features, name) - term.mean) / term.scale


def _value(features: Mapping[str, float], name: str) -> float:
    value = features.get(name)
    if value is None or not math.isfinite(value):
        raise BadInput(
            f"a candidate lacks the evidence feature {name}, or it is not a number",
            cure="compute evidence_features for the candidates first",
        )
    return value


def load_evaluator(path: Path | None = None) -> EvaluatorModel:
    """The evaluator in a file (None: the one that comes along). Raises BadInput saying what is wrong in it."""
    return read_model(EvaluatorModel, path or SHIPPED, WHAT, CURE)


def check_weights(model: EvaluatorModel, file: Path | str, weights: str, reranked_with: str, judge: str) -> None:
    """Raises Usage if it was not trained with this encoder, reranker and, if it weighs one, judge: its features would
    mean something else."""
    known = model.fingerprints.get("weights")
    if known is None:
        cause, cure = f"{file} does not say which encoder it was trained with", "train it again: vouch train evaluator"
        raise Usage(cause, cure=cure)
    if known != weights:
        cure = ("train one with this encoder (vouch train evaluator) and name it in VOUCH_EVALUATOR__MODEL, or take "
                "the encoder it was trained with (VOUCH_ENCODER__MODEL)")
        raise Usage(f"{file} was trained with another encoder than the one of the settings", cure=cure)
    if model.reranked_with != reranked_with:
        cure = ("train one with this reranker (vouch train evaluator) and name it in VOUCH_EVALUATOR__MODEL, or take "
                "the reranker it was trained with (VOUCH_RERANKER__MODEL)")
        raise Usage(f"{file} was trained with another reranker ({model.reranked_with}) than the one that puts passages "
                    f"in order ({reranked_with})", cure=cure)
    if model.judged_with and model.judged_with != judge:
        cure = ("train one with this judge (vouch train evaluator --questions) and name it in VOUCH_EVALUATOR__MODEL, "
                "or take the judge it was trained with: register it (vouch models add FOLDER --kind judge), or name it "
                "in VOUCH_EVALUATOR__JUDGE")
        raise Usage(f"{file} was trained with another judge ({model.judged_with}) than the one that reads the passages "
                    f"({judge or 'none'})", cure=cure)
