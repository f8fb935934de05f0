"""The versions of the index as administrators look at and change them."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from flows.runs.run import sole_run
from indexers.parts.document_parts import Place
from indexers.publishing.index_store import IndexStore, Published
from vouch.access import Permissions
from vouch.adapters.ledger import Hold, Ledger
from vouch.errors import Guarded, NotFound

_SHOWN = 5


@dataclass(frozen=True)
class VersionService:
    home: Path
    ledger: Ledger
    store: IndexStore

    def rows(self) -> list[dict[str, Any]]:
        """All versions, oldest first."""
        current, hold = self.ledger.versions.current(), self.ledger.holds.current()
        reports = {run.report["version"]: run.report for run in self.ledger.runs.list(None)}
        return [
            {
                "version": row.number,
                "parent": row.parent,
                "state": row.state,
                "created_at": row.created_at.isoformat(),
                "told": _told(reports.get(row.number)),
                "current": row.number == current,
                "held_since": hold.at.isoformat() if hold and hold.version == row.number else None,
            }
            for row in self.ledger.versions.rows()
        ]

    def show(self, number: int) -> dict[str, Any]:
        """A version with the `report` of its ingest, None if no ingest made it. Raises NotFound."""
        found = next((row for row in self.rows() if row["version"] == number), None)
        if found is None:
            raise NotFound(f"there is no version {number}", cure="vouch versions list shows them")
        reports = (run.report for run in self.ledger.runs.list(None) if run.report["version"] == number)
        return {**found, "report": next(reports, None)}

    def rollback(
        self, number: int, permissions: Permissions, *, hide: bool = False, allow_widening: bool = False
    ) -> tuple[int, list[Place]]:
        """(the new version with the content of `number`, the documents hidden in it); ingestion is held.

        Documents that `permissions` would show to more readers than every later version did, raise Guarded, unless
        they are to be hidden from those, or that is allowed. Raises Busy beside an ingest.
        """
        with sole_run(self.home):
            wider = [] if allow_widening else self.wider(number, permissions)
            if wider and not hide:
                raise Guarded(_refused(wider, number), cure=_CURE)
            return self.store.rollback(number, allow_widening=allow_widening), wider

    def wider(self, number: int, permissions: Permissions) -> list[Place]:
        """Documents that going back to `number` would show to more readers than every later version did."""
        target, limits = self.store.open(number, documents_only=True), self.store.limits(number)
        return [
            h.place for h in target.documents()
            if h.place in limits and permissions.label(*h.place, h.narrowed, limits[h.place]).exceeds_limits
        ]

    def cure(self, damaged: int) -> str:
        """What to do about a damaged version."""
        numbers = [row.number for row in self.ledger.versions.rows() if row.state == "published"]
        sound = next((n for n in reversed(numbers) if n != damaged and not self.store.verify(n)), None)
        rebuild = "vouch rebuild builds the index again from its sources"
        if sound is None or damaged != self.ledger.versions.current():
            return rebuild if sound is None else "the current version is another one; nothing needs to be done"
        return f"vouch ingest goes on from version {sound}, which is sound; or {rebuild}"

    def hold(self) -> dict[str, Any] | None:
        """The rollback in force, None if there is none."""
        hold = self.ledger.holds.current()
        return _hold_row(hold) if hold else None

    def release(self) -> dict[str, Any]:
        """The hold that was in force until now. Raises NotFound if there was none."""
        return _hold_row(self.ledger.holds.release())

    def compact(self) -> Published | None:
        """The current content, published in as few files as possible. Raises Busy beside a purge or a rollback."""
        with sole_run(self.home, ()):
            return self.store.compact()

    def diff(self, older: int, newer: int) -> dict[str, Any]:
        diff = self.store.diff(older, newer)
        return {
            "older": older,
            "newer": newer,
            "added": [_place(*p) for p in diff.added],
            "changed": [_place(*p) for p in diff.changed],
            "renamed": [f"{s}:{old} -> {new}" for s, old, new in diff.renamed],
            "removed": [_place(*p) for p in diff.removed],
            "chunks": {"added": diff.chunks_added, "removed": diff.chunks_removed, "kept": diff.chunks_kept},
        }


_CURE = "--hide keeps them from those who lost them until the next ingest; --allow-widening shows them again"


def _refused(places: list[Place], number: int) -> str:
    """Texts come back where they were, and rules are those of now: together they may show what was hidden since."""
    names = ", ".join(_place(*place) for place in places[:_SHOWN])
    more = f" and {len(places) - _SHOWN} more" if places[_SHOWN:] else ""
    return (f"since version {number} these documents moved to where fewer may read, were narrowed, quarantined or "
            f"removed, or were changed before more people were let in, or that cannot be told: {names}{more}")


def _told(report: Mapping[str, Any] | None) -> str:
    """What the ingest that made a version changed; empty for a version that no ingest made."""
    if report is None:
        return ""
    kinds = ("added", "changed", "renamed", "removed")
    told = ", ".join(f"{report['documents'][kind]} {kind}" for kind in kinds if report["documents"].get(kind))
    return told or "no document"


def _hold_row(hold: Hold) -> dict[str, Any]:
    since, told = hold.at.isoformat(), f"ingests are {hold}"
    return {"version": hold.version, "content_of": hold.content_of, "since": since, "told": told}


def _place(source: str, path: str) -> str:
    return f"{source}:{path}"
