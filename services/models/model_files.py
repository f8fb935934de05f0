"""Files of models, whatever their kind."""

from pathlib import Path
from typing import Literal

from pydantic import BaseModel

from vouch.learning.models import evaluator_model, fusion_model
from vouch.learning.models.evaluator_model import EvaluatorModel
from vouch.learning.models.fusion_model import FusionModel
from vouch.learning.models.model_file import read_model

_CURE = "give a file that vouch train fusion or vouch train evaluator wrote"


class _AnyModel(BaseModel):
    """What says of which kind a file is."""

    kind: Literal["logistic-fusion", "logistic-evidence"]


def read_any(file: Path) -> FusionModel | EvaluatorModel:
    """Raises BadInput for a file that holds neither, or something wrong."""
    if read_model(_AnyModel, file, "a learned fusion or an evaluator", _CURE).kind == "logistic-fusion":
        return read_model(FusionModel, file, fusion_model.WHAT, fusion_model.CURE)
    return read_model(EvaluatorModel, file, evaluator_model.WHAT, evaluator_model.CURE)
