"""Moves that no person made: a former model was put back, since its successor was worse."""

from collections.abc import Sequence

from vouch.adapters.ledger.registry.model_rows import Move
from vouch.adapters.ledger.registry.models import Models
from vouch.learning.promotion.turns import SHARE
from vouch.wording import count

GUARD = "guard"                         # who made such a move
SHIPPED = "what comes with vouch"


def put_back(models: Models) -> Sequence[str]:
    """What an owner should know: for each kind whose newest move the guard made, what happened and why."""
    newest = {move.kind: move for move in models.moves()}
    return [_told(move) for move in newest.values() if move.by == GUARD]


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


def _told(move: Move) -> str:
    return (
        f"{move.former} was replaced by {move.model or SHIPPED} on {move.at:%Y-%m-%d %H:%M} UTC, since it was worse: "
        f"{move.reason}"
    )
