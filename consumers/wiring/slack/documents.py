"""Whether there is anything to answer from: documents, and people who may read one of them."""

from collections.abc import Sequence
from contextlib import closing
from typing import TYPE_CHECKING

from composition.storage import open_live_index, open_storage
from consumers.process import now
from vouch.access import Permissions
from vouch.access_check.rules import Placed, Readers
from vouch.access_check.sources import rules_cure
from vouch.errors import NotFound
from vouch.plurals import count
from vouch.settings import Settings

if TYPE_CHECKING:
    from bots.slack.setup import Found


def documents_found(settings: Settings) -> "Found":
    from bots.slack.setup import Found

    storage = open_storage(settings)
    with closing(storage.ledger):
        held = [one for one in open_live_index(settings, storage).version().documents() if one.chunks > 0]
        permissions = storage.permissions.permissions()
    if not held:
        raise NotFound("no document is in the index", cure="vouch source add, then vouch ingest")
    told = f"{count(len(held), 'document')} in the index"
    if not _anybody(permissions, held):
        raise NotFound(f"{told}, and nobody of the directory may read any", cure=_cure(permissions, held))
    return Found(told)


def _anybody(permissions: Permissions, documents: Sequence[Placed]) -> bool:
    readers = Readers(permissions, now())
    return any(may.public or may.people for may in map(readers.of, documents))


def _cure(permissions: Permissions, documents: Sequence[Placed]) -> str:
    books = permissions.rulebooks
    if permissions.unreadable:
        return f"{rules_cure(books)}; then vouch ingest"
    if _anybody(Permissions.settled(permissions.epoch, books, permissions.directory), documents):
        return "vouch ingest: what an access file newly allows counts once all was read under it"
    return "vouch access check SOURCE tells whom its access file names, and whom the directory has"
