"""Moves that no person made: a former model was put back, since its successor was worse."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from vouch.adapters.ledger.engine.notices import NewNotice
from vouch.adapters.ledger.registry.model_rows import Move
from vouch.adapters.ledger.registry.models import Models
from vouch.learning.promotion.turns import SHARE
from vouch.wording import count

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
