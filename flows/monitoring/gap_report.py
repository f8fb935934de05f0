"""The weekly report of gaps and drift: written as JSON, page and picture, and questions taken out again."""

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from flows.monitoring.gap_run import GapComponents, find_all, refuse_without_index, tells, told_gaps
from flows.runs.run import sole_run
from flows.shared.home_files.folders import refuse_links
from flows.shared.home_files.weekly_reports import (
    expire_reports,
    kind_of,
    picture_of,
    report_day,
    report_files,
    reports_turn,
    write_files,
)
from flows.shared.noted_runs import noted
from flows.shared.reporting import Progress, silent
from indexers.storage import disk_errors, replace_file
from vouch.errors import Busy
from vouch.learning.drift.drift_look import Drift
from vouch.learning.drift.drift_report import drift_lines, drift_picture, drift_row
from vouch.learning.statistics.report import escaped, table


def page(gaps: Mapping[str, Any], drift: Mapping[str, Any] | None = None, picture: str = "") -> str:
    """Markdown. `picture` is the name of the file with the picture of the drift, of which an owner is told nothing."""
    whose = f" near documents of {escaped(gaps['owner'])}" if gaps["owner"] else ""
    return "\n".join([
        f"# Gaps{whose} until {gaps['until'][:10]}", "",
        f"What at least {gaps['fewest_askers']} people asked in vain since {gaps['from'][:10]}. "
        f"Documents are named as far as these may read them: {escaped(', '.join(gaps['readers']))}.", "",
        *_gap_lines(gaps["gaps"], gaps["fewest_askers"]), "",
        *(["## Drift", "", *drift_lines(drift, picture), ""] if drift is not None else []),
    ])  # fmt: skip


def _gap_lines(rows: Sequence[Mapping[str, Any]], fewest: int) -> list[str]:
    if not rows:
        return ["There are none."]
    few = f"under {fewest} askers"
    lines = table(
        ["gap", "questions", "askers", "before", "why", "nearest documents"],
        ([", ".join(row["title"]), row["questions"], row["askers"], few if row["before"] is None else row["before"],
          ", ".join(f"{number} {why}" for why, number in row["why"].items()),
          ", ".join(map(_document, row["documents"]))] for row in rows),
    )  # fmt: skip
    return [*lines, *_asked("Asked in the same words by as many:", rows, "examples"),
            *_asked("Examples, by askers who allow it:", rows, "allowed_examples")]


def _document(one: Mapping[str, Any]) -> str:
    owners = f" ({', '.join(one['owners'])})" if one["owners"] else ""
    return f"{one['source']}:{one['path']}{owners}"


def _asked(heading: str, rows: Sequence[Mapping[str, Any]], kind: str) -> list[str]:
    asked = [f"- {escaped(example)}" for row in rows for example in row[kind]]
    return ["", heading, "", *asked] if asked else []


_TRIES = 3


@dataclass(frozen=True, slots=True)
class Written:
    files: tuple[Path, ...]
    gaps: Mapping[str, Any]
    drift: Mapping[str, Any]
    owners: int = 0                     # who got a report

    def numbers(self) -> dict[str, Any]:
        """For places where others may read: not a word of a question, and no name."""
        shifted = [column for column in self.drift["columns"] if column["shifted"]]
        declined = self.drift["recent"]["declined"]
        return {
            "gaps": len(self.gaps["gaps"]),
            "owners": self.owners,
            "questions": sum(gap["questions"] for gap in self.gaps["gaps"]),
            "answers": declined["of"],
            "declined": declined["count"],
            "compared": len(self.drift["columns"]),
            "shifted": len(shifted),
            "largest index": max((column["psi"] for column in self.drift["columns"]), default=None),
        }


def write_report(
    components: GapComponents, drift: Callable[[datetime], Drift], keep: timedelta, now: datetime,
    tags: Sequence[str] = (), *, progress: Progress = silent,
) -> Written:
    """The report of this day is in the home, for the readers named by `tags`; those older than `keep` are not.

    So is one for each owner of documents near whom there are gaps. Nothing waits while questions are read and
    embedded. If documents were purged meanwhile, or somebody denied examples, all is made anew, so that nothing
    that was forgotten or withdrawn comes back in a report. Raises Busy beside a purge, or if one comes after the other.
    """
    with noted(components.ledger, "gaps"):
        return _write(components, drift, keep, now, tags, progress)


def _write(
    components: GapComponents, drift: Callable[[datetime], Drift], keep: timedelta, now: datetime,
    tags: Sequence[str], progress: Progress,
) -> Written:  # fmt: skip
    for _ in range(_TRIES):
        with sole_run(components.home, []):     # no purge is half done at the moment from which on they are counted
            began = _mark(components)
        gaps, owned = _gaps(components, tags, now, progress)
        figures = drift(now)
        row = drift_row(figures)
        texts = {**_texts(gaps, row, figures, now), **_owners_texts(owned)}
        with sole_run(components.home, []), reports_turn(components.home):
            if _mark(components) == began:
                expire_reports(components.home, (now - keep).date())
                files = tuple(write_files(components.home, now.date(), texts))
                return Written(files, gaps, row, len(owned))
    raise Busy("documents are being purged all the time, or examples withdrawn", cure="run it again later")


def _mark(components: GapComponents) -> object:
    """Differs once something was forgotten or withdrawn."""
    denied = {person: choice.denied_at for person, choice in components.ledger.examples.all().items()}
    return components.ledger.answers.erasures(), {person: at for person, at in denied.items() if at is not None}


def _gaps(
    components: GapComponents, tags: Sequence[str], now: datetime, progress: Progress
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The whole, and that of each owner near whose documents there is a gap."""
    refuse_without_index(components, now)
    found = find_all(components, now, progress=progress)
    owners = components.owners.named() if found.gaps else ()
    theirs = (told_gaps(components, found, (), owner) for owner in owners)
    return told_gaps(components, found, tags), [one for one in theirs if one["gaps"]]


def _owners_texts(reports: Sequence[dict[str, Any]]) -> dict[str, str]:
    """Kind of file → what is in it."""
    return {kind_of(one["owner"], kind): text
            for one in reports for kind, text in (("json", as_json(one)), ("md", page(one)))}


def as_json(report: Mapping[str, Any]) -> str:
    return json.dumps(report, ensure_ascii=False, indent=1) + "\n"


def _texts(gaps: Mapping[str, Any], row: Mapping[str, Any], found: Drift, now: datetime) -> dict[str, str]:
    """Kind of file → what is in it."""
    return {
        "json": as_json({**gaps, "drift": row}),
        "md": page(gaps, row, picture_of(now.date())),
        **({"svg": drift_picture(found)} if found.columns else {}),
    }


def withdraw_examples(home: Path, texts: Collection[str]) -> int:
    """No report shows any of the normalised `texts` because its asker allowed it; how many reports were changed.

    What as many people asked in the same words stays: it was shown without anybody's leave. A report that cannot be
    understood is deleted. Raises Busy beside a run, Damaged for a link, Unavailable.
    """
    with sole_run(home, []), reports_turn(home):
        refuse_links(home)
        found = [path for path in report_files(home) if path.suffix == ".json"]
        return sum(_withdrawn(path, frozenset(texts)) for path in found)


def _withdrawn(path: Path, texts: frozenset[str]) -> bool:
    """Whether it had to be changed."""
    with disk_errors(path):
        data = path.read_bytes()
    try:
        report = json.loads(data)
        if not any(texts.intersection(gap.get("allowed_examples", ())) for gap in report["gaps"]):
            return False
        cleaned = _without(report, texts)
        written = page(cleaned, cleaned.get("drift"), picture_of(report_day(path)))
    except (ValueError, KeyError, TypeError, AttributeError):
        with disk_errors(path):
            for kind in (".md", ".json"):
                path.with_suffix(kind).unlink(missing_ok=True)
        return True
    replace_file(path.with_suffix(".md"), written.encode())
    replace_file(path, as_json(cleaned).encode())       # last: a killed run is run again
    return True


def _without(report: dict[str, Any], texts: frozenset[str]) -> dict[str, Any]:
    gaps = [{**gap, "allowed_examples": [one for one in gap["allowed_examples"] if one not in texts]}
            for gap in report["gaps"]]
    return {**report, "gaps": [gap for gap in gaps if report["owner"] is None or tells(gap)]}
