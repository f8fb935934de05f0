"""The kinds of source there are: how each finds its place, is read, and is watched. Nothing else asks for a kind."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from vouch.adapters.ledger import SourceRow
from vouch.adapters.sources.events.file import file_state
from vouch.adapters.sources.events.source import EventsSource
from vouch.adapters.sources.folder.source import FolderSource, StatCache
from vouch.adapters.sources.folder.walk import list_folder, open_root
from vouch.adapters.sources.git.repository import GitRepository
from vouch.adapters.sources.git.source import GitSource, git_place, read_place
from vouch.adapters.sources.watch import FolderWatch, PolledWatch
from vouch.errors import BadInput, Usage
from vouch.ports.ingestion import Source, Watch

Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class SourceKind:
    """`what` is there is said in messages. `open` is given the most bytes of a document; `watch`, whether to poll.

    `named` is how the ledger names a place and a branch, and `place` reads that.
    A purge searches all of the home but what is at `place`: there the documents
    are the owner's own. `patterns`: it takes --include and --exclude. `files`:
    its documents are files below its place, and these stand there now. Such a
    source may have an access file of its own there, and takes uploads.
    """

    what: str
    is_there: Callable[[Path], bool]
    open: Callable[[SourceRow, StatCache, int], Source]
    watch: Callable[[SourceRow, Tell, bool], Watch]
    named: Callable[[Path, str | None], str] = lambda path, _: str(path)
    place: Callable[[str], tuple[Path, str | None]] = lambda named: (Path(named), None)
    branches: bool = False
    patterns: bool = True
    files: Callable[[Path], list[str]] | None = None


def kind_of(row: SourceRow) -> SourceKind:
    """Raises BadInput for a kind that a newer vouch has made."""
    if row.kind not in SOURCES:
        raise BadInput(f"source {row.name} is of kind {row.kind}, which this vouch does not know",
                       cure=f"update vouch, or remove it: vouch source remove {row.name}")
    return SOURCES[row.kind]


def kind_named(name: str) -> SourceKind:
    """Raises Usage for a name that a person has chosen, and no kind has."""
    if name not in SOURCES:
        raise Usage(f"{name!r} is not a kind of source", cure=f"choose one of {', '.join(SOURCES)}")
    return SOURCES[name]


def _folder(row: SourceRow, cache: StatCache, largest: int) -> Source:
    return FolderSource(row.name, Path(row.path), cache, largest, row.include, row.exclude)


def _folder_watch(row: SourceRow, tell: Tell, poll: bool) -> Watch:
    return FolderWatch(Path(row.path), tell, poll=poll)


def _files(root: Path) -> list[str]:
    with open_root(root) as folder:
        return sorted(list_folder(folder).files)


def _events(row: SourceRow, _: StatCache, largest: int) -> Source:
    return EventsSource(row.name, Path(row.path), largest)


def _states(row: SourceRow, tell: Tell, _: bool) -> Watch:
    return PolledWatch(lambda: file_state(Path(row.path).stat()), tell)


def _git(row: SourceRow, _: StatCache, largest: int) -> Source:
    return GitSource(row.name, *read_place(row.path), largest, row.include, row.exclude)


def _tips(row: SourceRow, tell: Tell, _: bool) -> Watch:
    place, branch = read_place(row.path)
    repository = GitRepository(place)
    return PolledWatch(lambda: repository.tip(branch), tell)


SOURCES = {
    "folder": SourceKind("folder", Path.is_dir, _folder, _folder_watch, files=_files),
    "events": SourceKind("file", Path.is_file, _events, _states, patterns=False),
    "git": SourceKind("git repository", Path.exists, _git, _tips, git_place, read_place, branches=True),
}
