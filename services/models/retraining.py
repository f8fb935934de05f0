"""A training from the labels in the ledger, for those who ask for one by hand."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from flows.shared.progress import Progress
from flows.training.retraining import FUSION, TrainingComponents, train
from vouch.adapters.ledger.registry.model_rows import CANDIDATE
from vouch.learning.models.fusion_model import CURE, WHAT, FusionModel
from vouch.learning.models.model_file import check_place, parse_body, write_model


@dataclass(frozen=True)
class RetrainingService:
    components: TrainingComponents
    clock: Callable[[], datetime]

    def train(self, seed: int, out: Path | None, progress: Progress) -> dict[str, Any]:
        """What is registered, with its report and what comes `next`; also written to `out`, if that is given."""
        if out is not None:
            check_place(out)
        done = train(self.components, seed, self.clock(), progress=progress)
        if out is not None:
            write_model(parse_body(FusionModel, done.model.body, done.model.name, WHAT, CURE), out)
        return {**done.row(), "next": self._next(done.model.name, done.model.state)}

    def _next(self, name: str, state: str) -> list[str]:
        pointer = self.components.ledger.models.pointer(FUSION)
        if state != CANDIDATE or name == pointer.model:
            return []
        steps = [f"vouch models shadow {name}", f"vouch models promote {name}"]
        return steps[1:] if name == pointer.shadow else steps
