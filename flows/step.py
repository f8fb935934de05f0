"""One ingest step: a plan carried out batch by batch, then published once.

The step's parts are plain calls, so that a Prefect flow and a direct run do
exactly the same: `batches`, then `prepare_batch` for each, then `publish`.
"""

import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from flows.embed import embed_missing
from flows.machines import Machines
from flows.plan import Plan
from flows.prepare import Prepared, prepare
from flows.progress import Progress, silent
from flows.report import report_row
from indexers.publish import Published
from vouch.documents.document import Change, DocumentRecord, Quarantined, RunReport
from vouch.errors import Unavailable, VouchError

_LOGGER = logging.getLogger("vouch.flows")
Batch = Sequence[tuple[str, Change]]


@dataclass
class Step:
    machines: Machines
    plan: Plan
    progress: Progress = silent
    prepared: dict[int, list[Prepared]] = field(default_factory=dict)
    embedded: int = 0
    stopped: bool = False
    started: float = field(default_factory=time.monotonic)

    def batches(self) -> list[Batch]:
        changes = [(source, c) for source, c in self.plan.changes if c.operation != "remove"]
        size = self.machines.limits.batch_documents
        return [changes[i : i + size] for i in range(0, len(changes), size)]

    def prepare_batch(self, number: int, batch: Batch) -> None:
        """Parses, chunks and embeds a batch. Safe to repeat: finished embeddings are found again."""
        records, stage = self.read_batch(number, batch), f"embed batch {number + 1}"
        self.embedded += embed_missing(self.machines, records, lambda done, total: self._tell(stage, done, total))

    def read_batch(self, number: int, batch: Batch) -> list[DocumentRecord]:
        """Parses and chunks a batch for `publish`, which finds vectors only for what was embedded by then."""
        refused = self.machines.ledger.purges.refused().hashes
        rows = []
        for done, (source, change) in enumerate(batch, 1):
            row = prepare(self.machines, self.plan.base, source, change)
            if row.record.hash not in refused:      # a file may have turned into what was purged since the scan
                rows.append(row)
            self._tell(f"read batch {number + 1}", done, len(batch))
        self.prepared[number] = rows
        return [row.record for row in rows]

    def stop(self) -> None:
        """A `prepare_batch` under way in another thread ends at its next sign of progress; finished work is kept."""
        _LOGGER.warning("stopping, as soon as the texts at hand are embedded")
        self.stopped = True

    def _tell(self, stage: str, done: int, total: int) -> None:
        if self.stopped:
            raise Unavailable("the run was stopped", cure="run it again: finished work is kept")
        self.progress(stage, done, total)

    def publish(self) -> RunReport:
        """Makes the step's result the current version. Raises Conflict if somebody published the same in between."""
        if self.plan.base is not None:
            self.plan.base.check()      # planning read the documents only; a damaged segment is not carried over
        rows = [row for number in sorted(self.prepared) for row in self.prepared[number]]
        published = self.machines.store.publish(
            self.plan.base,
            changed=[row.record for row in rows],
            moved={(r.record.source, r.record.path): r.old_path for r in rows if r.old_path is not None},
            removed=self._removed(rows),
            cursors={**self._kept_cursors(), **{name: scan.cursor for name, scan in self.plan.scans.items()}},
            fingerprints=self.machines.fingerprints,
            vectors=self.machines.vectors.get,
            parent=self.plan.parent.number if self.plan.parent else None,
        )
        report = self._report([row.record for row in rows], published)
        self.machines.ledger.runs.add(report_row(report), datetime.now(UTC))
        self._sweep()
        return report

    def _sweep(self) -> None:
        """Tidies up. What fails here takes nothing back: the version is published."""
        try:
            self.machines.store.sweep_if_due()
        except VouchError as error:
            _LOGGER.error("the sweep stopped: %s", error)

    def unpublished(self) -> RunReport:
        """The report of a plan not carried out, because it is empty or a dry run."""
        current = self.plan.parent.number if self.plan.parent else None
        counts = self._counts(current, [])
        held = self.plan.base.manifest.counts.chunks if self.plan.base and self.plan.empty else 0
        return replace(counts, chunks_kept=held)

    def _removed(self, rows: list[Prepared]) -> list[tuple[str, str]]:
        gone = [(s, c.path) for s, c in self.plan.changes if c.operation == "remove"]
        gone += [(r.record.source, r.old_path) for r in rows if r.old_path is not None]
        written = {(r.record.source, r.record.path) for r in rows}
        return [place for place in dict.fromkeys([*gone, *self.plan.orphans]) if place not in written]

    def _kept_cursors(self) -> dict[str, dict[str, object]]:
        held = self.plan.base.manifest.cursors if self.plan.base else {}
        return {name: dict(cursor) for name, cursor in held.items() if name in self.plan.sources}

    def _notes(self) -> tuple[str, ...]:
        """What the plan notes, and that documents stay quarantined: this run names only those it tried."""
        tried = {(source, path) for source, c in self.plan.changes for path in (c.path, c.old_path)}
        still = [d for d in (self.plan.base.documents() if self.plan.base else ())
                 if d.state == "quarantined" and d.source in self.plan.scans and d.place not in tried]
        notes = (*self.plan.notes, *self._waiting())
        if not still:
            return notes
        return (*notes, f"still quarantined since earlier runs: {len(still)}; vouch documents tells why")

    def _waiting(self) -> tuple[str, ...]:
        """Of sources that this run does not scan as a whole: what their rules newly allow only such a scan grants."""
        held = self.machines.ledger.access.permissions()
        waiting = [name for name in sorted(self.plan.scans.keys() - self.plan.whole)
                   if name in held.rulebooks and held.scanned.get(name) != ()]
        return tuple(f"{name} was not looked at as a whole: what its rules newly allow counts after a run that does"
                     for name in waiting)

    def _report(self, records: list[DocumentRecord], published: Published) -> RunReport:
        counts = self._counts(published.version, records)
        return RunReport(
            **{
                **{name: getattr(counts, name) for name in counts.__dataclass_fields__},
                "chunks_added": published.chunks_added,
                "chunks_removed": published.chunks_removed,
                "chunks_kept": published.chunks_kept,
            }
        )

    def _counts(self, version: int | None, records: list[DocumentRecord]) -> RunReport:
        base = self.plan.base
        known = {name: base.known(name) if base else {} for name in self.plan.scans}
        changes = self.plan.changes
        broken = {(r.source, r.path): r for r in records if r.state == "quarantined"}
        upserts = [(s, c) for s, c in changes if c.operation == "upsert" and (s, c.path) not in broken]
        added = sum(c.path not in known[s] and c.old_path is None for s, c in upserts)
        return RunReport(
            version=version,
            added=added,
            changed=len(upserts) - added,
            renamed=sum(c.operation == "rename" and (s, c.path) not in broken for s, c in changes),
            removed=sum(c.operation == "remove" for _, c in changes) + len(self.plan.orphans),
            unchanged=sum(scan.unchanged for scan in self.plan.scans.values()),
            quarantined=len(broken),
            embedded=self.embedded,
            seconds=round(time.monotonic() - self.started, 3),
            skipped=self.plan.skipped,
            notes=self._notes(),
            problems=tuple(Quarantined(r.path, r.hash, r.reason) for r in broken.values()),
        )
