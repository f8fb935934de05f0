"""Going back to former models: after a rollback, or when the guard puts one back."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from itertools import product
from typing import Protocol

from vouch.adapters.ledger.notices import NewNotice
from vouch.adapters.ledger.registry.model_rows import EVALUATOR, GUARD, JUDGE, RERANKER, Move, Pointer
from vouch.adapters.ledger.registry.models import Models
from vouch.learning.promotion.control import SHARE
from vouch.plurals import count

TOGETHER = (RERANKER, JUDGE, EVALUATOR)                 # they serve together, or not at all


class Fits(Protocol):
    def unusable(self, name: str) -> str:
        """Why the model cannot be used; empty if it can."""
        ...

    def apart(self, names: Mapping[str, str | None]) -> str:
        """Why these, by kind, must not serve together; empty if they may. None, or left out: that of the settings."""
        ...


def together(kind: str) -> list[str]:
    """The kinds that have to be looked at before one of this kind is moved."""
    return [kind, *(other for other in TOGETHER if other != kind)] if kind in TOGETHER else [kind]


def way_back(models: Models, kind: str, fits: Fits) -> dict[str, str | None]:
    """By kind what is to serve: the model before; what comes with vouch (None) where that one cannot be used.

    An evaluator goes back with the reranker and the judge that it was trained with, and each of these with it.
    Raises Usage where nothing registered serves.
    """
    former = models.former(kind)
    others = together(kind)[1:]
    if not others:
        return {kind: None if former is None or fits.unusable(former) else former}
    pointers = models.pointers()
    current = {other: pointers.get(other, Pointer(other)).model for other in others}
    for beside in product(*(_known(models, other, name) for other, name in current.items())):
        names = {kind: former, **dict(zip(others, beside, strict=True))}
        if not fits.apart(names):
            return {each: name for each, name in names.items() if each == kind or name != current[each]}
    return {kind: None, **{other: None for other in others if current[other] is not None}}


def _known(models: Models, kind: str, current: str | None) -> list[str | None]:
    """What may serve beside the model that is gone back to, what serves now first."""
    moves = models.moves(kind)
    before = moves[-1].former if moves else None
    return list(dict.fromkeys((current, models.former(kind) if current else before)))


SHIPPED = "what comes with vouch"


def put_back(models: Models) -> Sequence[str]:
    """What an owner should know: for each kind whose newest move the guard made, what happened and why."""
    newest = {move.kind: move for move in models.moves()}
    return [told(move) for move in newest.values() if move.by == GUARD]


def put_back_within(models: Models, since: datetime, until: datetime) -> Sequence[str]:
    """What the guard did after `since`, up to `until`, oldest first."""
    return [told(move) for move in models.moves() if move.by == GUARD and since < move.at <= until]


def gave_way(moves: Sequence[Move], name: str) -> Move | None:
    """The guard's move away from a model, where nobody has moved it since."""
    mine = [move for move in moves if name in (move.former, move.model)]
    return mine[-1] if mine and mine[-1].by == GUARD and mine[-1].former == name else None


def rollback_notices(move: Move, number: int, owners: Iterable[str]) -> list[NewNotice]:
    """A message for each owner about a move of the guard, the pointer's `number`: each is told once."""
    name = f"rollback.{move.kind}.{number}"
    return [NewNotice(f"{name}.{owner}"[:300], "rollback", {"owner": owner, "text": told(move)}) for owner in owners]


def unguarded(models: Models, askers: int, newest: int) -> Sequence[str]:
    """Why the guard cannot compare the models that serve; nothing where none was promoted, or it can.

    `askers`: how many different people asked for the `newest` answers.
    """
    if askers >= SHARE or all(pointer.model is None for pointer in models.pointers().values()):
        return []
    return [
        f"{count(askers, 'asker')} in the newest {newest:,} answers, and the guard compares models only where at least "
        f"{SHARE} ask; all who are not signed in are one: look at the answers yourself, vouch models rollback goes back"
    ]


def told(move: Move) -> str:
    """Figures and names of models, and not a word of a question or an answer."""
    return (
        f"{move.former} was replaced by {move.model or SHIPPED} on {move.at:%Y-%m-%d %H:%M} UTC, since it was worse: "
        f"{move.reason}"
    )
