"""Sources by their kind: how each is read, and how its changes are noticed."""

from collections.abc import Callable
from pathlib import Path

from vouch.adapters.ledger import Ledger, SourceRow
from vouch.adapters.sources.events.file import file_state
from vouch.adapters.sources.events.source import EventsSource
from vouch.adapters.sources.folder.source import FolderSource
from vouch.adapters.sources.git.repository import GitRepository
from vouch.adapters.sources.git.source import GitSource, read_place
from vouch.adapters.sources.watch import FolderWatch, PolledWatch
from vouch.errors import BadInput
from vouch.ports.ingestion import Source, Watch
from vouch.settings import Settings


def open_source(row: SourceRow, ledger: Ledger, settings: Settings) -> Source:
    """The source of that row. Raises BadInput for a kind that a newer vouch has made."""
    path, largest = Path(row.path), settings.ingest.max_document_bytes
    if row.kind == "folder":
        return FolderSource(row.name, path, ledger.stat_cache, largest, row.include, row.exclude)
    if row.kind == "git":
        return GitSource(row.name, *read_place(row.path), largest, row.include, row.exclude)
    if row.kind == "events":
        return EventsSource(row.name, path, largest)
    raise BadInput(f"source {row.name} is of kind {row.kind}, which this vouch does not know", cure="update vouch")


def watch_of(row: SourceRow, tell: Callable[[str], None], poll: bool) -> Watch:
    """What notices changes of this source."""
    if row.kind == "folder":
        return FolderWatch(Path(row.path), tell, poll=poll)
    if row.kind == "git":
        place, branch = read_place(row.path)
        repository = GitRepository(place)
        return PolledWatch(lambda: repository.tip(branch), tell)
    if row.kind == "events":
        return PolledWatch(lambda: file_state(Path(row.path).stat()), tell)
    raise BadInput(f"source {row.name}: nothing watches the kind {row.kind}", cure="remove it and add it again")


def watch_of_rules(row: SourceRow, ledger: Ledger, tell: Callable[[str], None]) -> Watch:
    """What notices edits of its access file, wherever that is by now: what they newly allow counts after a scan."""
    return PolledWatch(lambda: access_state(ledger, row.name), tell, tell_first=False)


def access_state(ledger: Ledger, name: str) -> tuple[object, ...]:
    """Differs whenever the source's access file is another one, or was written."""
    path = ledger.sources.get(name).access_path
    try:
        return (path, file_state(Path(path).stat()) if path else None)
    except OSError as error:
        return (path, error.errno)
