"""What is told of registered models: rows for people and programs, and two of them side by side."""

from collections.abc import Iterator, Mapping
from typing import Any

from vouch.adapters.ledger import Move, Pointer, RegisteredModel
from vouch.errors import BadInput, Usage

_NUMBERS = ("bias", "slope", "offset", "lower", "upper")        # of an evaluator


def model_row(
    model: RegisteredModel, pointers: Mapping[str, Pointer], files: Mapping[str, str]
) -> dict[str, Any]:
    """`serves` is false where a file of the settings wins."""
    pointer = pointers.get(model.kind, Pointer(model.kind))
    current, file = pointer.model == model.name, files.get(model.kind, "")
    since = pointer.shadow_since if pointer.shadow == model.name else None
    return {
        "name": model.name,
        "kind": model.kind,
        "state": model.state,
        "current": current,
        "serves": current and not file,
        "instead": file if current else "",
        "shadow_since": since.isoformat() if since else None,
        "reason": model.reason or "",
        "made_at": model.made_at.isoformat(),
    }


def move_row(move: Move) -> dict[str, Any]:
    return {"kind": move.kind, "former": move.former, "model": move.model, "reason": move.reason, "by": move.by,
            "at": move.at.isoformat()}


def difference(first: RegisteredModel, second: RegisteredModel) -> dict[str, Any]:
    """By name the numbers of both, null where one has none, the greatest first. Raises Usage, BadInput."""
    if first.kind != second.kind:
        raise Usage(f"{first.name} is of the kind {first.kind}, {second.name} of the kind {second.kind}",
                    cure="compare models of one kind: vouch models list")
    weights = _beside(weights_of(first), weights_of(second))
    weights.sort(key=lambda row: -max(abs(row["first"] or 0.0), abs(row["second"] or 0.0)))
    return {"first": first.name, "second": second.name, "weights": weights,
            "figures": _beside(dict(_figures(first)), dict(_figures(second)))}


def _beside(first: Mapping[str, Any], second: Mapping[str, Any]) -> list[dict[str, Any]]:
    names = dict.fromkeys((*first, *second))
    return [{"name": name, "first": first.get(name), "second": second.get(name)} for name in names]


def weights_of(model: RegisteredModel) -> dict[str, float]:
    """Raises BadInput for a body that is no model."""
    try:
        terms = {name: float(term["weight"]) for name, term in model.body["terms"].items()}
        return terms | {name: float(model.body[name]) for name in _NUMBERS if name in model.body}
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise BadInput(f"{model.name} holds no weights", cure=f"vouch models retire {model.name}") from error


def _figures(model: RegisteredModel) -> Iterator[tuple[str, Any]]:
    """Of its body and its report, by their path."""
    yield from _flat("", {**model.body.get("figures", {}), **model.report})


def _flat(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping):
        for name, part in value.items():
            yield from _flat(f"{path}, {name}" if path else str(name), part)
    else:
        yield path, value
