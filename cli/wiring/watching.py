"""What notices changes of documents, and what tells the log of them."""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path

from cli.notices import Notices
from cli.wiring.home import home_and_ledger
from cli.wiring.settings import command_settings
from consumers.vitals import Vitals
from consumers.wiring.clock import now
from consumers.wiring.log import build_log
from consumers.wiring.standing import watch_shown
from vouch.adapters.git.repository import GitRepository
from vouch.adapters.ledger import Ledger, SourceRow
from vouch.adapters.sources.events_file import file_state
from vouch.adapters.sources.git import read_place
from vouch.adapters.watching.folder import FolderWatch
from vouch.adapters.watching.polled import PolledWatch
from vouch.ports.watch import Watch


@contextmanager
def open_notices() -> Iterator[Notices]:
    settings = command_settings()
    home, ledger = home_and_ledger(settings)
    with closing(ledger), closing(build_log(settings, home).producer()) as producer:
        vitals = Vitals()
        yield Notices(ledger, producer, now, vitals, partial(watch_shown, settings, home, vitals))


def watch_of_rules(row: SourceRow, ledger: Ledger, tell: Callable[[str], None]) -> Watch:
    """What notices edits of its access file, wherever that is by now: what they newly allow counts after a scan."""
    return PolledWatch(lambda: _access_state(ledger, row.name), tell, tell_first=False)


def _access_state(ledger: Ledger, name: str) -> tuple[object, ...]:
    path = ledger.sources.get(name).access_path
    try:
        return (path, file_state(Path(path).stat()) if path else None)
    except OSError as error:
        return (path, error.errno)


def watch_of(row: SourceRow, tell: Callable[[str], None], poll: bool) -> Watch:
    """What notices changes of this source."""
    if row.kind == "folder":
        return FolderWatch(Path(row.path), tell, poll=poll)
    if row.kind == "git":
        place, branch = read_place(row.path)
        repository = GitRepository(place)
        return PolledWatch(lambda: repository.tip(branch), tell)
    return PolledWatch(lambda: file_state(Path(row.path).stat()), tell)
