"""Who may read what: principals, directory, readers and audiences. The rules themselves are in vouch.rules.

Plain values, decided by set algebra. Every function here fails closed: what
is unknown, expired or unreadable grants nothing beyond `public`.
"""

import difflib
import hashlib
import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property

from vouch.errors import BadAccess, Usage
from vouch.rules import OwnerBook as OwnerBook
from vouch.rules import OwnerRule as OwnerRule
from vouch.rules import Rule as Rule
from vouch.rules import RuleBook as RuleBook

PUBLIC = "public"
PUBLIC_TAGS = frozenset({PUBLIC})
_ANYBODY = frozenset({"anonymous", "anybody", "anyone", "guest"})
_TAG = re.compile(r"(?:public|(?:user|group):[^\s:,\x00\ud800-\udfff]+)")


def parse_tag(text: str) -> str:
    """The access tag `text` stands for; BadAccess unless it is `public`, `user:…` or `group:…`."""
    tag = text.strip() if isinstance(text, str) else ""
    if not _TAG.fullmatch(tag):
        raise BadAccess(f"{str(text)[:60]!r} is not an access tag{_did_you_mean(tag[:60])}",
                        cure="write public, user:NAME or group:NAME")
    if not tag.startswith("user:"):
        return tag
    if any(c.lower() != c != c.lower().upper() for c in tag if not c.isascii()):     # U+212A would become a plain k
        raise BadAccess(f"{tag[:60]!r} has a capital that is another one's twin", cure="write it in small letters")
    return tag.lower()


def _did_you_mean(text: str) -> str:
    """`; did you mean …?` where it is plain which tag was meant. Words such as `everyone` may be a group, or mean all
    of one company: they suggest nothing, as `public` would let strangers in."""
    kind, colon, name = text.partition(":")
    if colon:
        near = difflib.get_close_matches(kind.lower(), ("user", "group"), 1)
        tag = f"{near[0]}:{name.strip()}" if near else ""
    elif "@" in text:
        tag = f"user:{text}"
    else:
        word = text.lower()
        tag = PUBLIC if word in _ANYBODY or difflib.get_close_matches(word, [PUBLIC], 1, 0.8) else ""
    return f"; did you mean {tag}?" if _TAG.fullmatch(tag) else ""


@dataclass(frozen=True, slots=True)
class Label:
    """Who may read a document: whoever meets each of these conditions.

    `allowed` are the access tags of the rules of now, `narrowed` those in its
    own text, and each set in `earlier` those of rules that were in force since
    its source was last scanned as a whole. Of each group in `limits` at least
    one label must allow as well. An empty set of tags means nobody.
    """

    allowed: frozenset[str]
    narrowed: frozenset[str] | None = None
    earlier: frozenset[frozenset[str]] = frozenset()
    limits: "tuple[tuple[Label, ...], ...]" = ()

    def allows(self, principals: frozenset[str]) -> bool:
        if any(tags.isdisjoint(principals) for tags in self._sets):
            return False
        return all(any(label.allows(principals) for label in group) for group in self.limits)

    @property
    def exceeds_limits(self) -> bool:
        """Whether without its limits it would allow somebody whom they do not; True where that cannot be told."""
        mine = self._conditions
        if frozenset() in mine:
            return False
        return not all(any(_implied(mine, label) for label in group) for group in self.limits)

    @property
    def waits(self) -> bool:
        """Whether the rules of now allow somebody whom rules in force since the last scan do not."""
        return not _implied(self._conditions_of_now, Label(PUBLIC_TAGS, None, self.earlier))

    @property
    def _conditions_of_now(self) -> list[frozenset[str]]:
        return replace(self, earlier=frozenset())._conditions

    @property
    def _sets(self) -> tuple[frozenset[str], ...]:
        return (self.allowed, *self.earlier, *(() if self.narrowed is None else (self.narrowed,)))

    @property
    def _conditions(self) -> list[frozenset[str]]:
        """The sets that not everybody meets."""
        return [tags for tags in self._sets if PUBLIC not in tags]


def _implied(mine: list[frozenset[str]], label: Label) -> bool:
    """Whether whoever meets each of `mine` is allowed by `label`."""
    return all(any(tags <= wanted for tags in mine) for wanted in label._conditions)


@dataclass(frozen=True, slots=True)
class Stand:
    """A place of a source where a content stood, and how the text there narrowed itself."""

    path: str
    narrowed: frozenset[str] | None = None


Limits = tuple[tuple[Stand, ...], ...]
"""Of each group at least one place must be readable; an empty group means nobody."""
NOBODY: Limits = ((),)


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
    def is_shared(self) -> bool:
        """Whether it is, or may be, more than one pair of eyes: PUBLIC stands for anybody."""
        return len(self.readers) > 1 or self.readers[0].name == PUBLIC

    @property
    def expires(self) -> datetime | None:
        return min((r.expires for r in self.readers if r.expires is not None), default=None)

    @cached_property
    def digest(self) -> str:
        """Equal for audiences that may read the same under any rules."""
        sets = sorted({tuple(sorted(r.principals)) for r in self.readers})
        return hashlib.sha256(json.dumps(sets).encode()).hexdigest()[:32]    # no joint that a name could hold as well


@dataclass(frozen=True, slots=True)
class Person:
    groups: tuple[str, ...]
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class Proven:
    """Groups that somebody else vouched for, `at` a moment; they count until another one."""

    groups: tuple[str, ...]
    at: datetime
    until: datetime


@dataclass(frozen=True)
class Directory:
    """People and groups as last loaded. Nested groups are followed; cycles were refused at load.

    `proven`: by person the groups that they were last seen to be in, besides those that were loaded.
    """

    people: Mapping[str, Person] = field(default_factory=dict)
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    proven: Mapping[str, Proven] = field(default_factory=dict)

    def reader(self, tag: str, now: datetime) -> Reader:
        """The reader a tag names. A person who is unknown or past `until` holds `public` only, whatever was proven.

        Where proven groups count the whole knowledge ends with them: who is looked up later has those loaded alone.
        """
        tag = parse_tag(tag)
        if tag == PUBLIC:
            return Reader(tag, frozenset({PUBLIC}))
        kind, _, name = tag.partition(":")
        if kind == "group":
            return Reader(tag, frozenset({PUBLIC}) | self._closure([name]))
        person = self.people.get(name)
        if person is None or (person.until is not None and now >= person.until):
            return Reader(tag, frozenset({PUBLIC}))
        proven = self.proven.get(name)
        if proven is None or not proven.groups or now >= proven.until:
            return Reader(tag, frozenset({PUBLIC, tag}) | self._closure(person.groups), person.until)
        until = proven.until if person.until is None else min(person.until, proven.until)
        return Reader(tag, frozenset({PUBLIC, tag}) | self._closure((*person.groups, *proven.groups)), until)

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

    `scanned` names the sources that were scanned as a whole, each with the
    rules other than today's that were in force since that scan began: they
    must allow as well. Nobody reads a source that is missing there. What
    stands at one of the places in `restrictions` is limited besides.
    A source may have the name of a former one; its rules are for documents of its own `generations` alone.
    """

    epoch: int
    rulebooks: Mapping[str, RuleBook]
    directory: Directory
    scanned: Mapping[str, tuple[RuleBook, ...]] = field(default_factory=dict)
    restrictions: Mapping[tuple[str, str], Limits] = field(default_factory=dict)
    generations: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def settled(cls, epoch: int, rulebooks: Mapping[str, RuleBook], directory: Directory) -> "Permissions":
        """All sources were scanned under the rules of now."""
        return cls(epoch, rulebooks, directory, dict.fromkeys(rulebooks, ()))

    def label(self, source: str, path: str, narrowed: frozenset[str] | None, limits: Limits = ()) -> Label:
        """Of a document at that place; `limits` besides those in force for the place."""
        groups = dict.fromkeys((*self.restrictions.get((source, path), ()), *limits))
        found = self._plain(source, Stand(path, narrowed))
        if not groups:
            return found
        return replace(found, limits=tuple(tuple(self._plain(source, one) for one in group) for group in groups))

    def granting(self, source: str, path: str, narrowed: frozenset[str] | None) -> Label:
        """By the rules of now alone: what it will be once the source was scanned, if it stands there then."""
        book = self.rulebooks.get(source)
        return Label(book.allowed(path) if book else frozenset(), narrowed)

    @property
    def unreadable(self) -> dict[str, str]:
        """Source → why its rules cannot be read, so that nobody may read its documents."""
        return {name: book.broken for name, book in sorted(self.rulebooks.items()) if book.broken}

    @property
    def waiting(self) -> list[str]:
        """Sources whose rules can be read and that were not scanned as a whole under them: nobody reads these yet."""
        return sorted(name for name, book in self.rulebooks.items()
                      if book.rules and not book.broken and name not in self.scanned)

    def owners_of(self, source: str, path: str, stated: Collection[str] = ()) -> tuple[str, ...]:
        """Who looks after the document there, in order: whom it states itself, else whom the access file names.

        It says nothing of who may read it.
        """
        book = self.rulebooks.get(source)
        if stated or book is None or book.broken:
            return tuple(sorted(stated))
        return tuple(sorted(book.owners.owners_of(path)))

    def _plain(self, source: str, stand: Stand) -> Label:
        label = self.granting(source, stand.path, stand.narrowed)
        former = self.scanned.get(source)
        if former is None:
            return replace(label, earlier=frozenset({frozenset()}))
        if not former:
            return label
        return replace(label, earlier=frozenset(book.allowed(stand.path) for book in former) - {label.allowed})
