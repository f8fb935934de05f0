"""Watches a source: a folder told by the operating system, or what one look tells, polled."""

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from vouch.adapters.parsers.registry import unread_kind
from vouch.adapters.sources.folder.patterns import IGNORE_FILE
from vouch.adapters.sources.folder.source import ACCESS_FILE
from vouch.adapters.sources.folder.walk import Seen, list_folder, look, open_below, open_root
from vouch.errors import Unavailable, VouchError

if TYPE_CHECKING:
    from watchfiles import Change

_QUIET_MS, _GATHERED_MS, _LOOK_MS = 100, 1_000, 1_000
_POLL_MS = 2_000                        # between two looks at every file, where nobody tells
MOST_NAMED = 1_000                      # more at once: a look at the whole folder costs no more, and misses nothing


class FolderWatch:
    """Implements ports.Watch. `poll`: never rely on being told, as for folders that other machines write to."""

    def __init__(self, root: Path, tell: Callable[[str], None], *, poll: bool = False) -> None:
        self._root = root
        self._tell = tell
        self._poll = poll

    def changes(self, stop: threading.Event, looked: Callable[[], object]) -> Iterator[Sequence[str] | None]:
        away = False
        while not stop.is_set():
            looked()
            identity = _identity(self._root)
            if identity is None:
                if not away:
                    self._tell(f"{self._root} is not there; waiting for it")
                away = True
                stop.wait(_LOOK_MS / 1000)
                continue
            away = False
            try:
                yield from (self._looked_at if self._poll else self._told)(identity, stop, looked)
            except (FileNotFoundError, Unavailable):
                stop.wait(_LOOK_MS / 1000)      # a folder went while it was looked at, or all of them
            except (OSError, RuntimeError) as error:
                if _identity(self._root) == identity and not self._poll:
                    self._tell(f"{self._root}: {error}; looking at every file instead, every {_POLL_MS // 1000} s")
                    self._poll = True
                stop.wait(_LOOK_MS / 1000)

    def _looked_at(
        self, place: tuple[int, int], stop: threading.Event, looked: Callable[[], object]
    ) -> Iterator[Sequence[str] | None]:
        """Size and times of every file, again and again; to the nanosecond, unlike the polling of libraries."""
        known: dict[str, Seen] | None = None
        while not stop.is_set() and _identity(self._root) == place:
            with open_root(self._root) as root:
                files = _files(root)
            looked()
            if known is None:
                yield None
            elif files != known:
                other = [path for path in known.keys() | files.keys() if known.get(path) != files.get(path)]
                named = sorted(path for path in other if path == IGNORE_FILE or _may_be_read(path))
                if named:
                    yield named if len(named) <= MOST_NAMED else None
            known = files
            stop.wait(_POLL_MS / 1000)

    def _told(
        self, place: tuple[int, int], stop: threading.Event, looked: Callable[[], object]
    ) -> Iterator[Sequence[str] | None]:
        from watchfiles import watch

        root = self._root.resolve()
        batches = watch(
            root, watch_filter=None, debounce=_GATHERED_MS, step=_QUIET_MS, rust_timeout=_QUIET_MS, stop_event=stop,
            yield_on_timeout=True, raise_interrupt=False, force_polling=False, ignore_permission_denied=True,
        )  # fmt: skip
        first = True
        for batch in batches:
            looked()
            if _identity(self._root) != place:
                return
            if first:
                yield None              # only now: what changes from here on is told
                first = False
                continue
            named = sorted({path for change, where in batch if (path := _named(root, change, where)) is not None})
            if named:
                yield named if len(named) <= MOST_NAMED else None


def _identity(root: Path) -> tuple[int, int] | None:
    """Another folder at the same place is another one; None if there is none."""
    try:
        status = root.stat()
    except OSError:
        return None
    return (status.st_dev, status.st_ino) if root.is_dir() else None


def _files(root: int) -> dict[str, Seen]:
    found = list_folder(root).files
    with suppress(OSError), open_below(root, IGNORE_FILE) as handle:
        found[IGNORE_FILE] = look(os.fstat(handle))
    return found


def _may_be_read(path: str) -> bool:
    return path != ACCESS_FILE and not unread_kind(path)


def _named(root: Path, change: "Change", where: str) -> str | None:
    """The path in the folder, or None for what is no document's business."""
    from watchfiles import Change

    path = os.path.relpath(where, root).replace(os.sep, "/")
    if path == IGNORE_FILE:
        return path                     # it says what is a document
    if path == ACCESS_FILE or any(part.startswith(".") for part in path.split("/")):
        return None
    full_path = Path(where)
    if change == Change.modified and full_path.is_dir():
        return None                     # what changed in it is told by itself
    if unread_kind(path) and full_path.is_file():
        return None
    return path


class PolledWatch:
    """Implements ports.Watch. `look` gives another value after each change, and raises while the place is away.

    Without `tell_first` what the first look finds is no change.
    """

    def __init__(
        self, look: Callable[[], object], tell: Callable[[str], None], *, every_s: float = 2.0, tell_first: bool = True
    ) -> None:
        self._tell_first = tell_first
        self._look = look
        self._tell = tell
        self._every_s = every_s

    def changes(self, stop: threading.Event, looked: Callable[[], object]) -> Iterator[Sequence[str] | None]:
        known: object = None
        last_reason = ""
        while not stop.is_set():
            looked()
            try:
                state, reason = self._look(), ""
            except (VouchError, OSError) as error:
                state, reason = None, str(error)
            if reason and reason != last_reason:
                self._tell(f"{reason}; waiting")
            elif state is not None and state != known and (known is not None or self._tell_first):
                yield None
            known, last_reason = state, reason
            stop.wait(self._every_s)
