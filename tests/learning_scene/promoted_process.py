"""A worker's parts over a small home, and models that are registered for it."""

import json
import time
from datetime import UTC, datetime

from model_fakes.fusion_models import model_of

from composition.models import encoder_weights
from consumers.wiring.components import WorkerComponents
from services.models.registry import ModelService
from vouch.answering.answer import Answer
from vouch.learning.models.evaluator_model import SHIPPED, EvaluatorModel
from vouch.messages import QuestionAsked, TagsAudience
from vouch.settings import Settings

QUESTION = "How many days does the travel rule allow?"


class Process:
    """A worker's parts over a small home, whose clock for the registry is turned by hand."""

    def __init__(self, parts: WorkerComponents) -> None:
        self.parts, self.now = parts, time.monotonic()
        parts.registry.clock = lambda: self.now
        self._asked = 0

    def ask(self) -> Answer:
        self.now += 2.0
        self._asked += 1
        question = QuestionAsked(
            id=f"q{self._asked}", text=QUESTION, surface="terminal", asker="public",
            audience=TagsAudience(tags=("public",)), asked_at=datetime.now(UTC),
        )
        outcome = self.parts.answerer.answer(question)
        body, at = outcome.answer.model_dump(mode="json"), datetime.now(UTC)
        assert self.parts.ledger.answers.record(question, body, outcome.candidates, outcome.given, at)
        return outcome.answer


def added(registry: ModelService, **weights: float) -> str:
    return registry.register(model_of(weights, encoder_weights(Settings()))).name


def evaluator(registry: ModelService, lower: float, reranked_with: str = "maxsim", judge: str = "") -> str:
    """Trained with this judge, or with the one that comes with vouch."""
    shipped = json.loads(SHIPPED.read_text(encoding="utf-8"))
    prints = shipped["fingerprints"] | {"reranked_with": reranked_with} | ({"judge": judge} if judge else {})
    return registry.register(EvaluatorModel.model_validate(shipped | {"lower": lower, "fingerprints": prints})).name
