"""What is told of an evaluation, as a page. Numbers and names of kinds only."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any


def figure_rows(report: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Every figure by its path, in words."""
    return list(_flat("", report["figures"]))


def markdown(report: Mapping[str, Any], pictures: Sequence[tuple[str, str]]) -> str:
    """`pictures` are (what it shows, its file)."""
    lines = [
        f"# {_plain(report['kind'])} on {_plain(report['of'])}", "", f"Measured at {report['at'][:16]}.", "",
        *_table(("figure", "value"), figure_rows(report)),
        *_made_with(report.get("made_with") or {}),
        *_binned(report.get("reliability") or ()),
        *(f"![{shows}]({file})\n" for shows, file in pictures),
    ]  # fmt: skip
    return "\n".join(lines).rstrip() + "\n"


def _made_with(told: Mapping[str, Any]) -> list[str]:
    return _table(("made with", ""), list(_flat("", told))) if told else []


def _binned(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    if not rows:
        return []
    told = [(f"{row['from']:g} to {row['to']:g}", str(row["count"]), f"{row['probability']:.3f}", f"{row['right']:.3f}",
             "{:.3f} to {:.3f}".format(*row["interval"])) for row in rows]
    return _table(("probability", "how many", "mean", "right", "95 % interval"), told)


def _flat(path: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        for name, part in value.items():
            yield from _flat(f"{path}, {name}" if path else str(name), part)
    elif isinstance(value, list):
        yield path, " to ".join(_figure(one) for one in value)
    else:
        yield path, _figure(value)


def _figure(value: Any) -> str:
    return f"{value:g}" if isinstance(value, int | float) and not isinstance(value, bool) else str(value)


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    return [_row(heads), _row(["---"] * len(heads)), *map(_row, rows), ""]


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(map(_plain, cells))} |"


def _plain(text: str) -> str:
    """A name on one line that ends no cell."""
    return " ".join(str(text).split()).replace("|", "/").replace("<", "‹")
