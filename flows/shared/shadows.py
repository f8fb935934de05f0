"""What was seen of a model while it shadows, and whether that is enough to promote it."""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from vouch.adapters.analyser import SnowballAnalyser
from vouch.adapters.ledger import Ledger, Pointer, RegisteredModel
from vouch.adapters.ledger.registry.model_rows import DECIDED, FUSION, UNREADABLE
from vouch.errors import BadInput, Conflict, Damaged, Usage
from vouch.learning.models import fusion_model
from vouch.learning.models.fusion_model import FusionModel
from vouch.learning.models.model_file import parse_body
from vouch.learning.promotion.interleaving import Outcomes, outcomes
from vouch.learning.promotion.shadowing import compared
from vouch.retrieval.experiments import interleaved_name
from vouch.retrieval.fusion_features import FEATURE_SCHEMA

MOST = 1000                             # of the newest answers are compared
PER_ASKER = 10                          # of the answers to one person count towards enough
_log = logging.getLogger(__name__)
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
        end, turns = self._decided(model, pointer)
        return {
            "since": pointer.shadow_since.isoformat(),
            "beside": pointer.model or UNREGISTERED,
            **comparison.figures(),
            "interleaving": _told(turns, end),
            "enough": end is not None or not (self.answers and self.hours),
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
        vote that comes again changes it. Safe to repeat; what stands there stays. Nothing is kept where the moment is
        told by this clock alone, where somebody moves the pointer meanwhile, and of what cannot be read.
        """
        models = self.ledger.models
        try:
            pointer = models.pointer(FUSION)
            model = None if pointer.shadow is None else models.get(pointer.shadow)
            if model is None or self._kept(model, pointer) is not None:
                return
            end = self._end(pointer)
            if end is not None and self.ledger.ranked.any_since(end):
                found = {"at": end.isoformat(), **asdict(self._turns(pointer, end))}
                models.note_decision(FUSION, self._which(pointer), found, expected=pointer.moves)
        except (Conflict, Damaged, *UNREADABLE) as error:
            _log.warning("what a shadow's turns decided is not kept: %s", error)

    def _decided(self, model: RegisteredModel, pointer: Pointer) -> tuple[datetime | None, Outcomes]:
        """When its time was over, None: it is not yet; and who won what until then."""
        kept = self._kept(model, pointer)
        if kept is not None:
            return kept
        end = self._end(pointer)
        return end, self._turns(pointer, end)

    def _which(self, pointer: Pointer) -> dict[str, Any]:
        """Of which time, and by which settings."""
        return {"moves": pointer.moves, "answers": self.answers, "hours": self.hours}

    def _kept(self, model: RegisteredModel, pointer: Pointer) -> tuple[datetime, Outcomes] | None:
        """What was decided in this time by these settings; None also for what cannot be read."""
        kept = model.report.get(DECIDED)
        if not isinstance(kept, Mapping) or {**kept, **self._which(pointer)} != kept:
            return None
        numbers = [number for name in ("wins", "ties", "losses")
                   if type(number := kept.get(name)) is int and number >= 0]
        try:
            end = datetime.fromisoformat(kept["at"])
        except (KeyError, TypeError, ValueError):
            return None
        return (end, Outcomes(*numbers)) if len(numbers) == 3 and end.tzinfo is not None else None

    def refuse_early(self, model: RegisteredModel, pointer: Pointer) -> None:
        """Raises Usage for a fusion that did not shadow for long enough."""
        if model.kind != "fusion" or not (self.answers and self.hours):
            return
        cure = f"vouch models shadow {model.name}, or promote it at once with --early"
        if pointer.shadow != model.name:
            raise Usage(f"{model.name} has not shadowed the model that serves", cure=cure)
        if self._kept(model, pointer) is None and self._end(pointer) is None:
            seen = f"{len(self._counted(pointer))} of {self.answers} answers, and for less than {self.hours:g} hours"
            raise Usage(f"{model.name} has shadowed {seen}",
                        cure=f"wait, and look at it with vouch models show {model.name}; or add --early")

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

    def _turns(self, pointer: Pointer, end: datetime | None) -> Outcomes:
        """By what there was when it had shadowed for long enough: an interval that is looked at again and again decides
        once."""
        assert pointer.shadow_since is not None and pointer.shadow is not None
        answers = self.ledger.ranked.since(pointer.shadow_since, _made_by(pointer), MOST, until=end)
        return outcomes(answers, pointer.model or UNREGISTERED, pointer.shadow, SnowballAnalyser())


def _told(found: Outcomes, end: datetime | None) -> dict[str, Any] | None:
    """None where no answer was made by both."""
    if not (found.wins or found.ties or found.losses):
        return None
    low, high = found.interval
    return {**asdict(found), "share_of_wins_interval": [round(low, 4), round(high, 4)],
            "decided_at": end.isoformat() if end is not None else None}


def _made_by(pointer: Pointer) -> tuple[str, str]:
    """What answers are fused by while this shadows: by the one that serves, or by both in turns."""
    assert pointer.shadow is not None
    current = pointer.model or UNREGISTERED
    return current, interleaved_name(current, pointer.shadow)
