"""What the eight weeks of votes came to: tables, and a line per method as SVG."""

from collections.abc import Mapping, Sequence

import numpy as np

from benchmarks.report import Report
from vouch.learning.statistics.metrics import paired_interval
from vouch.learning.statistics.report import BLUE, GREEN, GREY, PALE, Scale, line, picture, words

WIDE, HIGH, LEFT, TOP, RIGHT, BOTTOM = 720, 360, 60, 40, 150, 40
COLORS = {"reciprocal ranks": GREY, "votes": BLUE, "true labels": GREEN}


def weeks_picture(means: Mapping[str, Sequence[float]]) -> str:
    """`means` are nDCG@10 by method and week, each method with a color."""
    values = [value for row in means.values() for value in row]
    low, high = min(values) - 0.005, max(values) + 0.005
    weeks = len(next(iter(means.values())))
    x, y = Scale(1, weeks, LEFT, WIDE - RIGHT), Scale(low, high, HIGH - BOTTOM, TOP)
    shapes = []
    for value in (low + (high - low) * step / 4 for step in range(5)):
        shapes += [line([(LEFT, y(value)), (WIDE - RIGHT, y(value))], color=PALE),
                   words(LEFT - 8, y(value) + 4, f"{value:.3f}", anchor="end")]
    shapes += [words(x(week), HIGH - 15, str(week), anchor="middle") for week in range(1, weeks + 1)]
    for name, row in means.items():
        points = [(x(week), y(value)) for week, value in enumerate(row, 1)]
        shapes += [line(points, color=COLORS[name], width=2.5),
                   words(WIDE - RIGHT + 8, y(row[-1]) + 4, name, color=COLORS[name])]
    return picture("nDCG@10 on questions that nobody asked, by week", WIDE, HIGH, shapes)


AIM = 0.7                               # of the gain that true labels give


def tell(mean: Mapping[str, np.ndarray], names: np.ndarray, asked: int, told: Sequence[Sequence[str]]) -> None:
    """`mean` over seeds by method, week x question; `names` whose set each is; `told` what became of each model.

    Intervals are of a paired bootstrap over the held-out questions.
    """
    report = Report(f"Eight weeks of votes: nDCG@10 on {len(names)} held-out questions, {asked} asked, "
                    f"{len(told)} seeds")
    rival, votes, true = (mean[name] for name in ("reciprocal ranks", "votes", "true labels"))
    report.table(["week", "reciprocal ranks", "votes", "gain", "true labels", "gain", "promoted", "not worse"])
    for number in range(len(rival)):
        gains = votes[number] - rival[number]
        report.line(
            number + 1, f"{rival[number].mean():.4f}", f"{votes[number].mean():.4f}", _gain(gains),
            f"{true[number].mean():.4f}", _gain(true[number] - rival[number]),
            f"{sum(run[number] == 'promoted' for run in told)} of {len(told)}", checks=[paired_interval(gains)[1] >= 0])
    kinds = sorted(set(names))
    report.table(["gain by votes", *(f"week {number + 1}" for number in range(len(rival)))])
    for name in kinds:
        report.line(name, *(f"{one[names == name].mean():+.4f}" for one in votes - rival))
    report.table(["set", "questions", "reciprocal ranks", "gain by votes", "gain by true labels", "share of it", ""])
    for name in ("all", *kinds):
        own = np.full(len(names), True) if name == "all" else names == name
        gain, ideal = (votes - rival)[-1][own], (true - rival)[-1][own]
        share = gain.mean() / ideal.mean()
        told_share = [f"{share:.0%} ({_share(gain, ideal)})"] if paired_interval(ideal)[0] > 0 else ["nothing to share"]
        report.line(name, int(own.sum()), f"{rival[-1][own].mean():.4f}", _gain(gain), _gain(ideal), *told_share,
                    *([] if name == "all" else [""]), checks=[share >= AIM] if name == "all" else [])
    report.end()


def _gain(gains: np.ndarray) -> str:
    low, high = paired_interval(gains)
    return f"{gains.mean():+.4f} ({low:+.4f} to {high:+.4f})"


def _share(gain: np.ndarray, ideal: np.ndarray) -> str:
    drawn = np.random.default_rng(0).integers(0, len(gain), (2000, len(gain)))
    low, high = np.quantile(gain[drawn].mean(axis=1) / ideal[drawn].mean(axis=1), [0.025, 0.975])
    return f"{low:.0%} to {high:.0%}"
