"""What operators see of quality: votes, gaps, drift and evaluations."""

import json
import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from consumers.monitoring.watches import DriftWatch
from flows.shared.home_files.evaluation_reports import evaluation, evaluation_picture, evaluations
from flows.shared.home_files.weekly_reports import GAPS, report_day, report_files
from services.labeling.gaps import GapService
from services.operating.operators import NotedActs
from vouch.adapters.ledger import Ledger
from vouch.errors import NotFound, Overloaded
from vouch.learning.drift.drift_look import WEEK, Drift
from vouch.learning.drift.drift_report import drift_picture, drift_row
from vouch.learning.evaluator.evaluation_report import figure_rows
from vouch.learning.statistics.report import GREEN, GREY, RED, bar, line, picture, span, words

_LEFT, _WIDE, _ROW, _TOP = 110, 460, 22, 34     # pixels
TITLE = "Votes by week: up to the right, down to the left"


def vote_picture(weeks: Sequence[Mapping[str, Any]]) -> str:
    """SVG, the oldest week on top."""
    scale = span([value for week in weeks for value in (week["up"], -week["down"])] or [1.0], _LEFT, _LEFT + _WIDE)
    shapes, bottom = list[str](), _TOP + _ROW * len(weeks)
    for number, week in enumerate(weeks):
        y = _TOP + number * _ROW
        shapes += [
            words(_LEFT - 8, y + 13, week["from"], anchor="end"),
            bar(scale(0), scale(week["up"]), y + 3, 14, color=GREEN, told=f"{week['up']} up"),
            bar(scale(-week["down"]), scale(0), y + 3, 14, color=RED, told=f"{week['down']} down"),
            words(_LEFT + _WIDE + 8, y + 13, f"{week['up']} up, {week['down']} down", size=11),
        ]
    shapes.append(line([(scale(0), _TOP - 4), (scale(0), bottom)], color=GREY))
    return picture(TITLE, _LEFT + _WIDE + 120, bottom + 12, shapes)


_WEEKS = 12
_DRIFT_S = 20.0                         # a look at drift is waited for so long
Places = Collection[tuple[str, str]]    # source, path


@dataclass(frozen=True)
class QualityService:
    """`gaps` finds them now, None where this process holds no model; `readable` tells which documents a
    person may read at this moment."""

    home: Path
    ledger: Ledger
    drift_watch: DriftWatch
    gaps_now: Callable[[], GapService] | None
    readable: Callable[[str], Places]
    clock: Callable[[], datetime]
    _turn: threading.Lock = field(default_factory=threading.Lock)

    def reports(self) -> list[dict[str, Any]]:
        return [{name: one[name] for name in ("name", "kind", "of", "at")} for one in evaluations(self.home)]

    def report(self, name: str) -> dict[str, Any]:
        """A report with all its figures. Raises NotFound."""
        found = evaluation(self.home, name)
        return {**found, "rows": figure_rows(found), "reliability": found.get("reliability") or [],
                "risk_coverage": found.get("risk_coverage") or []}

    def picture(self, report: str, name: str) -> str:
        return evaluation_picture(self.home, report, name)

    def votes(self) -> list[dict[str, Any]]:
        """Of each of the last weeks, the oldest first: answers, declined ones, and the votes given."""
        now, rows = self.clock(), []
        for number in range(_WEEKS, 0, -1):
            since = now - number * WEEK
            found = self.ledger.past_answers.tally(since, since + WEEK)
            rows.append({"from": since.date().isoformat(), "answers": found.answers, "declined": found.declined,
                         "up": found.up, "down": found.down})
        return rows

    def votes_picture(self) -> str:
        return vote_picture(self.votes())

    def drift(self) -> dict[str, Any] | None:
        """The drift, None if it cannot be computed now."""
        found = self._drift()
        return None if found is None else drift_row(found)

    def drift_picture(self) -> str:
        """Raises NotFound where nothing can be compared."""
        found = self._drift()
        if found is None or not found.columns:
            raise NotFound("there is nothing to compare", cure="open the page again later")
        return drift_picture(found)

    def gaps(self, person: str) -> dict[str, Any] | None:
        """The newest weekly report, its documents as far as this person may read them now; None if none is kept."""
        kept = [path for path in report_files(self.home) if path.name == f"{GAPS}-{report_day(path).isoformat()}.json"]
        found = _report(kept[-1]) if kept else None
        if found is None:
            return None
        seen = self.readable(person)
        rows = [{**gap, "documents": _among(seen, gap["documents"])} for gap in found["gaps"]]
        return {**found, "gaps": rows}

    @property
    def finds_gaps(self) -> bool:
        return self.gaps_now is not None

    def find_gaps(self, person: str) -> dict[str, Any]:
        """The gaps as of now, as they are told to this person; an act. Raises NotFound where it cannot, Overloaded."""
        if self.gaps_now is None:
            raise NotFound("this process holds no model to find gaps with", cure="run: vouch gaps")
        with NotedActs(self.ledger, self.clock)(person, "look for gaps"), self._alone():
            return self.gaps_now().report([person])

    def _drift(self) -> Drift | None:
        if (found := self.drift_watch.latest()) is not None:
            return found
        self.drift_watch.wait(_DRIFT_S)
        return self.drift_watch.latest()

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Questions are embedded for it: two such looks would slow down answers."""
        if not self._turn.acquire(blocking=False):
            raise Overloaded("somebody else has gaps looked for at this moment", cure="try again in a minute")
        try:
            yield
        finally:
            self._turn.release()


def _among(seen: Places, documents: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    return [one for one in documents if (one["source"], one["path"]) in seen]


def _report(path: Path) -> dict[str, Any] | None:
    """None for what is no such report."""
    try:
        report = json.loads(path.read_bytes())
        for gap in report["gaps"]:
            for name in ("title", "questions", "askers", "why", "before", "examples", "allowed_examples"):
                gap[name]
            for document in gap["documents"]:
                document["source"], document["path"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return report if isinstance(report, dict) else None
