"""The registry of models as people look at it and change what serves."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from flows.training.shadows import Shadows
from services.models.model_files import read_any
from services.models.model_rows import difference, model_row, move_row, weights_of
from vouch.adapters.ledger import Ledger, Pointer, RegisteredModel
from vouch.errors import Usage, VouchError
from vouch.learning.models.evaluator_model import EvaluatorModel
from vouch.learning.models.fusion_model import FusionModel
from vouch.learning.models.model_file import registered_name

KINDS = ("fusion", "evaluator")
Fit = Callable[[RegisteredModel], str]    # the fingerprint


@dataclass(frozen=True)
class ModelService:
    """`fit` tells the fingerprint, and raises for a model that cannot be used with the settings.

    `files`: by kind the file of the settings that wins over all; empty where they name none.
    """

    ledger: Ledger
    fit: Fit
    files: Mapping[str, str]
    shadows: Shadows
    clock: Callable[[], datetime] = lambda: datetime.now(UTC)

    def rows(self, kind: str | None = None) -> list[dict[str, Any]]:
        """All, oldest first, each with whether it serves or shadows."""
        pointers = self.ledger.models.pointers()
        return [model_row(model, pointers, self.files) for model in self.ledger.models.list(kind)]

    def show(self, name: str) -> dict[str, Any]:
        """All that is known of a model. Raises NotFound."""
        model = self.ledger.models.get(name)
        pointers = self.ledger.models.pointers()
        moves = [move_row(move) for move in self.ledger.models.moves(model.kind) if name in (move.former, move.model)]
        pointer = pointers.get(model.kind, Pointer(model.kind))
        fingerprint, unfit = self._fitting(model)
        seen = self.shadows.seen(model, pointer) if pointer.shadow == name and not unfit else None
        weights = {} if unfit else weights_of(model)
        return {
            **model_row(model, pointers, self.files), "fingerprint": fingerprint, "unfit": unfit, "weights": weights,
            "body": model.body, "report": model.report, "moves": moves, "shadow": seen,
        }

    def diff(self, first: str, second: str) -> dict[str, Any]:
        """Weights and figures side by side. Raises NotFound, and Usage for two kinds."""
        return difference(self.ledger.models.get(first), self.ledger.models.get(second))

    def add(self, file: Path) -> RegisteredModel:
        """Registers the model of a file that `vouch train` wrote. Raises BadInput, and Usage for an unfit one."""
        return self.register(read_any(file))

    def register(self, model: FusionModel | EvaluatorModel, report: Mapping[str, Any] | None = None) -> RegisteredModel:
        """As a candidate, or refused as its gate said. It serves nobody yet. Raises Usage for an unfit one."""
        kind = "fusion" if isinstance(model, FusionModel) else "evaluator"
        refused = getattr(model, "refused", "")
        at = self.clock()
        row = RegisteredModel(
            registered_name(kind, at.date(), model.fingerprint), kind, "refused" if refused else "candidate",
            model.model_dump(mode="json"), dict(report or {}), refused or None, at,
        )
        if not refused:
            self.fit(row)
        self.ledger.models.add(row)
        return self.ledger.models.get(row.name)

    def promote(self, name: str, by: str, reason: str = "promoted", *, early: bool = False) -> Pointer:
        """From now on it serves. Raises NotFound; Usage for what is refused, unfit or not shadowed enough; Conflict."""
        model = self.ledger.models.get(name)
        pointer = self.ledger.models.pointer(model.kind)
        self.fit(model)
        if not early:
            self.shadows.refuse_early(model, pointer)
        return self._move(pointer, name, by, reason)

    def rollback(self, kind: str, by: str, reason: str = "rolled back") -> Pointer:
        """The model before serves again, or what comes with vouch. Raises Usage where none serves, Conflict."""
        pointer = self.ledger.models.pointer(_known(kind))
        return self._move(pointer, self.ledger.models.former(kind), by, reason)

    def retire(self, name: str, by: str) -> None:
        """It cannot serve any more. Raises NotFound, and Usage for one that serves or shadows."""
        self.ledger.models.set_state(name, "retired", f"by {by}")

    def shadow(self, name: str) -> Pointer:
        """From now on what it would have ranked is compared. Raises what `promote` raises."""
        model = self.ledger.models.get(name)
        if model.kind != "fusion":
            raise Usage(f"{name} is of the kind {model.kind}, and only a fusion can shadow",
                        cure=f"compare it with vouch models diff, then: vouch models promote {name}")
        self.fit(model)
        expected = self.ledger.models.pointer(model.kind).moves
        return self.ledger.models.shadow(model.kind, name, expected=expected, at=self.clock())

    def stop_shadow(self) -> str:
        """The name of what shadowed. Raises Usage if nothing did."""
        pointer = self.ledger.models.pointer("fusion")
        if pointer.shadow is None:
            raise Usage("no model shadows", cure="vouch models shadow NAME begins it")
        self.ledger.models.shadow("fusion", None, expected=pointer.moves, at=self.clock())
        return pointer.shadow

    def _move(self, pointer: Pointer, name: str | None, by: str, reason: str) -> Pointer:
        return self.ledger.models.move(
            pointer.kind, name, expected=pointer.moves, reason=reason, by=by, at=self.clock()
        )

    def _fitting(self, model: RegisteredModel) -> tuple[str, str]:
        """Its fingerprint, or why it cannot be used with these settings; the other is empty."""
        try:
            return self.fit(model), ""
        except VouchError as error:
            return "", error.cause


def _known(kind: str) -> str:
    if kind not in KINDS:
        raise Usage(f"there is no kind {kind!r}", cure=f"choose from {', '.join(KINDS)}")
    return kind
