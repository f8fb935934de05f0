"""How a run tells of itself: how far it is, which sources were left, and its report."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from vouch.documents.document import RunReport
from vouch.errors import VouchError
from vouch.plurals import count

Progress = Callable[[str, int, int], None]
"""Called with what is being done, how much of the work is done, and how much there is; 0 where that is not known."""

_READ, _EMBED, _PUBLISH = 1, 9, 1       # what a document takes of each, roughly


def silent(stage: str, done: int, total: int) -> None:
    """A listener for runs that nobody watches."""


@dataclass(frozen=True, slots=True)
class StepProgress:
    """How far a whole step is: all of it, whatever is just done, told on one scale.

    Batches hold `batch` documents of the `documents` there are, the last one what is left.
    """

    tell: Progress
    documents: int
    batch: int

    def read(self, number: int, done: int) -> None:
        """Of batch `number`, from 0 on, `done` documents are read."""
        before = number * self.batch
        self._say(f"reading {before + done} of {self.documents} documents", before * (_READ + _EMBED) + done * _READ)

    def embedded(self, number: int, done: int, total: int) -> None:
        """Of what batch `number` must have embedded, `done` of `total` passages are."""
        before = number * self.batch
        size = min(self.batch, self.documents - before)
        share = size * _EMBED * done // total if total else size * _EMBED
        told = f"embedding {done} of {total} passages" if total else "nothing to embed"
        self._say(told, before * (_READ + _EMBED) + size * _READ + share)

    def publishes(self) -> None:
        self._say("publishing", self.documents * (_READ + _EMBED))

    def _say(self, stage: str, done: int) -> None:
        self.tell(stage, done, max(self.documents, 1) * (_READ + _EMBED + _PUBLISH))


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


def failure_of(failures: Mapping[str, VouchError]) -> VouchError:
    """One error for all of them, of the kind of the first: it names each source with the cause and its cure."""
    causes = [f"source {name} was left as it was: {error.cause}" for name, error in failures.items()]
    errors = list(failures.values())
    if len(errors) == 1:
        return _like(errors[0], causes[0], errors[0].cure)
    told = [f"{cause} ({error.cure})" if error.cure else cause for cause, error in zip(causes, errors, strict=True)]
    return _like(errors[0], "; ".join(told), "then run again: vouch ingest " + " ".join(failures))


def _like(error: VouchError, cause: str, cure: str) -> VouchError:
    made = type(error)(cause, cure=cure)
    made.__cause__ = error
    return made
