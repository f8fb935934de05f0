"""The guard against losing many documents at once, whatever takes them away."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

from flows.ingesting.plan import Plan
from vouch.adapters.sources.human_answers import NAME as HUMAN_ANSWERS
from vouch.documents.document import DocumentRecord
from vouch.errors import Guarded


@dataclass(frozen=True, slots=True)
class Loss:
    """Of the documents of a source, those that a step takes from its readers."""

    known: int
    removed: int = 0
    unreadable: int = 0
    emptied: int = 0

    @property
    def counted(self) -> int:
        """A single document that breaks stops nobody; many at once are rather a fault of the place."""
        withdrawn = self.unreadable + self.emptied
        return self.removed + (withdrawn if withdrawn > 1 else 0)

    def __str__(self) -> str:
        parts = ((self.removed, "removed"), (self.unreadable, "withdrawn as unreadable"), (self.emptied, "emptied"))
        told = " and ".join(f"{number} {what}" for number, what in parts if number)
        if self.counted == self.removed:
            return f"{self.removed} of {self.known} documents would be removed"
        return f"{self.counted} of {self.known} documents would be lost, {told}"


def excessive(plan: Plan, most: float, records: Sequence[DocumentRecord] = ()) -> dict[str, Guarded]:
    """Sources that would lose more than the share `most` of their documents; none where that is allowed.

    `records` are what the plan's changes were read as; without them it is not known what cannot be read.
    """
    if plan.allow_removals:
        return {}
    # What goes from there was withdrawn by an owner or has expired, as the ledger says.
    kept_by_itself = {HUMAN_ANSWERS}
    known, mine = defaultdict[str, set[str]](set), defaultdict[str, list[DocumentRecord]](list)
    for header in plan.parent.headers if plan.parent else ():
        known[header.source].add(header.path)
    for record in records:
        mine[record.source].append(record)
    before, names = _before(plan), plan.scans.keys() - plan.begun_anew - kept_by_itself
    lost = {name: _loss(plan, name, known[name], mine[name], before) for name in plan.scans if name in names}
    return {
        name: Guarded(
            f"{loss}, more than {most:.0%}",
            cure="if that is right, run again with --allow-removals; vouch ingest --dry-run names them",
        )
        for name, loss in lost.items()
        if loss.known and loss.counted / loss.known > most
    }


def withdrawn(plan: Plan, records: Iterable[DocumentRecord]) -> list[DocumentRecord]:
    """Those of `records` that cannot be read, and could be in the version before."""
    before = _before(plan)
    return [r for r in records if r.state == "quarantined" and before(r)]


def _loss(
    plan: Plan, name: str, known: Collection[str], mine: Sequence[DocumentRecord],
    before: Callable[[DocumentRecord], bool],
) -> Loss:  # fmt: skip
    changes = plan.scans[name].changes
    kept = {path for change in changes if change.operation != "remove" for path in (change.path, change.old_path)}
    gone = set(known) - kept if plan.rebuild else {change.path for change in changes if change.operation == "remove"}
    emptied = sum(r.state == "indexed" and not r.chunks and before(r) for r in mine)
    return Loss(len(known), len(gone), sum(r.state == "quarantined" and before(r) for r in mine), emptied)


def _before(plan: Plan) -> Callable[[DocumentRecord], bool]:
    """Tells of a record whether the version before has words of that document, perhaps at another path."""
    held = {header.place: header for header in plan.parent.headers} if plan.parent else {}
    came = {(name, change.path): change.old_path for name, change in plan.changes}

    def had_words(record: DocumentRecord) -> bool:
        former = held.get((record.source, came.get((record.source, record.path)) or record.path))
        return former is not None and former.chunks > 0

    return had_words
