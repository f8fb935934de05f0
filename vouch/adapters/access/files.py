"""Reads access.yaml (who may read which documents) and directory.yaml (who is who)."""

import hashlib
import logging
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, time, timedelta
from pathlib import Path
from typing import Any, TypeVar

from vouch.access import PUBLIC, Directory, OwnerBook, OwnerRule, Person, Rule, RuleBook, parse_tag
from vouch.adapters.access.strict import checked_pattern, date_of, load_yaml, refuse_overridden
from vouch.adapters.filesystem.foreign_files import open_regular, read_blocks
from vouch.errors import BadAccess, BadInput
from vouch.rules import ABSENT, give_rules

_log = logging.getLogger(__name__)
_LARGEST = 1024 * 1024
# Questions wait while rules are read, and reading YAML takes some 50 µs for each of its values.
_LARGEST_RULES, _MOST_MARKS, _MARKS = 256 * 1024, 20_000, (b"\n", b",", b"[", b"{")
_MOST_RULES, _MOST_WILDCARDS = 1_000, 10_000       # a wildcard takes some 15 µs until its pattern can be compared
_SHORTER, _READABLE = "use patterns and groups instead of long lists", "put it there and make it readable"
_Value = TypeVar("_Value")


def read_rules(path: Path | None) -> RuleBook:
    """The rules in the file; without a file nobody may read anything.

    Never raises: a file that is missing or not understood becomes a rule book
    that grants nothing and says why in `broken`.
    """
    return read_rules_and_digest(path)[0]


def read_rules_and_digest(path: Path | None) -> tuple[RuleBook, str]:
    """The rules, and the digest of the very bytes they were read from."""
    if path is None:
        return RuleBook(), ""
    digest = "unreadable"

    def read() -> RuleBook:
        nonlocal digest
        data = _read(path, _LARGEST_RULES, give_rules())
        digest = hashlib.sha256(data).hexdigest()
        if sum(map(data.count, _MARKS)) > _MOST_MARKS:
            raise BadAccess(f"has more than {_MOST_MARKS:,} lines and list items", cure=_SHORTER)
        return _rule_book(load_yaml(_text(data)))

    try:
        return _located(path, read), digest
    except BadAccess as error:
        return RuleBook(broken=str(error)), digest
    except Exception as error:          # whatever it is, it must not stop questions about other sources
        _log.exception("the access file %s cannot be understood", path)
        return RuleBook(broken=f"{path}: cannot be understood ({type(error).__name__})"), digest


def read_directory(path: Path) -> Directory:
    """People and groups. Raises BadAccess with the exact place of what cannot be understood."""
    return _located(path, lambda: _directory(load_yaml(_text(_read(path, _LARGEST, _READABLE)), most=_LARGEST)))


def _located(path: Path, read: Callable[[], _Value]) -> _Value:
    try:
        return read()
    except BadInput as error:
        raise BadAccess(f"{path}: {error.cause}", cure=error.cure or "docs/access.md shows the layout") from error


def _read(path: Path, most: int, if_absent: str) -> bytes:
    """All of a regular file that is not too large; nothing else is waited for or held in memory.

    `if_absent` is the cure where there is none.
    """
    try:
        with open_regular(path, follow=True) as handle:
            data = b"".join(read_blocks(handle, most + 1))
    except FileNotFoundError as error:
        raise BadAccess(ABSENT, cure=if_absent) from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise BadAccess(f"cannot be read: {reason}", cure=_READABLE) from error
    if len(data) > most:
        raise BadAccess(f"is larger than {most // 1024} KB", cure=_SHORTER)
    return data


def _text(data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadAccess(f"is not UTF-8 text (byte {error.start})", cure="save it as UTF-8") from error


def _mapping(value: Any, place: str, keys: set[str] | None = None) -> Mapping[str, Any]:
    """`value` as a mapping with text keys, all of them among `keys`; nothing at all counts as an empty one."""
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise BadAccess(f"{place}: expected `key: value` lines, found {value!r}"[:300])
    for key in value:
        if not isinstance(key, str):
            raise BadAccess(f"{place}: the key {key!r} is not text", cure="put it in quotes")
        if keys is not None and key not in keys:
            raise BadAccess(f"{place}: unknown key {key!r}", cure=f"known are {', '.join(sorted(keys))}")
    return value


def _list(value: Any, place: str) -> list[Any]:
    if not isinstance(value, list):
        raise BadAccess(f"{place}: expected a list, found {value!r}"[:300])
    return value


def _rule_book(content: Any) -> RuleBook:
    fields = _mapping(content, "the file", {"rules", "owners"})
    if "rules" not in fields:
        raise BadAccess("holds no rules", cure="write `rules:` and a list below it")
    items = _list(fields["rules"], "rules")
    if len(items) > _MOST_RULES:
        raise BadAccess(f"holds {len(items):,} rules, of which at most {_MOST_RULES:,} are read", cure=_SHORTER)
    rules = tuple(_rule(item, f"rule {n}") for n, item in enumerate(items, 1))
    if sum(rule.match.count("*") + rule.match.count("?") for rule in rules) > _MOST_WILDCARDS:
        raise BadAccess(f"its patterns hold more than {_MOST_WILDCARDS:,} * and ?", cure=_SHORTER)
    refuse_overridden(rules)
    return RuleBook(rules, owners=_owner_book(fields.get("owners")))


def _owner_book(value: Any) -> OwnerBook:
    """A mistake here costs the owners alone: it must not close documents."""
    try:
        items = [] if value is None else _list(value, "owners")
        if len(items) > _MOST_RULES:
            raise BadAccess(f"owners: {len(items):,} entries, of which at most {_MOST_RULES:,} are read", cure=_SHORTER)
        rules = tuple(_owner_rule(item, f"owners {n}") for n, item in enumerate(items, 1))
        if sum(rule.match.count("*") + rule.match.count("?") for rule in rules) > _MOST_WILDCARDS:
            raise BadAccess(f"owners: the patterns hold more than {_MOST_WILDCARDS:,} * and ?", cure=_SHORTER)
        return OwnerBook(rules)
    except BadInput as error:
        return OwnerBook(broken=str(error))


def _owner_rule(item: Any, place: str) -> OwnerRule:
    fields = _mapping(item, place, {"match", "owners"})
    if set(fields) != {"match", "owners"}:
        raise BadAccess(f"{place}: needs both match and owners")
    owners = fields["owners"]
    tags = [owners] if isinstance(owners, str) else _list(owners, f"{place}: owners")
    found = frozenset(_tag(tag, place) for tag in tags)
    if PUBLIC in found:
        raise BadAccess(f"{place}: public is nobody who looks after a document", cure="write group:NAME or user:NAME")
    return OwnerRule(checked_pattern(fields["match"], place), found)


def _rule(item: Any, place: str) -> Rule:
    fields = _mapping(item, place, {"match", "allow"})
    if set(fields) != {"match", "allow"}:
        raise BadAccess(f"{place}: needs both match and allow")
    allow = fields["allow"]
    tags = [allow] if isinstance(allow, str) else _list(allow, f"{place}: allow")
    return Rule(checked_pattern(fields["match"], place), frozenset(_tag(tag, place) for tag in tags))


def _tag(tag: Any, place: str) -> str:
    try:
        return parse_tag(tag)
    except BadAccess as error:
        raise BadAccess(f"{place}: {error.cause}", cure=error.cure) from error


def _directory(content: Any) -> Directory:
    fields = _mapping(content, "the file", {"people", "groups"})
    if fields.get("people") is None and fields.get("groups") is None:
        raise BadAccess("holds no people and no groups", cure="write `people:` with a line for each person below it")
    people: dict[str, Person] = {}
    for name, value in _mapping(fields.get("people"), "people").items():
        key = _tag(f"user:{name}", f"people: {name}").partition(":")[2]
        if key in people:
            raise BadAccess(f"people: {name} is there twice (upper and lower case are the same)", cure="keep one")
        people[key] = _person(value, f"people: {name}")
    groups: dict[str, tuple[str, ...]] = {}
    for name, value in _mapping(fields.get("groups"), "groups").items():
        location = f"groups: {name}"
        inner = _mapping(value, location, {"member_of"})
        groups[_group(name, location)] = _groups(inner.get("member_of", []), f"{location}: member_of")
    _refuse_cycles(groups)
    return Directory(people, groups)


def _person(value: Any, place: str) -> Person:
    fields = _mapping(value, place, {"groups", "until"})
    groups = _groups(fields.get("groups", []), f"{place}: groups")
    return Person(groups, _until(fields["until"], f"{place}: until") if "until" in fields else None)


def _groups(value: Any, place: str) -> tuple[str, ...]:
    return tuple(_group(name, place) for name in _list(value, place))


def _group(name: Any, place: str) -> str:
    if not isinstance(name, str):
        raise BadAccess(f"{place}: {name!r} is not a group name", cure="put it in quotes")
    return _tag(f"group:{name}", place).partition(":")[2]


def _until(value: Any, place: str) -> datetime:
    """A date lasts to its end in UTC; a moment needs a zone."""
    if not isinstance(value, str):
        raise BadAccess(f"{place}: {value!r} is not a date"[:300], cure="write YYYY-MM-DD")
    try:
        deadline = date_of(value)
        if not isinstance(deadline, datetime):
            return datetime.combine(deadline + timedelta(days=1), time(), UTC)
        if deadline.tzinfo is None:
            raise BadAccess(f"{place}: {value} has no time zone", cure="end it with Z or +01:00")
        return deadline.astimezone(UTC)
    except OverflowError:
        return datetime.max.replace(tzinfo=UTC)  # 9999-12-31 is written where for ever is meant
    except ValueError as error:
        raise BadAccess(f"{place}: {value[:60]} is not a date", cure="write YYYY-MM-DD") from error


def _refuse_cycles(groups: Mapping[str, tuple[str, ...]]) -> None:
    done: set[str] = set()
    for root in groups:
        trail: dict[str, None] = {}     # the names above the present one, in order
        queue = [(root, False)]
        while queue:
            name, leaving = queue.pop()
            if leaving:
                done.add(trail.popitem()[0])
            elif name in trail:
                above = list(trail)
                circle = " → ".join([*above[above.index(name) :], name])
                raise BadAccess(f"groups: {circle} is a circle", cure="remove one member_of")
            elif name not in done:
                trail[name] = None
                queue.append((name, True))
                queue.extend((parent, False) for parent in groups.get(name, ()))
