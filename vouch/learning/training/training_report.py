"""What is told of a training: figures, gates, counts, weights, pictures. Numbers and names only."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from vouch.learning.models.fusion_model import FusionModel, FusionTerm
from vouch.learning.promotion.gates import Gate
from vouch.learning.statistics.report import BLUE, ROW, bar, drawn_rows, interval_picture, row_name, row_scale
from vouch.learning.training.training_split import Side, Split

AGAINST = "judged_against"              # the fingerprint of what ranked then; empty: reciprocal ranks
_WEIGHTS = 12                           # of which the report's table tells


def training_report(
    split: Split, model: FusionModel, figures: Mapping[str, Mapping[str, Any]], gates: Sequence[Gate],
    before: Mapping[str, FusionTerm], refused: str,
) -> dict[str, Any]:  # fmt: skip
    """`before` are the terms of the current model, empty for reciprocal ranks."""
    train, test = split.train, split.test
    return {
        "trained_on": model.trained_on, "seed": model.seed, "features": model.features, "refused": refused,
        "questions": {"different": split.groups, "fitted": train.questions, "held_out": test.questions},
        "askers": train.people,
        "labels": {
            "fitted": _by_source(train), "held_out": _by_source(test), "of_the_newest_weeks": split.dropped,
            "left_out": split.left_out,
        },
        "figures": {rival: dict(of) for rival, of in figures.items()},
        "gates": [gate.row() for gate in gates],
        "weights": {
            name: {"before": before[name].weight if name in before else 0.0,
                   "after": model.terms[name].weight if name in model.terms else 0.0}
            for name in sorted({*before, *model.terms})
        },
    }


def _by_source(side: Side) -> dict[str, int]:
    return dict(sorted(Counter(str(label.source) for label in side.labels).items()))


def markdown(name: str, report: Mapping[str, Any], pictures: Sequence[tuple[str, str]]) -> str:
    """The report as a page; `pictures` are (what it shows, its file)."""
    asked, labels = report["questions"], report["labels"]
    sources = sorted({*labels["fitted"], *labels["held_out"]})
    lines = [
        f"# {name}", "",
        f"Fitted on {asked['fitted']} of {asked['different']} different questions, judged by {asked['held_out']} that "
        f"were held out; labels of {report['askers']} people, until {report['trained_on']}; features: "
        f"{report['features']}; seed {report['seed']}.", "",
        f"**Refused**: {report['refused']}" if report["refused"] else "All gates are passed.", "",
        *_table("Figures", ("against", "questions", "nDCG@10", "of the other", "gain", "95 % interval"), [
            (rival, of["questions"], of.get("ndcg@10", ""), of.get("ndcg@10_rival", ""), of.get("gain", ""),
             " to ".join(map(str, of.get("gain_interval", ()))))
            for rival, of in report["figures"].items()]),
        *_table("Gates", ("gate", "", "found", "at least", ""), [
            (row["name"], "passed" if row["passed"] else "**not passed**", _shown(row["found"]), _shown(row["least"]),
             row["told"]) for row in report["gates"]]),
        *_table("Labels", ("", *sources), [
            (side.replace("_", " "), *(labels[side].get(of, 0) for of in sources)) for side in ("fitted", "held_out")]),
        *_table("Without a part", ("labels", "why"), [
            *((number, why) for why, number in labels["left_out"].items()),
            (labels["of_the_newest_weeks"], "of the newest weeks, about questions that were known before")]),
        *_table(_weights_title(len(report["weights"])), ("feature", "before", "after"),
                [(feature, of["before"], of["after"]) for feature, of in changed(report)[:_WEIGHTS]]),
        *(f"![{what}]({file})\n" for what, file in pictures),
    ]
    return "\n".join(lines).rstrip() + "\n"


def _weights_title(weights: int) -> str:
    return "The weights" if weights <= _WEIGHTS else f"The {_WEIGHTS} of {weights} weights that changed most"


def gain_of(report: Mapping[str, Any]) -> float | None:
    """Over what ranked at the training, on its held-out questions; None of a model that was not made so."""
    gain = report.get("figures", {}).get("current", {}).get("gain")
    return gain if isinstance(gain, int | float) else None


def changed(report: Mapping[str, Any]) -> list[tuple[str, Mapping[str, float]]]:
    """The weights by feature, those that changed most first."""
    return sorted(report["weights"].items(), key=lambda one: (-abs(one[1]["after"] - one[1]["before"]), one[0]))


def _table(title: str, heads: Sequence[str], rows: Sequence[Sequence[Any]]) -> list[str]:
    return [f"## {title}", "", _row(heads), _row(["---"] * len(heads)), *map(_row, rows), ""]


def _row(cells: Sequence[Any]) -> str:
    return f"| {' | '.join(str(cell).replace('|', '/') for cell in cells)} |"


def _shown(value: float | None) -> str:
    return "" if value is None else f"{value:g}"


_SHOWN = 20                             # weights
_BARS = {"after": (-9, BLUE), "before": (0, "#b6c2cf")}


def pictures(report: Mapping[str, Any]) -> dict[str, str]:
    """SVG by what each shows."""
    return {"gains": _gains(report), "weights": _weights(report)}


def _gains(report: Mapping[str, Any]) -> str:
    rows = [(f"against {rival}", *of["gain_interval"], of["gain"])
            for rival, of in sorted(report["figures"].items()) if "gain_interval" in of]
    return interval_picture("Gain in nDCG@10 on held-out questions, 95 % interval", rows, "{:+.3f}")


def _weights(report: Mapping[str, Any]) -> str:
    rows = changed(report)[:_SHOWN]
    scale = row_scale([value for _, of in rows for value in of.values()])
    shapes = []
    for y, (name, of) in zip(range(2 * ROW, 10_000, ROW), rows, strict=False):
        shapes.append(row_name(name, y))
        shapes += [bar(scale(0.0), scale(of[when]), y + above, 8, color=color, told=f"{when}: {of[when]}")
                   for when, (above, color) in _BARS.items()]
    return drawn_rows("Weights that changed most: after (blue), before (grey)", shapes, len(rows), scale)


_REASONS = 3


def left_out_line(left_out: Mapping[str, int]) -> str:
    """The largest reasons why labels had no part; empty if all had."""
    largest = sorted(left_out.items(), key=lambda one: (-one[1], one[0]))[:_REASONS]
    return "labels left out: " + ", ".join(f"{number} {why}" for why, number in largest) if largest else ""
