"""What was seen of a model while it shadows, and whether that is enough to promote it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from vouch.adapters.analyser import SnowballAnalyser
from vouch.adapters.ledger import Ledger, Pointer, RegisteredModel
from vouch.adapters.ledger.registry.model_rows import DECIDED, FUSION
from vouch.errors import BadInput, Conflict, Damaged, Usage
from vouch.learning.models import fusion_model
from vouch.learning.models.fusion_model import FusionModel
from vouch.learning.models.model_file import parse_body
from vouch.learning.promotion.interleaving import outcomes
from vouch.learning.promotion.shadowing import compared
from vouch.retrieval.experiments import interleaved_name
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
        comparison = compared(fusion, self.ledger.ranked.since(pointer.shadow_since, _made_by(pointer), MOST))
        kept = self._kept(model, pointer)
        return {
            "since": pointer.shadow_since.isoformat(),
            "beside": pointer.model or UNREGISTERED,
            **comparison.figures(),
            "interleaving": self._interleaving(pointer) if kept is None else kept["interleaving"],
            "enough": kept is not None or self._enough(pointer),
            "counted": len(self._counted(pointer)), "needed": self.answers, "needed_hours": self.hours,
        }

    def to_keep(self, pointer: Pointer) -> dict[str, Any] | None:
        """What was seen of what shadows, to be kept once that ends; None where nothing shadows or can be compared."""
        if pointer.shadow is None:
            return None
        try:
            return self.seen(self.ledger.models.get(pointer.shadow), pointer)
        except (BadInput, Damaged):
            return None

    def keep_decision(self) -> None:
        """Afterwards it stands in the shadow's report what its turns decided, if its time is over, and no purge and no
        vote that comes again changes it. Safe to repeat; nothing where somebody moves the pointer meanwhile."""
        models = self.ledger.models
        try:
            pointer = models.pointer(FUSION)
            model = None if pointer.shadow is None else models.get(pointer.shadow)
            if model is None or self._kept(model, pointer) is not None or self._end(pointer) is None:
                return
            assert pointer.shadow_since is not None
            decided = {"since": pointer.shadow_since.isoformat(), "interleaving": self._interleaving(pointer)}
            models.note_decision(FUSION, decided, expected=pointer.moves)
        except (Conflict, Damaged):
            return

    @staticmethod
    def _kept(model: RegisteredModel, pointer: Pointer) -> Mapping[str, Any] | None:
        """What was decided of it in this time, and not in an earlier one."""
        assert pointer.shadow_since is not None
        kept = model.report.get(DECIDED)
        if not isinstance(kept, Mapping) or kept.get("since") != pointer.shadow_since.isoformat():
            return None
        return kept if "interleaving" in kept else None

    def refuse_early(self, model: RegisteredModel, pointer: Pointer) -> None:
        """Raises Usage for a fusion that did not shadow for long enough."""
        if model.kind != "fusion" or not (self.answers and self.hours):
            return
        cure = f"vouch models shadow {model.name}, or promote it at once with --early"
        if pointer.shadow != model.name:
            raise Usage(f"{model.name} has not shadowed the model that serves", cure=cure)
        if self._kept(model, pointer) is None and not self._enough(pointer):
            seen = f"{len(self._counted(pointer))} of {self.answers} answers, and for less than {self.hours:g} hours"
            raise Usage(f"{model.name} has shadowed {seen}",
                        cure=f"wait, and look at it with vouch models show {model.name}; or add --early")

    def _enough(self, pointer: Pointer) -> bool:
        return not (self.answers and self.hours) or self._end(pointer) is not None

    def _end(self, pointer: Pointer) -> datetime | None:
        """From when on it had shadowed for long enough, which stays that moment; None: it has not yet."""
        if not (self.answers and self.hours):
            return None
        assert pointer.shadow_since is not None
        moments = self._counted(pointer)[self.answers - 1:]
        over = pointer.shadow_since + timedelta(hours=self.hours)
        return min([*moments, *([over] if over <= self.clock() else [])], default=None)

    def _counted(self, pointer: Pointer) -> Sequence[datetime]:
        assert pointer.shadow_since is not None
        return self.ledger.ranked.counted(
            pointer.shadow_since, _made_by(pointer), FEATURE_SCHEMA, PER_ASKER, self.answers)

    def _interleaving(self, pointer: Pointer) -> dict[str, Any] | None:
        """None where no answer was made by both.

        By what there was when it had shadowed for long enough: whoever looks later sees the same, and an interval that
        is looked at again and again decides once.
        """
        assert pointer.shadow_since is not None and pointer.shadow is not None
        end = self._end(pointer)
        answers = self.ledger.ranked.since(pointer.shadow_since, _made_by(pointer), MOST, until=end)
        found = outcomes(answers, pointer.model or UNREGISTERED, pointer.shadow, SnowballAnalyser())
        if not (found.wins or found.ties or found.losses):
            return None
        low, high = found.interval
        return {"wins": found.wins, "ties": found.ties, "losses": found.losses,
                "share_of_wins_interval": [round(low, 4), round(high, 4)],
                "decided_at": end.isoformat() if end is not None else None}


def _made_by(pointer: Pointer) -> tuple[str, str]:
    """What answers are fused by while this shadows: by the one that serves, or by both in turns."""
    assert pointer.shadow is not None
    current = pointer.model or UNREGISTERED
    return current, interleaved_name(current, pointer.shadow)
