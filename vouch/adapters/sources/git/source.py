"""A branch of a git repository as a source. The cursor is the commit that is done; no work tree is needed.

A scan costs one walk of the branch's history, the differences of the commits
since the cursor, and a read of each blob left standing by them, for its hash.
Content is loaded by blob, so a text is that of its commit, not of any disk.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from vouch.adapters.parsers.registry import too_large
from vouch.adapters.sources.events.file import Event
from vouch.adapters.sources.events.source import Fold
from vouch.adapters.sources.folder.patterns import IGNORE_FILE, MOST_BYTES, Selection, ignore_lines
from vouch.adapters.sources.folder.source import ACCESS_FILE
from vouch.adapters.sources.git.command import check_branch
from vouch.adapters.sources.git.repository import Commit, Entry, GitRepository
from vouch.documents.document import Change, Content, Skipped
from vouch.errors import BadInput, Unreadable, Usage
from vouch.ports.ingestion import Scan

_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_LINK, _SUBMODULE, _FILE = "120000", "160000", "100"
_MOST = 3_000_000
_PATTERNS = "patterns"                  # in the cursor: the digest of those by which its commit was read
_OTHER_PATTERNS = "what is included or excluded has changed; every document was compared"
_OPERATIONS = {"A": "add", "C": "add", "M": "modify", "T": "modify", "R": "rename", "D": "delete"}


def git_place(path: Path, branch: str | None) -> str:
    """How the ledger names a branch, by default the one that HEAD names now; no branch has a colon in its name.

    Raises Unavailable if no repository is there, BadInput if it has no such branch.
    """
    repository = GitRepository(path)
    branch = branch or repository.head()
    if branch is None:
        raise Usage(f"HEAD of {path} does not point to a branch", cure="name one with --branch")
    check_branch(branch)
    repository.tip(branch)
    return f"{path}:{branch}"


def read_place(place: str) -> tuple[Path, str]:
    path, _, branch = place.rpartition(":")
    return Path(path), branch


class GitSource:
    """Documents as the first-parent history of `branch` leaves them, at their paths in the repository."""

    def __init__(
        self, name: str, path: Path, branch: str, max_bytes: int,
        include: Sequence[str] = (), exclude: Sequence[str] = (),
    ) -> None:  # fmt: skip
        """`include` and `exclude` are the administrator's patterns; a .vouchignore at the top can only hide more."""
        self._name = name
        self._include, self._exclude = include, exclude
        self._repository = GitRepository(path)
        self._branch = branch
        self._max_bytes = max_bytes
        self._contents: dict[str, tuple[str, int]] = {}     # blob → (sha256, size); an id never changes its meaning
        self._blobs: dict[str, str] = {}                    # sha256 → blob

    @property
    def name(self) -> str:
        return self._name

    def scan(
        self,
        known: Mapping[str, str],
        cursor: Mapping[str, Any],
        *,
        step: int | None = None,
        until: int | None = None,
        paths: Sequence[str] | None = None,
    ) -> Scan:
        line = self._repository.line(self._repository.tip(self._branch))
        done = str(cursor.get("commit", ""))
        position = next((n for n, commit in enumerate(line, 1) if commit.id == done), 0)
        last = len(line) if until is None else max(position, min(until, len(line)))
        if not position and (done or known):
            return self._rewritten(known, done, line[last - 1], whole=last == len(line))
        end = last if step is None else min(position + step, last)
        events, note = _events(self._repository, line[position:end]), ""
        if position and self._selection(line[end - 1].id).digest != cursor.get(_PATTERNS, ""):
            events, note = self._whole(known, line[end - 1]), f"{self._name}: {_OTHER_PATTERNS}"
        return self._scan(known, events, line[end - 1], more=end < last, whole=end == len(line), note=note)

    def skipped(self) -> tuple[Skipped, ...]:
        tip = self._repository.tip(self._branch)
        events = self._whole({}, Commit(tip, None, None))
        return tuple(replace(s, path=_shown(s.path)) for s in self._fold({}, events, self._selection(tip)).skipped)

    def _selection(self, commit: str) -> Selection:
        """What is read, by the patterns of that commit. Raises BadInput: in doubt nothing is read."""
        found = self._repository.blob_at(commit, IGNORE_FILE)
        lines = []
        if found is not None:
            mode, blob = found
            if not mode.startswith(_FILE):
                raise BadInput(f"{self._name}: {IGNORE_FILE} is not a file", cure="make it one, or remove it")
            size = self._repository.objects.size(blob)
            lines = ignore_lines(self._repository.objects.read(blob) if size <= MOST_BYTES else b" " * (MOST_BYTES + 1))
        return Selection(self._include, self._exclude, lines)

    def load(self, change: Change) -> Content:
        blob = self._blobs.get(change.hash) or self._standing(change.path)
        if self._repository.objects.size(blob) > self._max_bytes:
            raise too_large(self._max_bytes)
        data = self._repository.objects.read(blob)
        digest = hashlib.sha256(data).hexdigest()
        if change.hash not in (digest, _not_read(blob)):
            raise Unreadable("is no longer what was found", cure="run again")
        return Content(change.path, data, digest, change.changed_at)

    def _scan(
        self, known: Mapping[str, str], events: Iterable[Event], end: Commit, *, whole: bool, more: bool = False,
        note: str = "",
    ) -> Scan:  # fmt: skip
        selection = self._selection(end.id)
        fold = self._fold(known, events, selection)
        changes = fold.changes()
        touched = {path for change in changes for path in (change.path, change.old_path)}
        unchanged = sum(path not in touched for path in known)
        skipped = tuple(replace(s, path=_shown(s.path)) for s in fold.skipped)
        chosen = {_PATTERNS: selection.digest} if selection.digest else {}
        return Scan(changes, skipped, {"commit": end.id, **chosen}, unchanged, more, (note,) if note else (), whole)

    def _fold(self, known: Mapping[str, str], events: Iterable[Event], selection: Selection) -> Fold:
        return Fold(known, self._content).apply(_chosen(event, selection) for event in self._bounded(events))

    def _rewritten(self, known: Mapping[str, str], done: str, end: Commit, *, whole: bool) -> Scan:
        """The difference to what is known, when no walk leads from there to `end`: in one step."""
        events: Iterator[Event]
        if _ID.fullmatch(done) and self._repository.holds(done):
            entries = self._repository.between(done, end.id)
            events = filter(None, (_event(entry, end.id, end.moment) for entry in entries))
            how = "the two trees were compared"
        else:
            events = self._whole(known, end)
            how = "every document was compared"
        note = f"{self._name}: commit {done[:12] or 'of the last run'} is not in the history of {self._branch}; {how}"
        return self._scan(known, events, end, whole=whole, note=note)

    def _bounded(self, events: Iterable[Event]) -> Iterator[Event]:
        """Trees can be made to name billions of files by a few objects."""
        for number, event in enumerate(events):
            if number == _MOST:
                cure = f"ingest it in steps: vouch ingest {self._name} --step 1000"
                raise BadInput(f"{self._name}: more than {_MOST:,} changes of files at once", cure=cure)
            yield event

    def _whole(self, known: Mapping[str, str], end: Commit) -> Iterator[Event]:
        found = {e.path: e for entry in self._repository.tree(end.id) if (e := _event(entry, end.id, end.moment))}
        yield from found.values()
        yield from (Event(end.id, "delete", path, None, None, 0, end.moment) for path in known if path not in found)

    def _content(self, blob: str) -> tuple[str, int]:
        """sha256 and size. What is too large is not read: it is told from others by its blob alone."""
        if blob not in self._contents:
            size = self._repository.objects.size(blob)
            fits = size <= self._max_bytes
            digest = hashlib.sha256(self._repository.objects.read(blob)).hexdigest() if fits else _not_read(blob)
            self._contents[blob] = digest, size
            self._blobs[digest] = blob
        return self._contents[blob]

    def _standing(self, path: str) -> str:
        """The blob at `path` at the end of the branch, for a change that this object has not found itself."""
        for entry in self._repository.tree(self._repository.tip(self._branch)):
            if entry.path == path.encode() and entry.mode.startswith(_FILE):
                return entry.blob
        raise Unreadable("is gone", cure="run again")


def _chosen(event: Event, selection: Selection) -> Event:
    reason = "" if event.refused or event.operation == "delete" else selection.hidden(event.path)
    return replace(event, refused=reason) if reason else event


def _not_read(blob: str) -> str:
    return hashlib.sha256(f"too large: {blob}".encode()).hexdigest()


def _events(repository: GitRepository, commits: Sequence[Commit]) -> Iterator[Event]:
    moments = {commit.id: commit.moment for commit in commits}
    for commit, entry in repository.steps(commits):
        event = _event(entry, commit, moments[commit])
        if event is not None:
            yield event


def _event(entry: Entry, commit: str, moment: datetime | None) -> Event | None:
    """None for what nobody is told about: hidden files, and the access file of a folder."""
    path, reason = _name_of(entry.path)
    old_path = _name_of(entry.old_path)[0] if entry.status == "R" and entry.old_path is not None else None
    if path == ACCESS_FILE or any(part.startswith(".") for part in path.split("/")):
        return Event(commit, "delete", old_path, None, None, 0, moment) if old_path is not None else None
    if entry.status == "D":
        return Event(commit, "delete", path, None, None, 0, moment)
    return Event(commit, _OPERATIONS[entry.status], path, old_path, entry.blob, 0, moment, reason or _refused(entry))


def _refused(entry: Entry) -> str:
    if entry.mode == _LINK:
        return "links are not followed; its target is read where it is, if it is in this repository"
    if entry.mode == _SUBMODULE:
        return "submodules are not read; add the other repository as a source of its own"
    return "" if entry.mode.startswith(_FILE) else f"not a file (mode {entry.mode})"


def _name_of(path: bytes) -> tuple[str, str]:
    """The path as text, one for each path there can be, and why it cannot be the name of a document."""
    try:
        name = path.decode()
    except UnicodeDecodeError:
        return path.decode(errors="surrogateescape"), "name is not UTF-8"
    return name, "" if "" not in name.split("/") else "not a path"


def _shown(name: str) -> str:
    return name.encode(errors="surrogateescape").decode(errors="backslashreplace")
