"""The shape of an ingest report that programs rely on."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from vouch.documents.document import RunReport
from vouch.wording import count

_SHOWN = 5


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
            "withdrawn": report.withdrawn,
            "still_quarantined": report.still_quarantined,
            "empty": report.empty,
        },
        "chunks": {
            "added": report.chunks_added,
            "removed": report.chunks_removed,
            "kept": report.chunks_kept,
        },
        "embedded": report.embedded,
        "seconds": report.seconds,
        "skipped": [{"source": s.source, "path": s.path, "reason": s.reason} for s in report.skipped],
        "notes": list(report.notes),
        "warnings": list(report.warnings),
        "problems": [{"source": p.source, "path": p.path, "reason": p.reason} for p in report.problems],
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


def summary(report: RunReport, seconds: float) -> str:
    """The line `vouch ingest` prints for one step, which took `seconds`: what is rare is named when it happened."""
    withdrawn = f"{report.withdrawn} withdrawn (unreadable)" if report.withdrawn else ""
    quarantined = report.quarantined + report.still_quarantined
    rare = ((report.empty, "empty"), (quarantined, "quarantined"), (len(report.skipped), "skipped"))
    documents = [
        f"{report.added} added", f"{report.changed} changed", f"{report.renamed} renamed",
        f"{report.removed} removed", withdrawn, f"{report.unchanged} unchanged",
        *(f"{number} {what}" if number else "" for number, what in rare),
    ]  # fmt: skip
    return (
        f"version {report.version}: {', '.join(filter(None, documents))}; {count(report.chunks_added, 'new passage')}, "
        f"{report.chunks_removed} removed, {report.chunks_kept} kept; {report.embedded} embedded; {seconds:.1f} s"
    )


def skipped_lines(report: RunReport) -> list[str]:
    """One line a source: how many files it has that are not read, by kind."""
    groups: dict[str, Counter[str]] = {}
    for skipped in report.skipped:
        groups.setdefault(skipped.source, Counter())[skipped.group] += 1
    return [
        f"{source}: {kinds.total()} skipped ({_kinds(kinds)}); vouch documents --skipped lists them"
        for source, kinds in sorted(groups.items())
    ]


def _kinds(kinds: "Counter[str]") -> str:
    ordered = sorted(kinds.items(), key=lambda item: (-item[1], item[0]))
    told = [f"{number} {kind}" for kind, number in ordered[:_SHOWN]]
    return ", ".join([*told, "…"] if ordered[_SHOWN:] else told)
