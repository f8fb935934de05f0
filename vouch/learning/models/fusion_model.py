"""Learned fusion: logistic regression over the features of a candidate, kept as JSON.

score = Σ weight · (feature − mean) / scale, where the quotient is cut at ±3
and a feature is one of FEATURE_NAMES or the product of two, as
`bm25_share*question_rare`: products with a feature of the question let its
kind decide which engine to trust.

Nothing in the file is code, and every number in it is checked before use.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, model_validator

from vouch.errors import Usage
from vouch.learning.models.model_file import Figures, Prints, Seed, Text, Texts, WeighedFeature, digest, read_model
from vouch.ports.index import Contribution, Look
from vouch.ports.models import Analyser
from vouch.retrieval.fusion_features import FEATURE_NAMES, FEATURE_SCHEMA, feature_matrix, kept_matrix
from vouch.values.candidate import Candidate
from vouch.values.question import Query

Floats = NDArray[np.float64]
PRODUCT = "*"
WHAT, CURE = "a learned fusion", "train one with: vouch train fusion"
FARTHEST = 3.0                          # deviations: beyond, nothing was seen to learn from


class FusionTerm(WeighedFeature):
    """One feature, or the product of two."""


class FusionModel(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: Annotated[str, Field(pattern="^logistic-fusion$")] = "logistic-fusion"
    feature_schema: int
    terms: Annotated[dict[str, FusionTerm], Field(min_length=1, max_length=200)]
    features: Text = ""                 # which of those that were tried
    data: Texts = ()
    seed: Seed = 0
    trained_on: Text = ""               # the day, ISO 8601
    fingerprints: Prints = {}           # of what it was trained with; `weights` is the encoder's model
    figures: Figures = {}
    refused: Text = ""                  # why it must not be served

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.feature_schema != FEATURE_SCHEMA:
            raise ValueError(f"made for feature schema {self.feature_schema}, this vouch computes {FEATURE_SCHEMA}")
        for name in self.terms:
            factors = name.split(PRODUCT)
            unknown = sorted(set(factors) - set(FEATURE_NAMES))
            if unknown or len(factors) > 2:
                two = f"{name:.200} has more than two factors"
                raise ValueError(f"unknown features {unknown!s:.200}" if unknown else two)
        return self

    @property
    def fingerprint(self) -> str:
        """Changes whenever an order could change."""
        return "fusion:" + digest(self, {"feature_schema", "terms"})

    def scores(self, matrix: Floats) -> Floats:
        """Of the rows of a feature matrix."""
        return Formula(self.terms).scores(matrix)


def columns(matrix: Floats, names: Sequence[str]) -> Floats:
    """Of a feature matrix, one column per name; that of a product is the product of its factors."""
    place = {name: column for column, name in enumerate(FEATURE_NAMES)}
    factors = [[place[factor] for factor in name.split(PRODUCT)] for name in names]
    first = np.ascontiguousarray(matrix[:, [pair[0] for pair in factors]])     # so that sums have one order
    products = [n for n, pair in enumerate(factors) if len(pair) == 2]
    first[:, products] *= matrix[:, [factors[n][1] for n in products]]
    return first


def standardised(values: Floats, mean: Floats, scale: Floats) -> Floats:
    return np.clip((values - mean) / scale, -FARTHEST, FARTHEST)


class Formula:
    """What terms make of the rows of a feature matrix: by this one models are judged, shadow and serve."""

    def __init__(self, terms: Mapping[str, FusionTerm]) -> None:
        self.names = tuple(terms)
        self._mean, self._scale, self.weights = (
            np.array([getattr(term, part) for term in terms.values()]) for part in ("mean", "scale", "weight"))

    def adds(self, matrix: Floats) -> tuple[Floats, Floats]:
        """Per row the values of the terms, and what each adds to the score."""
        values = columns(matrix, self.names)
        return values, standardised(values, self._mean, self._scale) * self.weights

    def scores(self, matrix: Floats) -> Floats:
        return np.asarray(self.adds(matrix)[1].sum(axis=1))


@dataclass(frozen=True)
class LearnedFusion:
    """Implements the Fusion port. `registered`: what the registry calls it."""

    model: FusionModel
    analyser: Analyser
    registered: str = ""

    @cached_property
    def name(self) -> str:
        return self.registered or self.model.fingerprint[: len("fusion:") + 12]

    def scores(self, query: Query, candidates: Sequence[Candidate], look: Look) -> list[float]:
        return list(map(float, self._formula.scores(self._matrix(query, candidates, look))))

    def explain(self, query: Query, candidates: Sequence[Candidate], look: Look) -> list[list[Contribution]]:
        return self._told(self._matrix(query, candidates, look))

    def explain_kept(self, rows: Sequence[Mapping[str, float]]) -> list[list[Contribution]]:
        """As `explain`, from the features that were kept with an answer. Raises BadInput where one of them is missing.
        """
        return self._told(kept_matrix(rows))

    def _matrix(self, query: Query, candidates: Sequence[Candidate], look: Look) -> Floats:
        return feature_matrix(query, candidates, look(), self.analyser)

    def _told(self, matrix: Floats) -> list[list[Contribution]]:
        formula = self._formula
        values, adds = formula.adds(matrix)
        terms = self.model.terms.items()
        return [
            [Contribution(name, value, add, term.weight, term.mean, term.scale)
             for (name, term), value, add in zip(terms, row, added, strict=True)]
            for row, added in zip(values.tolist(), adds.tolist(), strict=True)
        ]

    @cached_property
    def _formula(self) -> Formula:
        return Formula(self.model.terms)


def load_fusion(file: Path, weights: str) -> FusionModel:
    """Raises BadInput for a file that holds none, Usage for one that its gate refused or of another encoder.

    `weights`: which model the encoder is.
    """
    model = read_model(FusionModel, file, WHAT, CURE)
    check_fusion(model, str(file), weights)
    return model


def check_fusion(model: FusionModel, origin: str, weights: str) -> None:
    """Raises Usage if the gate refused it, or if it is of another encoder: its features would mean something else."""
    if model.fingerprints.get("weights") != weights:
        raise Usage(f"{origin} was trained with another encoder than the one of the settings", cure=CURE)
    if model.refused:
        raise Usage(f"{origin} is not to be served: {model.refused}", cure="train one with more questions, or none")
