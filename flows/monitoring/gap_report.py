"""Writes the weekly report: gaps and drift, as JSON, as a page, and as a picture; and the gaps of each owner."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from flows.monitoring.gap_markdown import page
from flows.monitoring.gap_run import GapComponents, find_all, refuse_without_index, told_gaps
from flows.runs.run import sole_run
from flows.shared.noted_runs import noted
from flows.shared.progress import Progress, silent
from flows.shared.weekly_reports import expire_reports, kind_of, picture_of, reports_turn, write_files
from vouch.errors import Busy
from vouch.learning.drift.drift_look import Drift
from vouch.learning.drift.drift_picture import drift_picture
from vouch.learning.drift.drift_row import drift_row

_TRIES = 3


@dataclass(frozen=True, slots=True)
class Written:
    files: tuple[Path, ...]
    gaps: Mapping[str, Any]
    drift: Mapping[str, Any]
    owners: int = 0                     # who got a report

    def numbers(self) -> dict[str, Any]:
        """For places where others may read: not a word of a question, and no name."""
        shifted = [one for one in self.drift["columns"] if one["shifted"]]
        declined = self.drift["recent"]["declined"]
        return {
            "gaps": len(self.gaps["gaps"]),
            "owners": self.owners,
            "questions": sum(gap["questions"] for gap in self.gaps["gaps"]),
            "answers": declined["of"],
            "declined": declined["count"],
            "compared": len(self.drift["columns"]),
            "shifted": len(shifted),
            "largest index": max((one["psi"] for one in self.drift["columns"]), default=None),
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
        found = drift(now)
        row = drift_row(found)
        texts = {**_texts(gaps, row, found, now), **_owners_texts(owned)}
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
        **({"svg": drift_picture(found.columns)} if found.columns else {}),
    }
