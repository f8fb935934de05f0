"""The one way into the registry, for what a training, a calibration or a person brings.

Weights that were retired, or lost to another model while they served or
shadowed, do not come back under another name. Those that a gate refused may,
if the gates of another training judge them anew.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from vouch.adapters.ledger.registry.model_rows import CANDIDATE, REFUSED, RETIRED, RegisteredModel
from vouch.adapters.ledger.registry.models import Models
from vouch.errors import Usage
from vouch.learning.models.model_file import has_fingerprint, registered_name

_CURE = "train another one; what is retired or refused never serves again"


@dataclass(frozen=True, slots=True)
class Made:
    """`refused`: why its gates say that it must not serve; empty if it may. `judged`: they looked at it just now."""

    kind: str
    fingerprint: str
    body: Mapping[str, Any]
    report: Mapping[str, Any]
    refused: str = ""
    judged: bool = False


def register(models: Models, made: Made, at: datetime) -> tuple[RegisteredModel, bool]:
    """How it is registered, and whether it is new. It serves nobody yet.

    What was judged is kept in any case, refused where it must not come back.
    Raises Usage for a file with weights that are retired or refused.
    """
    known = models.list(made.kind)
    same = _same(known, made)
    equal = next((model for model in same if model.body == made.body), None)
    barred = _barred(same, made)
    if not made.judged:
        _refuse(barred)
        equal = equal or next((model for model in same if model.state == CANDIDATE and not made.refused), None)
    if equal is not None:
        return equal, False
    refused = made.refused or (_told(barred) if barred is not None else "")
    row = RegisteredModel(
        _free_name(made, at, {model.name for model in known}), made.kind, REFUSED if refused else CANDIDATE,
        dict(made.body), dict(made.report), refused or None, at,
    )  # fmt: skip
    return row, models.add(row)


def refuse_barred(models: Models, made: Made, cure: str = _CURE) -> None:
    """Raises Usage for what `register` would not take, so that nothing is kept or made of it before."""
    _refuse(_barred(_same(models.list(made.kind), made), made), cure)


def _refuse(barred: RegisteredModel | None, cure: str = _CURE) -> None:
    if barred is not None:
        raise Usage(_told(barred), cure=cure)


def _same(known: Sequence[RegisteredModel], made: Made) -> list[RegisteredModel]:
    return [model for model in known if has_fingerprint(model.name, made.fingerprint)
            and _trained_with(model.body) == _trained_with(made.body)]


def _trained_with(body: Mapping[str, Any]) -> list[Any]:
    """Equal numbers about the scores of another reranker or judge are another model."""
    prints = body.get("fingerprints")
    return [prints.get(name) for name in ("reranked_with", "judge")] if isinstance(prints, Mapping) else []


def _barred(same: Sequence[RegisteredModel], made: Made) -> RegisteredModel | None:
    """The model that keeps these weights from serving."""
    for one in same:
        again = made.judged and one.reason == (one.report.get("refused") or one.body.get("refused"))
        if one.state == RETIRED or (one.state == REFUSED and not again and not made.refused):
            return one
    return None


def _told(barred: RegisteredModel) -> str:
    why = f": {barred.reason}" if barred.reason else ""
    return f"these are the weights of {barred.name}, which is {barred.state}{why}"


def _free_name(made: Made, at: datetime, taken: set[str]) -> str:
    """The same weights may have been judged by other rules on the same day."""
    name = plain = registered_name(made.kind, at.astimezone(UTC).date(), made.fingerprint)
    head, _, digits = plain.rpartition("-")
    number = 1
    while name in taken:
        number += 1
        name = f"{head}-{number}-{digits}"
    return name
