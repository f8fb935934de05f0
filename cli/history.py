"""The versions of the index as administrators look at and change them."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from flows.run import sole_run
from indexers.publish import IndexStore, Published
from vouch.adapters.ledger import Hold, Ledger
from vouch.errors import Guarded

_SHOWN = 5


@dataclass(frozen=True)
class History:
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

    def rollback(self, number: int, *, allow_widening: bool = False) -> int:
        """The new version with the content of `number`; ingestion is held.

        Raises Busy beside an ingest, and Guarded if documents were narrowed since, unless that is allowed.
        """
        with sole_run(self.home):
            if not allow_widening:
                _guard_widening(self.store.widened_by(number), number)
            return self.store.rollback(number)

    def cure(self, damaged: int) -> str:
        """What to do about a damaged version."""
        numbers = [row.number for row in self.ledger.versions.rows() if row.state == "published"]
        sound = next((n for n in reversed(numbers) if n != damaged and not self.store.verify(n)), None)
        rebuild = "vouch rebuild makes the index anew from its sources"
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


def _guard_widening(places: list[tuple[str, str]], number: int) -> None:
    """A rollback brings back texts as they were, and what a text says of its own readers is part of it."""
    if places:
        names = ", ".join(_place(*place) for place in places[:_SHOWN])
        more = f" and {len(places) - _SHOWN} more" if places[_SHOWN:] else ""
        raise Guarded(
            f"texts have been narrowed by their own words since version {number}: {names}{more}",
            cure="hide them by a rule of the access file, then run again with --allow-widening",
        )


def _told(report: Mapping[str, Any] | None) -> str:
    """What the ingest that made a version changed; empty for a version that no ingest made."""
    if report is None:
        return ""
    kinds = ("added", "changed", "renamed", "removed")
    told = ", ".join(f"{report['documents'][kind]} {kind}" for kind in kinds if report["documents"].get(kind))
    return told or "no document"


def _hold_row(hold: Hold) -> dict[str, Any]:
    since, told = hold.at.isoformat(), f"ingestion is {hold}"
    return {"version": hold.version, "content_of": hold.content_of, "since": since, "told": told}


def _place(source: str, path: str) -> str:
    return f"{source}:{path}"
