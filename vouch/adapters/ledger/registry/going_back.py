"""Going back to former models: after a rollback, or when the guard puts one back."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from vouch.adapters.ledger.answers.notices import NewNotice
from vouch.adapters.ledger.registry.model_rows import EVALUATOR, RERANKER, Move, Pointer
from vouch.adapters.ledger.registry.models import Models
from vouch.learning.promotion.control import SHARE
from vouch.plurals import count

OTHER = {RERANKER: EVALUATOR, EVALUATOR: RERANKER}      # they serve together, or not at all


class Fits(Protocol):
    def unusable(self, name: str) -> str:
        """Why the model cannot be used; empty if it can."""
        ...

    def apart(self, reranker: str | None, evaluator: str | None) -> str:
        """Why these two must not serve together; empty if they may. None: that of the settings."""
        ...


def together(kind: str) -> list[str]:
    """The kinds that have to be looked at before one of this kind is moved."""
    return [kind, OTHER[kind]] if kind in OTHER else [kind]


def way_back(models: Models, kind: str, fits: Fits) -> dict[str, str | None]:
    """By kind what is to serve: the model before; what comes with vouch (None) where that one cannot be used.

    A reranker and an evaluator that were trained together go back together.
    Raises Usage where nothing registered serves.
    """
    former = models.former(kind)
    if kind not in OTHER:
        return {kind: None if former is None or fits.unusable(former) else former}
    other = OTHER[kind]
    current = models.pointers().get(other, Pointer(other)).model
    for beside in dict.fromkeys((current, models.former(other) if current else None)):
        if not fits.apart(*pair({kind: former, other: beside})):
            return {kind: former} if beside == current else {kind: former, other: beside}
    return {kind: None} if current is None else {kind: None, other: None}


def pair(names: Mapping[str, str | None]) -> tuple[str | None, str | None]:
    """Reranker and evaluator, as `apart` takes them."""
    return names[RERANKER], names[EVALUATOR]


GUARD = "guard"                         # who made such a move
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
