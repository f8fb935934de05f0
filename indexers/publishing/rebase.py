"""Putting changes made for one version on top of another one that somebody published meanwhile."""

from dataclasses import replace
from typing import Any

from indexers.building.changes import Changes, Cursors
from indexers.parts.document_parts import Place
from indexers.versions.version import OpenVersion
from vouch.errors import Conflict

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
