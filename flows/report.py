"""The shape of an ingest report that programs rely on."""

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
