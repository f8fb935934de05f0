"""Who may read what: principals, directory, readers and audiences. The rules themselves are in vouch.rules.

Plain values, decided by set algebra. Every function here fails closed: what
is unknown, expired or unreadable grants nothing beyond `public`.
"""

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property

from vouch.errors import BadAccess, Usage
from vouch.rules import Rule as Rule
from vouch.rules import RuleBook as RuleBook

PUBLIC = "public"
_TAG = re.compile(r"(?:public|(?:user|group):[^\s:,\x00\ud800-\udfff]+)")


def parse_tag(text: str) -> str:
    """The access tag `text` stands for; BadAccess unless it is `public`, `user:…` or `group:…`."""
    tag = text.strip() if isinstance(text, str) else ""
    if not _TAG.fullmatch(tag):
        raise BadAccess(f"{text!r} is not an access tag", cure="write public, user:NAME or group:NAME")
    return tag.lower() if tag.startswith("user:") else tag


@dataclass(frozen=True, slots=True)
class Label:
    """The set of access tags on a document: `allowed` by the current rules, `narrowed` by its own text.

    A principal set may read when it meets `allowed` and, if the document
    narrows itself, meets `narrowed` as well. An empty `allowed` means nobody.
    """

    allowed: frozenset[str]
    narrowed: frozenset[str] | None = None

    def allows(self, principals: frozenset[str]) -> bool:
        if self.allowed.isdisjoint(principals):
            return False
        return self.narrowed is None or not self.narrowed.isdisjoint(principals)


@dataclass(frozen=True, slots=True)
class Reader:
    """One pair of eyes: the principals it holds, and when that knowledge ends (None: never)."""

    name: str
    principals: frozenset[str]
    expires: datetime | None = None


@dataclass(frozen=True)
class Audience:
    """Everybody who will see an answer. Visible is what *all* of them may read; never empty."""

    readers: tuple[Reader, ...]

    def __post_init__(self) -> None:
        if not self.readers:
            raise Usage("an audience without readers", cure="name at least one reader, or public")

    def may_read(self, label: Label) -> bool:
        return all(label.allows(reader.principals) for reader in self.readers)

    @property
    def expires(self) -> datetime | None:
        return min((r.expires for r in self.readers if r.expires is not None), default=None)

    @cached_property
    def digest(self) -> str:
        """Equal for audiences that may read the same under any rules."""
        sets = sorted({",".join(sorted(r.principals)) for r in self.readers})
        return hashlib.sha256("|".join(sets).encode()).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class Person:
    groups: tuple[str, ...]
    until: datetime | None = None


@dataclass(frozen=True)
class Directory:
    """People and groups as last loaded. Nested groups are followed; cycles were refused at load."""

    people: Mapping[str, Person] = field(default_factory=dict)
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def reader(self, tag: str, now: datetime) -> Reader:
        """The reader a tag names. A person who is unknown or past `until` holds `public` only."""
        tag = parse_tag(tag)
        if tag == PUBLIC:
            return Reader(tag, frozenset({PUBLIC}))
        kind, _, name = tag.partition(":")
        if kind == "group":
            return Reader(tag, frozenset({PUBLIC}) | self._closure([name]))
        person = self.people.get(name)
        if person is None or (person.until is not None and now >= person.until):
            return Reader(tag, frozenset({PUBLIC}))
        return Reader(tag, frozenset({PUBLIC, tag}) | self._closure(person.groups), person.until)

    def audience(self, tags: Sequence[str], now: datetime | None = None) -> Audience:
        moment = now or datetime.now(UTC)
        return Audience(tuple(self.reader(tag, moment) for tag in (tags or [PUBLIC])))

    def _closure(self, names: Iterable[str]) -> frozenset[str]:
        found: set[str] = set()
        queue = list(names)
        while queue:
            name = queue.pop()
            if name not in found:
                found.add(name)
                queue.extend(self.groups.get(name, ()))
        return frozenset(f"group:{name}" for name in found)


@dataclass(frozen=True)
class Permissions:
    """Everything permissions depend on, as of one access epoch. Never versioned with the index.

    A source may have the name of a former one; its rules are for documents of its own `generations` alone.
    """

    epoch: int
    rulebooks: Mapping[str, RuleBook]
    directory: Directory
    generations: Mapping[str, str] = field(default_factory=dict)

    def label(self, source: str, path: str, narrowed: frozenset[str] | None) -> Label:
        book = self.rulebooks.get(source)
        return Label(book.allowed(path) if book else frozenset(), narrowed)

    def generation(self, source: str) -> str:
        return self.generations.get(source, "")

    @property
    def unreadable(self) -> dict[str, str]:
        """Source → why its rules cannot be read, so that nobody may read its documents."""
        return {name: book.broken for name, book in sorted(self.rulebooks.items()) if book.broken}
