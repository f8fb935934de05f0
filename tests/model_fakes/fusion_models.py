"""Learned fusions for tests: drawn, not trained."""

import random
from collections.abc import Mapping

from vouch.learning.models.fusion_model import FusionModel, FusionTerm
from vouch.learning.training.fusion_training import TERMS
from vouch.retrieval.fusion_features import FEATURE_SCHEMA


def model_of(weights: Mapping[str, float], encoder: str = "test") -> FusionModel:
    terms = {name: FusionTerm(mean=0.1, scale=0.5, weight=weight) for name, weight in weights.items()}
    return FusionModel(feature_schema=FEATURE_SCHEMA, terms=terms, fingerprints={"weights": encoder})


def engines_alone() -> FusionModel:
    """Weighs the two engines and nothing else."""
    return model_of({"bm25_share": 1.0, "bm25_rrf": 1.0, "sem_gap": -1.0, "sem_rrf": 1.5})


def everything(seed: int = 11) -> FusionModel:
    """A drawn weight for each term a training may use."""
    draw = random.Random(seed)
    return model_of({name: draw.uniform(-2, 2) for name in TERMS["all"]})
