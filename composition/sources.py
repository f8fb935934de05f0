"""Sources by their kind: how each is read, and how its changes are noticed."""

from collections.abc import Callable
from pathlib import Path

from vouch.adapters.ledger import Ledger, SourceRow
from vouch.adapters.sources.events.file import file_state
from vouch.adapters.sources.kinds import kind_of
from vouch.adapters.sources.watch import PolledWatch
from vouch.ports.ingestion import Source, Watch
from vouch.settings import Settings


def open_source(row: SourceRow, ledger: Ledger, settings: Settings) -> Source:
    """The source of that row. Raises BadInput for a kind that a newer vouch has made."""
    return kind_of(row).open(row, ledger.stat_cache, settings.ingest.max_document_bytes)


def watch_of(row: SourceRow, tell: Callable[[str], None], poll: bool) -> Watch:
    """What notices changes of this source."""
    return kind_of(row).watch(row, tell, poll)


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
