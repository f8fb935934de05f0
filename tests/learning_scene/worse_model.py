"""A model that was promoted and that nobody likes, in a ledger."""

from datetime import UTC, datetime, timedelta

from model_fakes.fusion_models import model_of

from learning_scene.answered import leave_answer
from vouch.adapters.ledger import Ledger
from vouch.adapters.ledger.registry.model_rows import RegisteredModel

BEGIN = datetime(2026, 11, 1, tzinfo=UTC)


def promote(ledger: Ledger, name: str, at: datetime) -> None:
    body = model_of({"sem_rrf": 1.0}).model_dump(mode="json")
    ledger.models.add(RegisteredModel(name, "fusion", "candidate", body, {}, None, at))
    moves = ledger.models.pointer("fusion").moves
    ledger.models.move("fusion", name, expected=moves, reason="promoted", by="ana", at=at)


def leave_worse(ledger: Ledger, name: str) -> None:
    """80 good answers by what comes with vouch, then 60 by the model of this name."""
    for number in range(140):
        at, person, good = BEGIN + timedelta(minutes=number), f"user:p{number % 40}@acme.test", number < 80
        if number == 80:
            promote(ledger, name, at)
        leave_answer(
            ledger, number, at, asker=person, action="answered" if good or number % 3 == 0 else "declined",
            cited=int(good or number % 3 == 0), confidence=0.7 if good else 0.3,
            fused_by="reciprocal ranks" if good else name, votes={person: "up" if good else "down"},
        )  # fmt: skip
