"""Everything about the permissions of a source that an administrator should look at."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from vouch.access import Directory, Permissions
from vouch.access_check.names import groups_of, strangers, unknown
from vouch.access_check.owners import Owned, owner_warnings
from vouch.access_check.readers import Placed, Readers
from vouch.access_check.rules import named, rule_warnings
from vouch.rules import RuleBook
from vouch.wording import count

_MOST_NAMED = 3


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
    told = [f"{path} has no effect: only the access file of the source decides" for path in strays]
    mine = [document for document in documents if document.source == source]
    told += shut_to_all(permissions, source, mine)
    if book.broken:
        return told
    told += rule_warnings(book, [document.path for document in mine])
    told += _names(book, permissions.directory)
    told += _narrowings(mine, permissions.directory)
    told += owner_warnings(permissions, source, mine)
    return told


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


def no_rules(source: str) -> str:
    return f"source {source} has no access rules; vouch source access {source} FILE"


def without_rules(permissions: Permissions) -> list[str]:
    """The sources that nobody may read because there is not one rule. Depends on the rules alone."""
    return sorted(name for name, book in permissions.rulebooks.items() if book.absent)


def _anybody(permissions: Permissions, documents: Iterable[Placed]) -> bool:
    """By the rules of now alone: that a grant still waits for a scan is told elsewhere."""
    readers = Readers(Permissions.settled(permissions.epoch, permissions.rulebooks, permissions.directory))
    return any(readers.of(document).anybody for document in documents)


def _names(book: RuleBook, directory: Directory) -> Iterator[str]:
    """Rules that name somebody the directory does not hold."""
    tags = {tag for rule in book.rules for tag in rule.allow}
    if not directory.people and not groups_of(directory):
        if strange := sorted(tags - {"public"}):
            yield f"the rules name {_some(strange)}, and no directory is loaded: vouch directory load FILE"
        return
    yield from strangers(directory, ((named(place, rule), rule.allow) for place, rule in enumerate(book.rules)))


def _narrowings(documents: Sequence[Document], directory: Directory) -> Iterator[str]:
    """Documents whose own `access:` names somebody the directory does not hold."""
    if not directory.people and not groups_of(directory):
        return
    paths: dict[str, list[str]] = {}
    for document in documents:
        for tag in document.narrowed or ():
            paths.setdefault(tag, []).append(document.path)
    for tag in sorted(paths):
        if reason := unknown(directory, tag, ", which is"):
            many = "names" if len(paths[tag]) == 1 else "name"
            yield f"{_some(paths[tag])} {many} in `access:` {reason}"


def _some(names: Sequence[str]) -> str:
    more = len(names) - _MOST_NAMED
    return ", ".join(names[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")

