"""Which models serve after a rollback: those before, as far as they can be used and fit each other."""

from collections.abc import Mapping
from typing import Protocol

from vouch.adapters.ledger.registry.model_rows import EVALUATOR, RERANKER, Pointer
from vouch.adapters.ledger.registry.models import Models

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
