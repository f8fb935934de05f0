"""How long things are kept, and what becomes of them afterwards. Nothing that waits for anybody is deleted."""

from contextlib import nullcontext
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from flows.purging.forgetting import finish_purges, log_unproven
from flows.runs.run import sole_run
from flows.shared.components import IngestComponents
from flows.shared.home_files.evaluation_reports import expire_evaluations
from flows.shared.home_files.folders import expire_searches
from flows.shared.home_files.weekly_reports import expire_reports
from flows.shared.noted_runs import noted
from flows.shared.reporting import Progress, silent
from vouch.adapters.sources.human_answers import HumanAnswers

_STAGES = ("answers", "log", "index", "purges")


@dataclass(frozen=True, slots=True)
class Retention:
    """How long they are kept: `answers` with their questions, candidates, votes and labels, and as long what people
    judged, drafts of documents that came to nothing, and messages nobody could handle; `log` messages that all their
    readers have done; `inbox` ids of answered questions; `reports` the reports of gaps and days; `evaluations` the
    reports of evaluations, of which the newest are kept whatever their age."""

    answers: timedelta
    log: timedelta
    inbox: timedelta
    reports: timedelta = timedelta(days=62)
    evaluations: timedelta = timedelta(days=365)


@dataclass(frozen=True, slots=True)
class Tidied:
    """What was deleted or, in a dry run, would be. `purges` are the documents whose purge was brought to its end,
    `searches` files of trainings that were cut off."""

    answers: int
    candidates: int
    votes: int
    labels: int
    inbox: int
    messages: int
    purges: tuple[str, ...]
    versions: tuple[int, ...]
    folders: int
    bytes: int
    reports: int = 0
    drafts: int = 0
    searches: int = 0
    evaluations: int = 0

    def row(self) -> dict[str, Any]:
        """The JSON object `vouch tidy --json` prints."""
        return {
            "answers": self.answers,
            "candidates": self.candidates,
            "votes": self.votes,
            "labels": self.labels,
            "inbox": self.inbox,
            "messages": self.messages,
            "reports": self.reports,
            "drafts": self.drafts,
            "searches": self.searches,
            "evaluations": self.evaluations,
            "purges": list(self.purges),
            "index": {"versions": list(self.versions), "folders": self.folders, "bytes": self.bytes},
        }


def tidy_up(
    components: IngestComponents, retention: Retention, now: datetime, *, dry_run: bool = False,
    progress: Progress = silent,
) -> Tidied:
    """Lets go of what is old enough, ends purges that were killed, and sweeps the index.

    Safe to repeat and to kill. Raises Busy if a purge must be gone on with
    beside an ingest, Damaged if one cannot be proven.
    """
    with nullcontext() if dry_run else noted(components.ledger, "tidy"):
        return _tidy_up(components, retention, now, dry_run, progress)


def _tidy_up(
    components: IngestComponents, retention: Retention, now: datetime, dry_run: bool, progress: Progress
) -> Tidied:
    def stage(name: str) -> None:
        progress("tidying up", _STAGES.index(name) + 1, len(_STAGES))

    stage("answers")
    if not dry_run:
        HumanAnswers(components.home, components.ledger).settle(now)
    expiry = components.ledger.expiry
    look_or_do = expiry.expired if dry_run else expiry.expire
    gone = look_or_do(now - retention.answers, now - retention.inbox)
    reports = expire_reports(components.home, (now - retention.reports).date(), dry_run=dry_run)
    searches = expire_searches(components.home, now, dry_run=dry_run)
    evaluated = expire_evaluations(components.home, now - retention.evaluations, dry_run=dry_run)
    stage("log")
    messages = _messages(components, retention, now, dry_run)
    stage("index")
    swept = components.store.sweep(dry_run=dry_run)
    stage("purges")
    purges = _purges(components, dry_run)
    return Tidied(
        gone.answers, gone.candidates, gone.votes, gone.labels, gone.inbox, messages, purges, swept.retired,
        len(swept.deleted), swept.bytes, reports, gone.drafts, searches, evaluated,
    )


def _messages(components: IngestComponents, retention: Retention, now: datetime, dry_run: bool) -> int:
    keeper = components.messages
    before, dead_before = _milliseconds(now - retention.log), _milliseconds(now - retention.answers)
    return keeper.expired(before, dead_before) if dry_run else keeper.expire(before, dead_before)


def _purges(components: IngestComponents, dry_run: bool) -> tuple[str, ...]:
    rows = components.ledger.purges.unfinished()
    if not rows:
        return ()
    if not dry_run:
        with sole_run(components.home):
            log_unproven(finish_purges(components))
    return tuple(f"{row.source}:{row.path}" for row in rows)


def _milliseconds(moment: datetime) -> int:
    return int(moment.timestamp() * 1000)
