"""What an administrator should look at in the permissions and the owners of a source."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Protocol

from vouch.access import Directory, Permissions
from vouch.access_check.directory import groups_of, strangers, unknown
from vouch.access_check.rules import Placed, Readers, label_of, named, nearest_pattern, rule_warnings
from vouch.globs import compiled, nfc
from vouch.plurals import count
from vouch.rules import OwnerBook, OwnerRule, RuleBook, give_rules

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
    if _is_loaded(permissions.directory):       # without one nobody is known, which is told once
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
    if source not in permissions.scanned or not _is_loaded(permissions.directory):
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


_MOST_TOLD = 3


class Document(Owned, Protocol):
    @property
    def state(self) -> str: ...


def source_warnings(
    permissions: Permissions, source: str, documents: Sequence[Document], strays: Iterable[str] = ()
) -> list[str]:
    """About one source with these documents; `strays` are access files below its folder.

    Rules that cannot be understood are told elsewhere.
    """
    book = permissions.rulebooks.get(source, RuleBook())
    warnings = [f"{path} has no effect: only the access file of the source decides" for path in strays]
    mine = [document for document in documents if document.source == source]
    warnings += shut_to_all(permissions, source, mine)
    if book.broken:
        return warnings
    warnings += rule_warnings(book, [document.path for document in mine])
    warnings += _names(book, permissions.directory)
    warnings += _narrowings(mine, permissions.directory)
    warnings += owner_warnings(permissions, source, mine)
    return warnings


def shut_to_all(permissions: Permissions, source: str, documents: Sequence[Document]) -> Iterator[str]:
    """That nobody at all may read anything of the source, and what to do."""
    book = permissions.rulebooks.get(source, RuleBook())
    indexed = [document for document in documents if document.state == "indexed" and document.source == source]
    if book.broken and not book.absent:
        return                          # broken rules are told by whoever reads them
    if book.rules and (not indexed or _anybody(permissions, indexed)):
        return
    cause = no_rules(source) if book.absent else "no rule allows anybody who is in the directory"
    its = f"its {count(len(indexed), 'document')}" if indexed else "its documents"
    yield f"nobody may read {its}: {cause}"


UNREAD = "no ingest has read the whole source since it or its rules changed; run vouch ingest"


def no_rules(source: str) -> str:
    return f"source {source} has no access rules; {give_rules(source)}"


def rules_cure(books: Mapping[str, RuleBook]) -> str:
    """What to do where some of these are missing or cannot be read: first about the first one that is missing."""
    missing = sorted(name for name, book in books.items() if book.absent)
    return give_rules(missing[0]) if missing else "correct the access file it names; docs/access.md shows the layout"


def without_rules(permissions: Permissions) -> list[str]:
    """The sources that nobody may read because there is not one rule. Depends on the rules alone."""
    return sorted(name for name, book in permissions.rulebooks.items() if book.absent)


def _anybody(permissions: Permissions, documents: Iterable[Placed]) -> bool:
    """By the rules of now alone: that a grant still waits for a scan is told elsewhere."""
    readers = Readers(Permissions.settled(permissions.epoch, permissions.rulebooks, permissions.directory))
    return any(readers.of(document).anybody for document in documents)


def _is_loaded(directory: Directory) -> bool:
    return bool(directory.people) or bool(groups_of(directory))


def _names(book: RuleBook, directory: Directory) -> Iterator[str]:
    """Rules that name somebody the directory does not hold; where there is no directory, owners too, in one line."""
    if not _is_loaded(directory):
        tags = {tag for rule in book.rules for tag in rule.allow} | {
            tag for owner in book.owners.rules for tag in owner.owners}
        if strange := sorted(tags - {"public"}):
            yield f"the access file names {_some_names(strange)}, and no directory is loaded: vouch directory load FILE"
        return
    yield from strangers(directory, ((named(place, rule), rule.allow) for place, rule in enumerate(book.rules)))


def _narrowings(documents: Sequence[Document], directory: Directory) -> Iterator[str]:
    """Documents whose own `access:` names somebody the directory does not hold."""
    if not _is_loaded(directory):
        return
    paths: dict[str, list[str]] = {}
    for document in documents:
        for tag in document.narrowed or ():
            paths.setdefault(tag, []).append(document.path)
    for tag in sorted(paths):
        if reason := unknown(directory, tag, ", which is"):
            many = "names" if len(paths[tag]) == 1 else "name"
            yield f"{_some_names(paths[tag])} {many} in `access:` {reason}"


def _some_names(names: Sequence[str]) -> str:
    more = len(names) - _MOST_TOLD
    return ", ".join(names[:_MOST_TOLD]) + (f" and {more} more" if more > 0 else "")
