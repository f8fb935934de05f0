"""Publishing beside others: who finds the pointer moved puts the same rows on the version that won.

A courtesy between the processes of one machine, by a lock that ends with
its process. What keeps versions whole is the compare-and-swap of the pointer:
where locks do not work or somebody holds one too long, everybody goes on.
"""

import contextlib
import fcntl
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any

from indexers.building.build import Build, Published
from indexers.building.changes import Changes, Cursors, PreparedRows, check_changes
from indexers.parts.document_parts import Place
from indexers.search.engines import LexicalEngine
from indexers.versions.files import IndexFiles
from indexers.versions.version import OpenVersion
from indexers.versions.version_locks import publishing
from vouch.errors import Conflict, Held, Unavailable, VouchError
from vouch.ports.stores import Restored, VersionStore

_WAIT_S = 60.0
_LOOK_S = 0.01


class PublishQueue:
    def __init__(self, home: Path) -> None:
        self._path = home / "publish.turn"

    def let_pass(self) -> None:
        """Waits while somebody who lost before tries again."""
        with contextlib.suppress(OSError), self._path.open("rb") as file:
            _lock(file, fcntl.LOCK_SH)

    @contextlib.contextmanager
    def first(self) -> Iterator[None]:
        """Newcomers wait during the block, and so do others who lost."""
        with contextlib.ExitStack() as held:
            with contextlib.suppress(OSError):
                _lock(held.enter_context(self._path.open("ab")), fcntl.LOCK_EX)
            yield


def _lock(file: IO[bytes], kind: int) -> None:
    end = time.monotonic() + _WAIT_S
    while time.monotonic() < end:
        try:
            fcntl.flock(file, kind | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            time.sleep(_LOOK_S)


CURE = "run the same command again: finished work is found again"


def rebased(changes: Changes, base: OpenVersion | None, current: OpenVersion) -> Changes:
    """`changes`, which were made for `base`, as they are on top of `current`.

    Raises Conflict unless all that they touch is in `current` exactly what it
    was in `base`: the documents at their places, the cursors of their sources,
    the models. Then rows made for `base` fit `current` as they are. Only what
    both take away is no matter of dispute.
    """
    if dict(current.manifest.fingerprints) != dict(changes.fingerprints):
        raise Conflict(f"version {current.number} was made meanwhile with other models", cure=CURE)
    away = {place for place in changes.taken_away if current.find(place) is None}
    for place in sorted(changes.touched - away):
        if _at(place, base) != _at(place, current):
            raise Conflict(f"version {current.number} changed {':'.join(place)} meanwhile", cure=CURE)
    return replace(changes, cursors=rebased_cursors(changes.cursors, base, current))


def rebased_cursors(wanted: Cursors, base: OpenVersion | None, current: OpenVersion) -> Cursors:
    """The cursors of `current`, but for sources whose cursor was to change. Raises Conflict if it did already."""
    before = base.manifest.cursors if base else {}
    mine = {name for name, cursor in wanted.items() if dict(cursor) != before.get(name, {})}
    dropped = before.keys() - wanted.keys()
    for name in sorted(mine | (dropped & current.manifest.cursors.keys())):
        if current.cursor(name) != before.get(name, {}):
            raise Conflict(f"version {current.number} went on with source {name} meanwhile", cure=CURE)
    theirs = {name: cursor for name, cursor in current.manifest.cursors.items() if name not in dropped}
    ours = {name: cursor for name, cursor in wanted.items() if name in mine or name not in before.keys() | theirs}
    return {**theirs, **ours}


def _at(place: Place, version: OpenVersion | None) -> Any:
    """All there is to know about the document at `place`; None if there is none."""
    number = version.find(place) if version else None
    if version is None or number is None:
        return None
    part, ordinal = version.table.origin(number)
    entry = part.entry(ordinal)
    return entry.header, entry.facts, entry.text, entry.serials.tolist()


TRIES = 20
Gate = Callable[[OpenVersion], None]    # looks at a version that nobody is served yet, and raises to keep it so


@dataclass(frozen=True)
class PendingPublish:
    """A publish that wants to win: `expected` is where the pointer must be, `rebases` whether another base will do."""

    base: OpenVersion | None
    expected: int | None
    changes: Changes
    material: PreparedRows
    rebases: bool
    whole: bool = False
    gate: Gate | None = None


class OptimisticPublish:
    """`open_version` opens a version by number. Numbers of lost tries stay abandoned."""

    def __init__(
        self, files: IndexFiles, versions: VersionStore, turns: PublishQueue, reference_length: float,
        open_version: Callable[[int], OpenVersion], lexical: LexicalEngine,
    ) -> None:
        self._files = files
        self._versions = versions
        self._turns = turns
        self._reference_length = reference_length
        self._open = open_version
        self._lexical = lexical

    def run(self, entrant: PendingPublish) -> Published:
        """A new current version. Raises Conflict if the winner's changes and these do not go together."""
        self._turns.let_pass()
        with publishing(self._files.home), contextlib.ExitStack() as turn:
            for attempt in range(TRIES):
                entrant = self._on_current(entrant)
                with contextlib.suppress(_Overtaken):
                    return self._publish(entrant)
                if not attempt:
                    turn.enter_context(self._turns.first())
        raise Conflict(f"others published first, {TRIES} times in a row", cure=CURE)

    def _on_current(self, entrant: PendingPublish) -> PendingPublish:
        pointer = self._versions.current()
        if pointer == entrant.expected:
            return entrant
        if pointer is None or not entrant.rebases:
            raise Conflict(f"version {entrant.expected} is no longer the current one", cure=CURE)
        current = self._open(pointer)
        changes = rebased(entrant.changes, entrant.base, current)
        check_changes(current, changes)
        return replace(entrant, base=current, expected=pointer, changes=changes)

    def _publish(self, entrant: PendingPublish) -> Published:
        row = self._versions.allocate(entrant.expected)
        build = Build(self._files, self._reference_length, row.number, entrant.expected, entrant.base,
                      entrant.changes, entrant.material, entrant.whole)
        with abandoned_on_failure(self._versions, row.number):
            manifest, published = build.run(row.created_at)
            self._files.write_manifest(manifest)
            self._looked_at(self._files.open(manifest), entrant.gate)
        try:
            swap(self._versions, entrant.expected, row.number, _restored(entrant.base))
        except Conflict as error:
            raise _Overtaken from error
        return published

    def _looked_at(self, made: OpenVersion, gate: Gate | None) -> None:
        """It is open no longer than this takes."""
        self._lexical.prepare(made)
        if gate is not None:
            gate(made)


class _Overtaken(Exception):
    """Somebody else moved the pointer while this version was being written."""


@contextlib.contextmanager
def abandoned_on_failure(versions: VersionStore, number: int) -> Iterator[None]:
    try:
        yield
    except BaseException:
        with contextlib.suppress(VouchError):           # the failure itself is what must be told
            versions.abandon(number)
        raise


def _restored(base: OpenVersion | None) -> Restored | None:
    """What is published on a stand-in brings back what that has, and is limited as that is until it is scanned anew."""
    return None if base is None or base.limits is None else Restored(base.number, base.limits)


def swap(
    versions: VersionStore, expected: int | None, number: int, restored: Restored | None = None, *, hold: bool = False
) -> None:
    """Moves the pointer to `number`; with `restored` to a version that has earlier documents, which may be held.

    If the pointer was elsewhere, or a rollback is in force, `number` is
    abandoned: then raises Conflict, or Held.
    """
    try:
        if restored is None:
            versions.swap(expected, number)
        elif hold:
            versions.roll_back(expected, number, restored)
        else:
            versions.swap(expected, number, restored=restored)
    except (Conflict, Held):
        with contextlib.suppress(VouchError):
            versions.abandon(number)
        raise
    except Unavailable:
        # Perhaps the pointer moved before the ledger fell silent: abandon and delete nothing.
        if versions.current() != number:
            raise
