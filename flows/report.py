"""The shape of an ingest report that programs rely on."""

from collections.abc import Mapping
from typing import Any

from vouch.documents.document import RunReport


def report_row(report: RunReport) -> dict[str, Any]:
    """The JSON object `vouch ingest --json` prints for one step."""
    return {
        "version": report.version,
        "documents": {
            "added": report.added,
            "changed": report.changed,
            "renamed": report.renamed,
            "removed": report.removed,
            "unchanged": report.unchanged,
            "quarantined": report.quarantined,
        },
        "chunks": {
            "added": report.chunks_added,
            "removed": report.chunks_removed,
            "kept": report.chunks_kept,
        },
        "embedded": report.embedded,
        "seconds": report.seconds,
        "skipped": [{"path": s.path, "reason": s.reason} for s in report.skipped],
        "notes": list(report.notes),
        "problems": [{"path": p.path, "reason": p.reason} for p in report.problems],
    }


def counts_only(row: Mapping[str, Any]) -> dict[str, Any]:
    """The numbers of such an object in one flat row, for places where others may read: no name and no reason."""
    flat: dict[str, Any] = {}
    for key, value in row.items():
        if isinstance(value, Mapping):
            flat.update({f"{key} {name}": number for name, number in value.items()})
        elif isinstance(value, list):
            flat[key] = len(value)
        elif value is None or isinstance(value, int | float):
            flat[key] = value
    return flat
