"""The registry of models as operators see it, and which of them serve."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from services.models.model_rows import move_row
from services.models.registry import ModelService
from services.models.shadow_lines import shadow_lines
from services.operating.operators import NotedActs
from vouch.adapters.ledger.registry.going_back import put_back

_MOVES = 50


@dataclass(frozen=True)
class ModelKeeping:
    """Promotes and rolls back models; each move is noted here and in the registry's own history."""

    service: ModelService
    noted: NotedActs

    def rows(self) -> list[dict[str, Any]]:
        return self.service.rows()

    def put_back(self) -> list[str]:
        """Of each kind whose newest move the guard made, what happened and why."""
        return list(put_back(self.service.ledger.models))

    def moves(self) -> list[dict[str, Any]]:
        """The moves, newest first."""
        return [move_row(move) for move in reversed(self.service.ledger.models.moves()[-_MOVES:])]

    def show(self, name: str) -> dict[str, Any]:
        """A model with its figures, what each gate said, and what was seen each time it shadowed. Raises NotFound."""
        found = self.service.show(name)
        gates = [gate for gate in found["report"].get("gates", ()) if isinstance(gate, Mapping)]
        names = {f"gates, {gate.get('name')}" for gate in gates}
        figures = [{"name": row["name"], "value": _told(row["value"])} for row in found["figures"]
                   if row["name"] not in names and _told(row["value"])]
        return {**{key: value for key, value in found.items() if key not in ("body", "report")},
                "gates": [_gate(gate) for gate in gates], "figures": figures,
                "shadowed": [_shadowed(seen) for seen in (*found["shadows"], found["shadow"]) if seen]}

    def promote(self, name: str, by: str, *, beside: str | None, early: bool) -> list[str]:
        """Kinds whose model is another from now on. Raises what ModelService.promote raises."""
        with self.noted(by, f"promotion of {name}" + (f" with {beside}" if beside else "")
                        + (", although it did not shadow for long enough" if early else "")):
            moved = self.service.promote(name, by, "promoted on the page for operators", early=early, beside=beside)
        return [pointer.kind for pointer in moved]

    def way_back(self, kind: str) -> dict[str, str]:
        """By kind what would serve after `roll_back`. Raises Usage where none serves, or for what is no kind."""
        return {each: model or "what comes with vouch" for each, model in self.service.way_back(kind).items()}

    def roll_back(self, kind: str, by: str) -> list[str]:
        """The same for the model before. Raises what ModelService.rollback raises."""
        with self.noted(by, f"rollback of the {kind}"):
            moved = self.service.rollback(kind, by, "rolled back on the page for operators")
        return [pointer.kind for pointer in moved]


def _shadowed(seen: Mapping[str, Any]) -> dict[str, Any]:
    """`until` is empty while it shadows."""
    return {"beside": seen["beside"], "since": seen["since"], "until": seen.get("until", ""),
            "answers": seen["answers"], "lines": list(shadow_lines(seen))}


def _gate(gate: Mapping[str, Any]) -> dict[str, str]:
    passed = gate.get("passed") is True
    return {"name": str(gate.get("name", "")), "said": "passed" if passed else "not passed",
            "found": _told(gate.get("found")), "least": _told(gate.get("least")), "told": str(gate.get("told") or "")}


def _told(value: Any) -> str:
    """A figure in a few signs; empty for none, and for what is no figure."""
    if isinstance(value, bool) or value is None:
        return "" if value is None else str(value).lower()
    if isinstance(value, int | float):
        return f"{value:g}"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return " to ".join(filter(None, map(_told, value))) if len(value) <= 4 else ""
    return value[:200] if isinstance(value, str) else ""
