"""What is told of registered models: rows for people and programs, and two of them side by side."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from vouch.adapters.ledger import Move, Pointer, RegisteredModel
from vouch.adapters.ledger.registry.going_back import gave_way
from vouch.adapters.ledger.registry.going_back import told as told_of
from vouch.adapters.ledger.registry.model_rows import AGENT, DECIDED, EVALUATOR, FUSION, JUDGE, RERANKER, SHADOWS
from vouch.errors import BadInput, Usage
from vouch.learning.models.evaluator_model import JUDGE as JUDGE_FEATURE
from vouch.ports.models import MAXSIM

CROSS_ENCODERS = (RERANKER, JUDGE)      # kinds whose models are folders
_NO_FIGURES = ("weights", "bank", "actor", "refused", SHADOWS, DECIDED)
_NUMBERS = ("bias", "slope", "offset", "lower", "upper")        # of an evaluator


def model_row(
    model: RegisteredModel, pointers: Mapping[str, Pointer], files: Mapping[str, str], moves: Sequence[Move]
) -> dict[str, Any]:
    """`serves` is false where a file of the settings wins; `put_back` says why the guard let it serve no more."""
    pointer = pointers.get(model.kind, Pointer(model.kind))
    current, file = pointer.model == model.name, files.get(model.kind, "")
    lost = gave_way(moves, model.name)
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
        "put_back": told_of(lost) if lost else "",
        "figure": key_figure(model),
        "made_at": model.made_at.isoformat(),
    }


def move_row(move: Move) -> dict[str, Any]:
    return {"kind": move.kind, "former": move.former, "model": move.model, "reason": move.reason, "by": move.by,
            "at": move.at.isoformat()}


def scores_of(model: RegisteredModel, kind: str) -> str:
    """Whose scores it makes, for a reranker or a judge, or those of this kind that an evaluator weighs; empty where it
    weighs none, or its row does not say."""
    if model.kind in CROSS_ENCODERS:
        return str(model.body.get("weights", ""))
    prints, terms = model.body.get("fingerprints"), model.body.get("terms")
    if not isinstance(prints, Mapping) or not isinstance(terms, Mapping):
        return ""
    if kind == RERANKER:
        return str(prints.get("reranked_with", MAXSIM))
    return str(prints.get("judge", "")) if JUDGE_FEATURE in terms else ""


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
    """None of a reranker or a judge, whose millions are in its folder. Raises BadInput for a body that is no model."""
    if model.kind in CROSS_ENCODERS:
        return {}
    if model.kind == AGENT:
        return _limits_of(model)
    try:
        terms = {name: float(term["weight"]) for name, term in model.body["terms"].items()}
        return terms | {name: float(model.body[name]) for name in _NUMBERS if name in model.body}
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise BadInput(f"{model.name} holds no weights", cure=f"vouch models retire {model.name}") from error


def _limits_of(model: RegisteredModel) -> dict[str, float]:
    """Of an agent: by template its place, how far it goes and how many names it takes. Raises BadInput."""
    try:
        found = {f"{one['form']}, {what}": float(value) for place, one in enumerate(model.body["templates"], 1)
                 for what, value in (("place", place), ("most", one["most"]), ("names", one["names"]))}
        return found | {"steps": float(model.body["steps"]), "follows": float(model.body["follows"])}
    except (KeyError, TypeError, ValueError) as error:
        raise BadInput(f"{model.name} holds no templates", cure=f"vouch models retire {model.name}") from error


def _figures(model: RegisteredModel) -> Iterator[tuple[str, Any]]:
    """Of its body and its report, by their path; the report's own lists of weights and shadows are left out, and the
    reason, which the row has."""
    told = {name: value for name, value in model.report.items() if name not in _NO_FIGURES}
    yield from _flat("", {**figures_of(model), **told})


def figures_of(model: RegisteredModel) -> Mapping[str, Any]:
    """The figures in the model itself."""
    found = model.body.get("figures", {})
    return found if isinstance(found, Mapping) else {}


def shadows_of(model: RegisteredModel) -> list[Mapping[str, Any]]:
    """The figures of each shadow run of the model, oldest first."""
    kept = model.report.get(SHADOWS, ())
    return [one for one in kept if isinstance(one, Mapping)] if isinstance(kept, list) else []


def figure_rows(model: RegisteredModel) -> list[dict[str, Any]]:
    return [{"name": name, "value": value} for name, value in _figures(model)]


def _flat(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping):
        for name, part in value.items():
            yield from _flat(f"{path}, {name}" if path else str(name), part)
    elif isinstance(value, list) and value and all(isinstance(one, Mapping) and "name" in one for one in value):
        for gate in value:
            yield f"{path}, {gate['name']}", gate.get("found")
    else:
        yield path, value


_OF_PAIRS = tuple((("body", "figures", "test pairs", name), "AUC {:.3f}") for name in ("auc", "held_out_auc"))
_KEY_FIGURES = {                        # by kind, the first that there is: where it stands, and how it is told
    FUSION: ((("report", "figures", "reciprocal ranks", "gain"), "gain {:+.3f} nDCG@10"),
             (("body", "figures", "held out", "gain"), "gain {:+.3f} nDCG@10")),
    **dict.fromkeys(CROSS_ENCODERS, _OF_PAIRS),
    AGENT: ((("report", "figures", "validation", "gain"), "gain {:+.3f} recall"),
            (("body", "figures", "validation", "gain"), "gain {:+.3f} recall")),
    EVALUATOR: ((("report", "after", "ece"), "ECE {:.3f}"), (("body", "figures", "openqa test", "auc"), "AUC {:.3f}"),
                (("body", "figures", "held out", "auc"), "AUC {:.3f}")),
}  # fmt: skip


def key_figure(model: RegisteredModel) -> str:
    """The figure that says most about the model; empty if it has none."""
    for path, told in _KEY_FIGURES.get(model.kind, ()):
        value: Any = {"body": model.body, "report": model.report}
        for name in path:
            value = value.get(name) if isinstance(value, Mapping) else None
        if isinstance(value, int | float):
            return told.format(value)
    return ""
