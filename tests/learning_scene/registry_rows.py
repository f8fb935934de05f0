"""Rows of models, and a registry over a ledger whose clock is turned by hand."""

import json
from datetime import UTC, datetime
from typing import Any

from model_fakes.fusion_models import model_of

from composition.model_registry.serving import Serving
from composition.models import encoder_weights
from vouch.adapters.ledger import Ledger, RegisteredModel
from vouch.learning.models.cross_encoder_model import CrossEncoderModel
from vouch.learning.models.evaluator_model import SHIPPED, EvaluatorModel
from vouch.learning.models.fusion_model import FusionModel
from vouch.learning.models.model_file import registered_name
from vouch.settings import Settings

NOW = datetime(2026, 11, 23, 10, 0, tzinfo=UTC)
FITTING = encoder_weights(Settings())


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def row(model: FusionModel | EvaluatorModel | CrossEncoderModel, kind: str, **more: Any) -> RegisteredModel:
    name = registered_name(kind, NOW.date(), model.fingerprint)
    fields = {"state": "candidate", "body": model.model_dump(mode="json"), "report": {}, "reason": None, "made_at": NOW}
    return RegisteredModel(name=name, kind=kind, **(fields | more))


def fusion_row(**weights: float) -> RegisteredModel:
    return row(model_of(weights or {"bm25_share": 1.0}, FITTING), "fusion")


def evaluator_row(lower: float = 0.1, reranked_with: str = "maxsim") -> RegisteredModel:
    shipped = json.loads(SHIPPED.read_text(encoding="utf-8"))
    prints = shipped["fingerprints"] | {"reranked_with": reranked_with}
    return row(EvaluatorModel.model_validate(shipped | {"lower": lower, "fingerprints": prints}), "evaluator")


def promote(ledger: Ledger, model: RegisteredModel) -> str:
    ledger.models.add(model)
    point(ledger, model.kind, model.name)
    return model.name


def point(ledger: Ledger, kind: str, name: str | None, *, back: bool = False) -> None:
    moves = ledger.models.pointer(kind).moves
    ledger.models.move(kind, name, expected=moves, reason="test", by="me", at=NOW, back=back)


def names(serving: Serving) -> tuple[str, str]:
    return serving.fusion.name, serving.judge().name


def with_body(model: RegisteredModel, **change: Any) -> RegisteredModel:
    return RegisteredModel(model.name, model.kind, model.state, model.body | change, model.report, None, NOW)
