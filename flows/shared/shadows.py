"""What was seen of a model while it shadows, and whether that is enough to promote it."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from vouch.adapters.analyser import SnowballAnalyser
from vouch.adapters.ledger import Ledger, Pointer, RegisteredModel
from vouch.errors import BadInput, Damaged, Usage
from vouch.learning.models import fusion_model
from vouch.learning.models.fusion_model import FusionModel
from vouch.learning.models.model_file import parse_body
from vouch.learning.promotion.interleaving import outcomes
from vouch.learning.promotion.shadowing import compared
from vouch.retrieval.fusion_features import FEATURE_SCHEMA

MOST = 1000                             # of the newest answers are compared
PER_ASKER = 10                          # of the answers to one person count towards enough
UNREGISTERED = "reciprocal ranks"       # what fuses where no model is promoted


@dataclass(frozen=True)
class Shadows:
    """`answers` or `hours` are enough, whichever comes first; 0 asks for no shadow at all."""

    ledger: Ledger
    answers: int
    hours: float
    clock: Callable[[], datetime] = lambda: datetime.now(UTC)

    def seen(self, model: RegisteredModel, pointer: Pointer) -> dict[str, Any]:
        """Of the fusion that shadows. Raises BadInput for a body that is no model."""
        assert pointer.shadow_since is not None
        fusion = parse_body(FusionModel, model.body, model.name, fusion_model.WHAT, fusion_model.CURE)
        comparison = compared(fusion, self.ledger.ranked.since(pointer.shadow_since, MOST))
        return {
            "since": pointer.shadow_since.isoformat(),
            "beside": pointer.model or UNREGISTERED,
            **comparison.figures(),
            "interleaving": self._interleaving(pointer) if comparison.interleaved else None,
            "enough": self._enough(pointer),
            "counted": self._count(pointer), "needed": self.answers, "needed_hours": self.hours,
        }

    def to_keep(self, pointer: Pointer) -> dict[str, Any] | None:
        """What was seen of what shadows, to be kept once that ends; None where nothing shadows or can be compared."""
        if pointer.shadow is None:
            return None
        try:
            return self.seen(self.ledger.models.get(pointer.shadow), pointer)
        except (BadInput, Damaged):
            return None

    def refuse_early(self, model: RegisteredModel, pointer: Pointer) -> None:
        """Raises Usage for a fusion that did not shadow for long enough."""
        if model.kind != "fusion" or not (self.answers and self.hours):
            return
        cure = f"vouch models shadow {model.name}, or promote it at once with --early"
        if pointer.shadow != model.name:
            raise Usage(f"{model.name} has not shadowed the model that serves", cure=cure)
        if not self._enough(pointer):
            seen = f"{self._count(pointer)} of {self.answers} answers, and for less than {self.hours:g} hours"
            raise Usage(f"{model.name} has shadowed {seen}",
                        cure=f"wait, and look at it with vouch models show {model.name}; or add --early")

    def _enough(self, pointer: Pointer) -> bool:
        assert pointer.shadow_since is not None
        long = self.clock() - pointer.shadow_since >= timedelta(hours=self.hours)
        return long or self._count(pointer) >= self.answers

    def _count(self, pointer: Pointer) -> int:
        assert pointer.shadow_since is not None
        return self.ledger.ranked.count(pointer.shadow_since, FEATURE_SCHEMA, PER_ASKER)

    def _interleaving(self, pointer: Pointer) -> dict[str, Any]:
        assert pointer.shadow_since is not None and pointer.shadow is not None
        answers = self.ledger.ranked.since(pointer.shadow_since, MOST)
        found = outcomes(answers, pointer.model or UNREGISTERED, pointer.shadow, SnowballAnalyser())
        low, high = found.interval
        return {"wins": found.wins, "ties": found.ties, "losses": found.losses,
                "share_of_wins_interval": [round(low, 4), round(high, 4)]}
