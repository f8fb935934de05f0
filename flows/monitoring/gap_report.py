"""Writes the weekly report: gaps and drift, as JSON, as a page, and as a picture."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from flows.monitoring.gap_markdown import page
from flows.monitoring.gap_run import GapComponents, gap_rows
from flows.runs.run import sole_run
from flows.shared.progress import Progress, silent
from flows.shared.weekly_reports import expire_reports, write_files
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

    def numbers(self) -> dict[str, Any]:
        """For places where others may read: not a word of a question, and no name."""
        shifted = [one for one in self.drift["columns"] if one["shifted"]]
        declined = self.drift["recent"]["declined"]
        return {
            "gaps": len(self.gaps["gaps"]),
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

    Nothing waits while questions are read and embedded. If documents were purged meanwhile it is made anew, so that
    nothing that was forgotten comes back in a report. Raises Busy beside a purge, or if one comes after the other.
    """
    for _ in range(_TRIES):
        with sole_run(components.home, []):     # no purge is half done at the moment from which on they are counted
            began = components.ledger.answers.erasures()
        gaps = gap_rows(components, tags, now, progress=progress)
        found = drift(now)
        row = drift_row(found)
        texts = _texts(gaps, row, found, now)
        with sole_run(components.home, []):
            if components.ledger.answers.erasures() == began:
                expire_reports(components.home, (now - keep).date())
                return Written(tuple(write_files(components.home, now.date(), texts)), gaps, row)
    raise Busy("documents are being purged all the time", cure="run it again later")


def _texts(gaps: Mapping[str, Any], row: Mapping[str, Any], found: Drift, now: datetime) -> dict[str, str]:
    """Kind of file → what is in it."""
    return {
        "json": json.dumps({**gaps, "drift": row}, ensure_ascii=False, indent=1) + "\n",
        "md": page(gaps, row, f"gaps-{now.date().isoformat()}.svg"),
        **({"svg": drift_picture(found.columns)} if found.columns else {}),
    }
