"""What a step changes, in numbers and in plain words, permissions included."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from flows.ingesting.guards import withdrawn
from flows.ingesting.plan import Plan
from flows.shared.components import IngestComponents
from indexers.parts.document_parts import Header
from vouch.access_check.sources import source_warnings
from vouch.adapters.sources.access_on_disk import stray_access_files
from vouch.documents.document import DocumentRecord, Quarantined, RunReport, Skipped
from vouch.errors import VouchError


def access_notes(components: IngestComponents, plan: Plan, records: Sequence[DocumentRecord]) -> list[str]:
    """Rules without effect, names that nobody has, and documents that nobody may read, in the version served now.

    Every path is matched with every rule for it, so the last step of a run
    tells it; and of a source of which only some documents were looked at, only
    when there are others now, or others are let in by what they say themselves.
    """
    concerned = [] if plan.more else [name for name in plan.scans if name in plan.whole or _others(plan, name, records)]
    if not concerned:
        return []
    try:
        version = components.store.open_current(documents_only=True)
        documents: Sequence[Header] = tuple(version.documents()) if version else ()
        permissions = components.ledger.access.permissions()
    except VouchError as error:         # what was published stays published
        return [f"permissions were not looked at: {error}"]
    return [
        f"{name}: {note}"
        for name in concerned
        for note in source_warnings(permissions, name, documents, stray_access_files(_paths(plan.scans[name].skipped)))
    ]


def _others(plan: Plan, name: str, records: Iterable[DocumentRecord]) -> bool:
    """Whether the documents of the source are others, or narrow themselves otherwise, than before the step."""
    held = {h.path: (h.state, h.narrowed) for h in plan.base.headers if h.source == name} if plan.base else {}
    if any(c.operation != "upsert" or c.old_path or c.path not in held for c in plan.scans[name].changes):
        return True
    return any(r.source == name and held.get(r.path) != (r.state, r.narrowed) for r in records)


def _paths(skipped: Iterable[Skipped]) -> list[str]:
    return [one.path for one in skipped]


def counts(
    components: IngestComponents, plan: Plan, version: int | None, records: Sequence[DocumentRecord]
) -> RunReport:
    """The report of `plan` as far as documents go; `records` are what its changes were read as."""
    known = {name: plan.base.known(name) if plan.base else {} for name in plan.scans}
    broken = {(r.source, r.path): r for r in records if r.state == "quarantined"}
    read = [(s, c) for s, c in plan.changes if c.operation != "remove" and (s, c.path) not in broken]
    upserts = [(s, c) for s, c in read if c.operation == "upsert"]
    added = sum(c.path not in known[s] and c.old_path is None for s, c in upserts)
    still = _still_quarantined(plan)
    return RunReport(
        version=version,
        added=added,
        changed=len(upserts) - added,
        renamed=len(read) - len(upserts),
        removed=sum(c.operation == "remove" for _, c in plan.changes) + len(plan.orphans),
        unchanged=sum(scan.unchanged for scan in plan.scans.values()) - still,
        quarantined=len(broken),
        withdrawn=len(withdrawn(plan, records)),
        still_quarantined=still,
        empty=sum(r.state == "indexed" and not r.chunks for r in records),
        skipped=plan.skipped,
        notes=(*plan.notes, *access_notes(components, plan, records), *_waiting(components, plan)),
        warnings=tuple(_warnings(components, plan)),
        problems=tuple(Quarantined(r.path, r.hash, r.reason, r.source) for r in broken.values()),
    )


def _waiting(components: IngestComponents, plan: Plan) -> list[str]:
    """Of sources that this run does not scan as a whole: what their rules newly allow only such a scan grants.

    The last step of a run tells it.
    """
    if plan.more:
        return []
    held = components.ledger.access.permissions()
    return [
        f"{name} was read only in part: newly allowed readers must wait for a full ingest"
        for name in sorted(plan.scans.keys() - plan.whole)
        if name in held.rulebooks and held.scanned.get(name) != ()
    ]


def _still_quarantined(plan: Plan) -> int:
    """Documents that earlier steps could not read, and that this one does not try."""
    tried = {(source, path) for source, c in plan.changes for path in (c.path, c.old_path)}
    return sum(header.state == "quarantined" and header.source in plan.scans and header.place not in tried
               for header in (plan.base.headers if plan.base else ()))


def _warnings(components: IngestComponents, plan: Plan) -> list[str]:
    told = [
        f"the access rules of source {name} cannot be read, so nobody may read its documents: {reason}"
        for name, reason in components.ledger.access.permissions().unreadable.items()
    ]
    if plan.damaged is not None and plan.parent is not None:
        told.append(f"version {plan.damaged} is damaged: this run goes on from version {plan.parent.number}")
    return told + [f"source {name} stays as it was: {error}" for name, error in plan.failures.items()]


@dataclass(frozen=True, slots=True)
class Difference:
    """What becomes of one document: add, change, rename, remove, or, unread, quarantine or withdraw."""

    what: str
    source: str
    path: str
    old_path: str | None = None
    reason: str | None = None


def differences(plan: Plan, records: Sequence[DocumentRecord]) -> list[Difference]:
    """One for each document that `plan` touches, in order of source and path."""
    lost = {(r.source, r.path) for r in withdrawn(plan, records)}
    broken = {(r.source, r.path): r.reason for r in records if r.state == "quarantined"}
    known = {name: plan.base.known(name) if plan.base else {} for name in plan.scans}
    rows = [Difference("remove", source, path) for source, path in plan.orphans]
    for source, change in plan.changes:
        document = (source, change.path)
        if document in broken:
            what = "withdraw" if document in lost else "quarantine"
        elif change.operation == "upsert":
            what = "change" if change.path in known[source] or change.old_path is not None else "add"
        else:
            what = change.operation
        rows.append(Difference(what, source, change.path, change.old_path, broken.get(document)))
    return sorted(rows, key=lambda one: (one.source, one.path))
