"""What is odd about the owners that an access file names."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Protocol

from vouch.access import Directory, Permissions
from vouch.access_check.names import groups_of, strangers, unknown
from vouch.access_check.readers import Placed, label_of
from vouch.access_check.rules import nearest_pattern
from vouch.globs import compiled, nfc
from vouch.rules import OwnerBook, OwnerRule, RuleBook
from vouch.wording import count

_MOST_NAMED = 3


class Owned(Placed, Protocol):
    @property
    def owners(self) -> frozenset[str]:
        """Whom its own text states."""
        ...


def owners_of(permissions: Permissions, document: Owned) -> tuple[str, ...]:
    return permissions.owners_of(document.source, document.path, document.owners)


def owner_warnings(permissions: Permissions, source: str, documents: Sequence[Owned]) -> Iterator[str]:
    """Owners who do not exist or may not read what they own, and entries that match nothing."""
    book = permissions.rulebooks.get(source, RuleBook()).owners
    if book.broken:
        yield f"no owner is known: {book.broken}"
        return
    yield from _unmatched(book, [document.path for document in documents])
    yield from strangers(permissions.directory,
                         ((_named(place, rule), rule.owners) for place, rule in enumerate(book.rules)))
    yield from _stated_strangers(documents, permissions.directory)
    yield from _shut_out(permissions, source, documents)


def _unmatched(book: OwnerBook, paths: Sequence[str]) -> Iterator[str]:
    for place, rule in enumerate(book.rules):
        pattern = compiled(rule.match)
        if paths and not any(pattern.match(nfc(path)) for path in paths):
            meant = nearest_pattern(rule.match, paths)
            yield f"{_named(place, rule)} matches no document" + (f"; did you mean {meant}?" if meant else "")


def _stated_strangers(documents: Sequence[Owned], directory: Directory) -> Iterator[str]:
    paths: dict[str, list[str]] = {}
    for document in documents:
        for tag in document.owners:
            paths.setdefault(tag, []).append(document.path)
    for tag in sorted(paths):
        if reason := unknown(directory, tag, ", which is"):
            yield f"{_some(paths[tag])} {'names' if len(paths[tag]) == 1 else 'name'} as owner {reason}"


def _shut_out(permissions: Permissions, source: str, documents: Sequence[Owned]) -> Iterator[str]:
    """Owners who are told nothing of a document that is theirs, as they may not read it."""
    now, shut = datetime.now(UTC), dict[str, list[str]]()
    if source not in permissions.scanned or not groups_of(permissions.directory) | permissions.directory.people.keys():
        return                              # nobody reads anything; that is told elsewhere
    readers = {tag: permissions.directory.reader(tag, now)
               for document in documents for tag in owners_of(permissions, document)}
    for document in documents:
        label = label_of(permissions, document)
        for tag in owners_of(permissions, document):
            if not label.allows(readers[tag].principals):
                shut.setdefault(tag, []).append(document.path)
    for tag, paths in sorted(shut.items()):
        yield f"{tag} owns {count(len(paths), 'document')} that it may not read: {_some(paths)}"


def _some(paths: Sequence[str]) -> str:
    return ", ".join(sorted(paths)[:_MOST_NAMED]) + (", …" if len(paths) > _MOST_NAMED else "")


def _named(place: int, rule: OwnerRule) -> str:
    return f"owners {place + 1} ({rule.match})"
