"""What an ingest report says of the permissions of the sources it looked at."""

from collections.abc import Iterable, Mapping, Sequence

from flows.machines import Machines
from indexers.parts import Header
from vouch.access_check.sources import source_warnings
from vouch.adapters.sources.access_on_disk import stray_access_files
from vouch.documents.document import Skipped
from vouch.errors import VouchError
from vouch.ports.source import Scan


def access_notes(machines: Machines, scans: Mapping[str, Scan]) -> list[str]:
    """Rules without effect, names that nobody has, and documents that nobody may read, in the version served now."""
    try:
        version = machines.store.open_current(documents_only=True)
        documents: Sequence[Header] = tuple(version.documents()) if version else ()
        permissions = machines.ledger.access.permissions()
    except VouchError as error:         # what was published stays published
        return [f"permissions were not looked at: {error}"]
    return [
        f"{name}: {told}"
        for name, scan in scans.items()
        for told in source_warnings(permissions, name, documents, stray_access_files(_paths(scan.skipped)))
    ]


def _paths(skipped: Iterable[Skipped]) -> list[str]:
    return [one.path for one in skipped]
