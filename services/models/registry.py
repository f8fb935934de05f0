"""The registry of models as people look at it and change what serves."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from flows.shared.shadows import Shadows
from services.models.model_rows import (
    CROSS_ENCODERS,
    difference,
    figure_rows,
    model_row,
    move_row,
    shadows_of,
    weights_of,
)
from services.models.registration import Keep, Model, Pairing, fingerprint_of, made_of, read_any
from vouch.adapters.ledger import Ledger, Pointer, RegisteredModel
from vouch.adapters.ledger.registry.going_back import Fits, together, way_back
from vouch.adapters.ledger.registry.model_rows import (
    CANDIDATE,
    EVALUATOR,
    FUSION,
    JUDGE,
    KINDS,
    RERANKER,
    RETIRED,
)
from vouch.adapters.ledger.registry.registration import Made, refuse_barred, register
from vouch.errors import BadInput, NotFound, Usage
from vouch.learning.models.evaluator_model import EvaluatorModel, load_evaluator
from vouch.learning.models.fusion_model import FusionModel
from vouch.learning.models.model_file import registered_name
from vouch.learning.promotion.gates import GATES_OF_JUDGED, Gate, refusal
from vouch.ports.models import MAXSIM

Fit = Callable[[RegisteredModel], str]    # the fingerprint
Discard = Callable[[Mapping[str, Any]], None]    # deletes the copy of a cross-encoder, by the body of its row
JudgedGates = Callable[[EvaluatorModel, Mapping[str, str]], Sequence[Gate]]    # beside the registered ones, by kind
Gates = Callable[[FusionModel], tuple[FusionModel, Sequence[Gate]]]
NOTHING: Mapping[str, Any] = {}


@dataclass(frozen=True)
class ModelService:
    """`fit` tells the fingerprint, and raises for a model that cannot be used with the settings.

    `gate` refuses a fusion of a file that golden questions or two worlds
    speak against, `gate_judged` looks at an evaluator together with a judge of
    the company's own. `files`: by kind the file of the settings that wins over
    all; empty where they name none. `keep` and `discard` are about the home's
    copies of folders.
    """

    ledger: Ledger
    fit: Fit
    fits: Fits
    keep: Keep
    discard: Discard
    files: Mapping[str, str]
    shadows: Shadows
    gate: Gates
    gate_judged: JudgedGates
    clock: Callable[[], datetime] = lambda: datetime.now(UTC)

    @property
    def pairing(self) -> Pairing:
        return Pairing(self.ledger.models, self.fits)

    def rows(self, kind: str | None = None) -> list[dict[str, Any]]:
        """All, oldest first, each with whether it serves or shadows."""
        pointers, moves = self.ledger.models.pointers(), self.ledger.models.moves()
        return [model_row(model, pointers, self.files, moves) for model in self.ledger.models.list(kind)]

    def show(self, name: str) -> dict[str, Any]:
        """Everything known about a model; `shadows`: the figures of each earlier shadow run.

        Raises NotFound, which names those with a name like it.
        """
        model = self._get(name)
        pointers = self.ledger.models.pointers()
        moves = [move for move in self.ledger.models.moves(model.kind) if name in (move.former, move.model)]
        pointer = pointers.get(model.kind, Pointer(model.kind))
        unfit = self.fits.unusable(name) if model.state == CANDIDATE else _unread(model)
        seen = self.shadows.seen(model, pointer) if pointer.shadow == name and not unfit else None
        weights = {} if unfit else weights_of(model)
        return {
            **model_row(model, pointers, self.files, moves),
            "fingerprint": "" if unfit else fingerprint_of(model), "unfit": unfit,
            "weights": weights, "figures": figure_rows(model), "together": self.pairing.together(model),
            "body": model.body, "report": model.report, "moves": list(map(move_row, moves)),
            "shadow": seen, "shadows": shadows_of(model),
        }

    def diff(self, first: str, second: str) -> dict[str, Any]:
        """Weights and figures side by side. Raises NotFound, and Usage for two kinds."""
        return difference(self._get(first), self._get(second))

    def add(self, place: Path, kind: str = RERANKER) -> RegisteredModel:
        """Registers the model of a file or folder that `vouch train` wrote, or of a Hugging Face folder.

        `kind`: what a folder is to serve as. It serves nobody yet; a fusion,
        or an evaluator with a judge of the company's own, is kept as refused
        where a gate speaks against it. Raises BadInput or ModelDown for what
        is none, and Usage for an unfit one and for weights that were retired
        or refused.
        """
        model = read_any(place, self.keep, lambda model: refuse_barred(self.ledger.models, made_of(model, kind)))
        if isinstance(model, FusionModel) and not model.refused:
            self._refuse_unfit(made_of(model), self.clock())
            model, gates = self.gate(model)
            return self.register(model, {"gates": [gate.row() for gate in gates]})
        if isinstance(model, EvaluatorModel) and model.judged_with not in ("", load_evaluator().judged_with):
            row = self._refuse_unfit(made_of(model), self.clock())
            gates = self.gate_judged(model, self.pairing.beside(row))
            report = {"gates": [gate.row() for gate in gates]}
            return self.register(model, report, refused=refusal(gates, GATES_OF_JUDGED))
        return self.register(model, kind=kind)

    def register(
        self, model: Model, report: Mapping[str, Any] = NOTHING, *, kind: str = RERANKER, refused: str = ""
    ) -> RegisteredModel:
        """Registers it as a candidate, or as refused if its file or `refused` says so. Raises Usage for one that does
        not fit."""
        made, at = made_of(model, kind), self.clock()
        made = replace(made, report=report, refused=made.refused or refused)
        if not made.refused:
            self._refuse_unfit(made, at)
        return register(self.ledger.models, made, at)[0]

    def promote(
        self, name: str, by: str, reason: str = "promoted", *, early: bool = False, beside: str | None = None
    ) -> Sequence[Pointer]:
        """From now on it serves; `beside` too, the evaluator, reranker or judge that was trained with it, in the same
        act. An evaluator takes its judge along.

        The pointers that were moved, its own first. Raises NotFound; Usage for
        what is refused, unfit, not shadowed enough or not trained with what it would serve with; Conflict.
        """
        model = self._get(name)
        pointers = self._pointers(model.kind)
        self.fit(model)
        if not early:
            self.shadows.refuse_early(model, pointers[model.kind])
        changes: dict[str, str | None] = {model.kind: name}
        if beside is not None:
            changes[self.pairing.other(model, beside)] = None if beside == MAXSIM else self._get(beside).name
        current = {kind: pointer.model for kind, pointer in pointers.items()}
        if (evaluator := changes.get(EVALUATOR)) is not None and JUDGE not in changes:
            changes |= self.pairing.judge_of(evaluator, current[JUDGE])
        self.pairing.refuse_apart(model, current | changes)
        return self._move(pointers, changes, by, reason)

    def rollback(self, kind: str, by: str, reason: str = "rolled back") -> Sequence[Pointer]:
        """The model before serves again, or what comes with vouch; an evaluator goes back with its reranker and judge.

        The pointers that were moved, that of `kind` first. Raises Usage where none serves, Conflict.
        """
        pointers = self._pointers(_known(kind))
        return self._move(pointers, self.way_back(kind), by, reason, back=True)

    def way_back(self, kind: str) -> dict[str, str | None]:
        """What `rollback` would let serve, by kind. Raises Usage where none serves."""
        return dict(way_back(self.ledger.models, _known(kind), self.fits))

    def retire(self, name: str, by: str) -> None:
        """The model can never serve again; the home keeps its folder only for another place in which it may serve.

        Raises NotFound, and Usage for one that serves or shadows.
        """
        self.ledger.models.set_state(name, RETIRED, f"by {by}")
        rows = [row for kind in CROSS_ENCODERS for row in self.ledger.models.list(kind)]
        bodies = [row.body for row in rows if row.name == name]
        needed = {row.body.get("weights") for row in rows if row.state == CANDIDATE}
        for body in bodies:
            if body.get("weights") not in needed:
                self.discard(body)

    def known(self, name: str) -> None:
        """Raises NotFound, which names those with a name like it; a row that cannot be read is known."""
        try:
            self.ledger.models.head(name)
        except NotFound as error:
            near = get_close_matches(name, [one.name for one in self.ledger.models.list()], 3)
            meant = f"; there is {' and '.join(near)}" if near else ""
            raise NotFound(error.cause + meant, cure=error.cure) from error

    def shadow(self, name: str) -> Pointer:
        """From now on what it would have ranked is compared; one that shadows already goes on, and its pointer is as
        it was. Raises what `promote` raises.
        """
        model = self._get(name)
        if model.kind != FUSION:
            raise Usage(f"{name} is of the kind {model.kind}, and only a fusion can shadow",
                        cure=f"compare it with vouch models diff, then: vouch models promote {name}")
        self.fit(model)
        pointer = self.ledger.models.pointer(model.kind)
        if pointer.shadow == name:
            return pointer
        seen = self.shadows.to_keep(pointer)
        return self.ledger.models.shadow(model.kind, name, expected=pointer.moves, at=self.clock(), seen=seen)

    def shadowing(self) -> Pointer:
        """Which fusion serves now, and which shadows it."""
        return self.ledger.models.pointer(FUSION)

    def stop_shadow(self) -> str:
        """Ends the shadow run and returns the model's name. Raises Usage if there is none."""
        pointer = self.ledger.models.pointer(FUSION)
        if pointer.shadow is None:
            raise Usage("no model shadows", cure="vouch models shadow NAME begins it")
        seen = self.shadows.to_keep(pointer)
        self.ledger.models.shadow(FUSION, None, expected=pointer.moves, at=self.clock(), seen=seen)
        return pointer.shadow

    def _refuse_unfit(self, made: Made, at: datetime) -> RegisteredModel:
        name = registered_name(made.kind, at.date(), made.fingerprint)
        row = RegisteredModel(name, made.kind, CANDIDATE, dict(made.body), {}, None, at)
        self.fit(row)
        return row

    def _get(self, name: str) -> RegisteredModel:
        self.known(name)
        return self.ledger.models.get(name)

    def _pointers(self, kind: str) -> dict[str, Pointer]:
        """Of all kinds that one of this kind serves with, as of one moment."""
        found = self.ledger.models.pointers()
        return {each: found.get(each, Pointer(each)) for each in together(kind)}

    def _move(
        self, pointers: Mapping[str, Pointer], changes: Mapping[str, str | None], by: str, reason: str, *,
        back: bool = False,
    ) -> Sequence[Pointer]:  # fmt: skip
        expected = {kind: pointer.moves for kind, pointer in pointers.items()}
        seen = {kind: kept for kind in changes if (kept := self.shadows.to_keep(pointers[kind])) is not None}
        moved = self.ledger.models.move_together(
            changes, expected=expected, reason=reason, by=by, at=self.clock(), seen=seen, back=back)
        return list(moved.values())


def _unread(model: RegisteredModel) -> str:
    """Why the numbers of one that may not serve cannot be shown; empty if they can."""
    try:
        weights_of(model)
        fingerprint_of(model)
    except BadInput as error:
        return error.cause
    return ""


def _known(kind: str) -> str:
    if kind not in KINDS:
        raise Usage(f"there is no kind {kind!r}", cure=f"choose from {', '.join(KINDS)}")
    return kind
