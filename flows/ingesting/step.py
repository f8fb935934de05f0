"""One ingest step: a plan carried out batch by batch, then published once.

The step's parts are plain calls that may be repeated, so that a Prefect flow
can make tasks of them: `batches`, `prepare_batch` for each, then `publish`.
"""

import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property, partial

from flows.ingesting.guards import excessive
from flows.ingesting.plan import Plan
from flows.ingesting.prepare import Prepared, SourceFailed, embed_missing, prepare
from flows.ingesting.report import counts
from flows.shared.components import IngestComponents
from flows.shared.reporting import Progress, StepProgress, report_row, silent
from indexers.publishing.index_store import Published
from vouch.batches import batches
from vouch.documents.document import Change, DocumentRecord, RunReport
from vouch.errors import VouchError

_LOGGER = logging.getLogger("vouch.flows")
Batch = Sequence[tuple[str, Change]]


@dataclass
class Step:
    components: IngestComponents
    plan: Plan
    progress: Progress = silent
    prepared: dict[int, list[Prepared]] = field(default_factory=dict)
    embedded: int = 0
    started: float = field(default_factory=time.monotonic)

    @cached_property
    def _far(self) -> StepProgress:
        documents = sum(change.operation != "remove" for _, change in self.plan.changes)
        return StepProgress(self.progress, documents, self.components.limits.batch_documents)

    def batches(self) -> list[Batch]:
        changes = [(source, c) for source, c in self.plan.changes if c.operation != "remove"]
        return list(batches(changes, self.components.limits.batch_documents))

    def prepare_batch(self, number: int, batch: Batch) -> None:
        """Parses, chunks and embeds a batch. Safe to repeat: finished embeddings are found again."""
        records = self.read_batch(number, batch)
        self.embedded += embed_missing(self.components, records, partial(self._far.embedded, number))

    def read_batch(self, number: int, batch: Batch) -> list[DocumentRecord]:
        """Parses and chunks a batch for `publish`, which finds vectors only for what was embedded by then.

        A source that fails meanwhile is among the plan's failures from now on: no more is read of it, and nothing
        published. Raises what it fails with if everything is built anew.
        """
        refused = self.components.ledger.purges.refused().hashes
        rows = []
        for done, (source, change) in enumerate(batch, 1):
            row = self._prepared(source, change)
            if row is not None and row.record.hash not in refused:  # it may have turned into what was purged
                rows.append(row)
            self._far.read(number, done)
        self.prepared[number] = rows
        return [row.record for row in rows if row.record.source in self.plan.scans]

    def _prepared(self, source: str, change: Change) -> Prepared | None:
        """None if its source has failed."""
        if source not in self.plan.scans:
            return None
        try:
            return prepare(self.components, self.plan.base, source, change)
        except SourceFailed as failed:
            self.plan = self.plan.without({source: failed.cause})
            return None

    def publish(self) -> RunReport:
        """Makes the step's result the current version. Raises Conflict if somebody published the same in between, and
        what the gate raises.

        A source that would lose too much is left out, and among the plan's failures from now on.
        """
        if self.plan.base is not None:
            self.plan.base.check()      # a file damaged since it was opened is not carried over
        self._far.publishes()
        self.leave_out_what_is_guarded()
        if self.plan.empty:
            return self.unpublished()
        rows = self._rows
        published = self.components.store.publish(
            self.plan.base,
            changed=[row.record for row in rows],
            moved={(r.record.source, r.record.path): r.old_path for r in rows if r.old_path is not None},
            removed=self._removed(rows),
            cursors={**self._kept_cursors(), **{name: scan.cursor for name, scan in self.plan.scans.items()}},
            fingerprints=self.components.fingerprints,
            vectors=self.components.vectors.get,
            parent=self.plan.pointer,
            gate=self.components.gate,
        )
        report = self._report(published)
        self.components.ledger.runs.add(report_row(report), datetime.now(UTC))
        self._sweep()
        return report

    def leave_out_what_is_guarded(self) -> None:
        """Once all is read it is known what cannot be: it counts like what was removed."""
        self.plan = self.plan.without(excessive(self.plan, self.components.limits.max_removed_share, self.records))

    @property
    def records(self) -> list[DocumentRecord]:
        return [row.record for row in self._rows]

    @property
    def _rows(self) -> list[Prepared]:
        return [row for number in sorted(self.prepared) for row in self.prepared[number]
                if row.record.source in self.plan.scans]

    def _sweep(self) -> None:
        """Tidies up. What fails here takes nothing back: the version is published."""
        try:
            self.components.store.sweep_if_due()
        except VouchError as error:
            _LOGGER.error("the sweep stopped: %s", error)

    def unpublished(self) -> RunReport:
        """The report of a plan not carried out, because it is empty or a dry run."""
        current = self.plan.parent.number if self.plan.parent else None
        held = self.plan.base.manifest.counts.chunks if self.plan.base and self.plan.empty else 0
        return replace(self._counted(current), chunks_kept=held)

    def _removed(self, rows: list[Prepared]) -> list[tuple[str, str]]:
        gone = [(s, c.path) for s, c in self.plan.changes if c.operation == "remove"]
        gone += [(r.record.source, r.old_path) for r in rows if r.old_path is not None]
        written = {(r.record.source, r.record.path) for r in rows}
        return [place for place in dict.fromkeys([*gone, *self.plan.orphans]) if place not in written]

    def _kept_cursors(self) -> dict[str, dict[str, object]]:
        held = self.plan.base.manifest.cursors if self.plan.base else {}
        return {name: dict(cursor) for name, cursor in held.items() if name in self.plan.sources}

    def _report(self, published: Published) -> RunReport:
        return replace(
            self._counted(published.version),
            chunks_added=published.chunks_added,
            chunks_removed=published.chunks_removed,
            chunks_kept=published.chunks_kept,
        )

    def _counted(self, version: int | None) -> RunReport:
        found = counts(self.components, self.plan, version, self.records)
        return replace(found, embedded=self.embedded, seconds=round(time.monotonic() - self.started, 3))
