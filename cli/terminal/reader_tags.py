"""Who is named with --as: a name without `user:` or `group:` gets the suggestion that the directory has for it."""

import difflib
from collections.abc import Iterable

from vouch.access import Directory, parse_tag
from vouch.errors import BadAccess, VouchError

_MOST = 3
_ALL = frozenset({"all", "everyone", "everybody", "nobody", "none"})      # nobody is called so


def checked_readers(tags: list[str] | None) -> list[str] | None:
    """The tags as they were given. Raises BadAccess for what is no tag, with the one that was meant if that is plain.
    """
    for tag in tags or ():
        checked_reader(tag)
    return tags


def checked_reader(tag: str | None) -> str | None:
    """As `checked_readers`, of one, or of none."""
    if tag is None:
        return None
    try:
        parse_tag(tag)
    except BadAccess as error:
        if ":" in tag or "did you mean" in error.cause:
            raise
        meant = " or ".join(_meant(tag.strip(), _directory()))
        raise BadAccess(error.cause + (f"; did you mean {meant}?" if meant else ""), cure=error.cure) from error
    return tag


def _meant(name: str, directory: Directory) -> Iterable[str]:
    """Whom the directory has of this name, or one nearly so; else a person of it, who may not be in the directory."""
    folded = name.lower()
    people = {person: person.partition("@")[0] for person in sorted(directory.people)}
    found = [f"user:{person}" for person, short in people.items() if short == folded]
    found += [f"group:{group}" for group in sorted(_groups(directory)) if group.lower() == folded]
    if found:
        return found[:_MOST]
    if near := difflib.get_close_matches(folded, people.values(), 1):
        return [f"user:{person}" for person, short in people.items() if short == near[0]][:_MOST]
    try:
        return [] if folded in _ALL else [parse_tag(f"user:{name}")]
    except BadAccess:                   # it has blanks or other signs that no name has
        return []


def _groups(directory: Directory) -> frozenset[str]:
    from vouch.access_check.directory import groups_of

    return groups_of(directory)


def _directory() -> Directory:
    """An empty one where it cannot be read: what was typed is wrong, whatever else is."""
    from cli.wiring.administration import open_administration

    try:
        return open_administration().permissions.directory
    except VouchError:
        return Directory()
