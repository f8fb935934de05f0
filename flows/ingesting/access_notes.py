"""What an ingest report says of the permissions of the sources it looked at."""

from collections.abc import Iterable, Sequence

from flows.ingesting.plan import Plan
from flows.shared.components import IngestComponents
from indexers.parts.document_parts import Header
from vouch.access_check.sources import source_warnings
from vouch.adapters.sources.access_on_disk import stray_access_files
from vouch.documents.document import DocumentRecord, Skipped
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
        f"{name}: {told}"
        for name in concerned
        for told in source_warnings(permissions, name, documents, stray_access_files(_paths(plan.scans[name].skipped)))
    ]


def _others(plan: Plan, name: str, records: Iterable[DocumentRecord]) -> bool:
    """Whether the documents of the source are others, or narrow themselves otherwise, than before the step."""
    held = {h.path: (h.state, h.narrowed) for h in plan.base.headers if h.source == name} if plan.base else {}
    if any(c.operation != "upsert" or c.old_path or c.path not in held for c in plan.scans[name].changes):
        return True
    return any(r.source == name and held.get(r.path) != (r.state, r.narrowed) for r in records)


def _paths(skipped: Iterable[Skipped]) -> list[str]:
    return [one.path for one in skipped]
