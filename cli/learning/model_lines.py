"""What people read of a registered model, and of one that serves worse than the one before it."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from bots.wrapping import Line
from cli.terminal.activity import waiting
from cli.terminal.output import Json, emit, moment, say, say_wrapped, table
from services.models.shadow_lines import shadow_lines

if TYPE_CHECKING:
    from flows.monitoring.model_guard import Checked

_REASON = 60                            # characters of a reason in a list
_NAME, _VALUE = 44, 26                  # characters of a column, so that two models fit beside one another in 100


def role(row: Mapping[str, Any]) -> str:
    """What the model does now, such as serving; empty if nothing."""
    if row["current"]:
        return "serves" if row["serves"] else f"current, but {row['instead']} serves"
    return "shadows" if row["shadow_since"] else ""


def told(row: Mapping[str, Any]) -> str:
    """The model's key figure, or the beginning of why it must not serve."""
    reason = " ".join(str(row["reason"]).split())
    figure = "worse: the guard put the former back" if row["put_back"] else row["figure"]
    return _cut(reason, _REASON) or str(figure)


def say_model(row: Mapping[str, Any]) -> None:
    """Prints everything that `show` found, in groups."""
    since = f" since {moment(row['shadow_since'])}" if row["shadow_since"] else ""
    say(Line(row["name"], "strong"))
    _say_pairs([
        ("kind", row["kind"]), ("state", row["state"]), ("at present", (role(row) or "does nothing") + since),
        ("made", moment(row["made_at"])), ("fingerprint", row["fingerprint"]), ("key figure", row["figure"]),
        ("files", _files(row["body"].get("files"))), ("reason", row["reason"]), ("put back", row["put_back"]),
        ("cannot be used", row["unfit"]),
        ("made for", ", ".join(row["together"])),
    ])
    if row["shadow"]:
        _group("shadow")
        _say_shadow(row["shadow"])
    for former in row["shadows"]:
        _group(f"shadow until {moment(former['until'])}")
        _say_shadow(former, over=True)
    if row["moves"]:
        _group("moves")
        for move in row["moves"]:
            way = f"{move['former'] or '-'} -> {move['model'] or '-'}"
            say(f"  {moment(move['at'])} {way}, by {move['by']}: {move['reason']}")
    _say_figures(row["figures"])
    weights: Mapping[str, float] = row["weights"]
    heaviest = sorted(weights, key=lambda name: -abs(weights[name]))
    if heaviest:
        say("")
        table(["feature", "weight"], [(name, weights[name]) for name in heaviest])


def say_difference(row: Mapping[str, Any], *, everything: bool) -> None:
    """Prints two models side by side: the lines that differ, or all if `everything` is wanted."""
    for what in ("weights", "figures"):
        rows = [r for r in row[what] if everything or r["first"] != r["second"]]
        same = len(row[what]) - len(rows)
        table([what, row["first"], row["second"]],
              [(_cut(r["name"], _NAME), _value(r["first"]), _value(r["second"])) for r in rows],
              empty=f"no {what} differ" if same else f"no {what}", padded=_NAME)
        if same and rows:
            say(f"{same} more are equal: --all")


def _files(files: object) -> str:
    """Of a reranker or a judge; empty for other models."""
    if not isinstance(files, Mapping):
        return ""
    return f"{len(files)}, {sum(size for size in files.values() if isinstance(size, int)) / 1e6:.1f} MB"


def _say_figures(figures: Sequence[Mapping[str, Any]]) -> None:
    if figures:
        _group("figures")
        _say_pairs([(one["name"], _number(one["value"])) for one in figures])


def _say_pairs(pairs: Sequence[tuple[str, str]]) -> None:
    known = [(name, value) for name, value in pairs if value]
    width = max(len(name) for name, _ in known)
    for name, value in known:
        say(f"  {name:<{width}}  {value}")


def _group(name: str) -> None:
    say("")
    say(Line(name, "strong"))


def _value(value: Any) -> str:
    return _cut(_number(value), _VALUE)


def _number(value: Any) -> str:
    if isinstance(value, list):
        return " to ".join(map(_number, value)) if len(value) == 2 else ", ".join(map(_number, value))
    if isinstance(value, float):
        return f"{value:.4f}".rstrip("0").rstrip(".") if abs(value) >= 1e-4 else f"{value:.3g}"
    return "-" if value is None else str(value)


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"


def _say_shadow(seen: Mapping[str, Any], *, over: bool = False) -> None:
    say(f"  beside {seen['beside']} since {moment(seen['since'])}: {seen['answers']} answers compared"
        + (f", {seen['other_schema']} of another feature schema skipped" if seen["other_schema"] else ""))
    for line in shadow_lines(seen):
        say(f"  {line}")
    if over:
        return
    far = f"{seen['counted']} of {seen['needed']} answers, and less than {seen['needed_hours']:g} hours"
    say("  enough to promote it" if seen["enough"] else f"  not enough yet to promote it without --early: {far}")


EPILOG = "Example: vouch models check"


def check(as_json: Json = False) -> None:
    """Compare each promoted model with the one before it, and go back to that one if the new one is worse.

    It compares votes, declines, confidence and the share of answers with a citation. The settings VOUCH_GUARD__… say
    how often a model that is not worse may be rolled back by mistake, and whether vouch rolls back or only reports. The
    flow `guard models` does the same every hour.
    """
    with waiting("comparing"):
        from cli.wiring.training.fitting import check_models

        checked_models = check_models()
    for checked in checked_models:
        emit(checked.row()) if as_json else _show(checked)
    if not checked_models and not as_json:
        say("no promoted model is there to be compared with the one before it")


def _show(one: "Checked") -> None:
    head = Line(one.outcome, "bad" if one.outcome in ("worse", "put back", "cannot be checked") else "good")
    say_wrapped(head, one.told.removeprefix(one.outcome))
    table(["figure", "before", "of", "since", "of", "may fall to", "evidence"],
          [(limit.figure, f"{limit.before:.3f}", limit.values_before, f"{limit.since:.3f}", limit.values_since,
            f"{limit.least:.3f}", f"{limit.evidence:.3g} of {1 / limit.error:.0f}") for limit in one.limits],
          empty="neither model has answers to compare")
