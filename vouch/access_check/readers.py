"""Who may in effect read a document, rules, memberships and its own narrowing taken together."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol

from vouch.access import PUBLIC, Label, Permissions, Reader
from vouch.access_check.names import groups_of
from vouch.rules import RuleBook


class Placed(Protocol):
    """What permissions depend on in a document."""

    @property
    def source(self) -> str: ...

    @property
    def path(self) -> str: ...

    @property
    def narrowed(self) -> frozenset[str] | None: ...


def label_of(permissions: Permissions, document: Placed) -> Label:
    return permissions.label(document.source, document.path, document.narrowed)


@dataclass(frozen=True, slots=True)
class MayRead:
    """Everybody whom a label lets in: the public, or these groups and these people."""

    public: bool
    groups: tuple[Reader, ...]
    people: tuple[Reader, ...]

    @property
    def anybody(self) -> bool:
        return bool(self.public or self.groups or self.people)

    @property
    def tags(self) -> list[str]:
        """The same in few tags: no group that is inside another one of them, no person who is in one."""
        if self.public:
            return [PUBLIC]
        inside = {group.name for group in self.groups}
        return [r.name for r in (*self.groups, *self.people) if not (r.principals & inside) - {r.name}]

    def through(self, person: Reader) -> list[str]:
        """The groups by each of which alone `person` may read."""
        return [group.name for group in self.groups if group.name in person.principals]


class Readers:
    """Asks the labels themselves, for the public, each group and each person there is at the moment `now`."""

    def __init__(self, permissions: Permissions, now: datetime | None = None) -> None:
        moment = now or datetime.now(UTC)
        self._permissions = permissions
        directory = permissions.directory
        named = {tag for book in permissions.rulebooks.values() for rule in book.rules for tag in rule.allow}
        self._groups = {f"group:{name}" for name in groups_of(directory)} | _groups_in(named)
        self._reader = {tag: directory.reader(tag, moment) for tag in (PUBLIC, *self._groups)}
        self._people = [directory.reader(f"user:{name}", moment) for name in sorted(directory.people)]
        self._people = [person for person in self._people if person.name in person.principals]
        self._known: dict[tuple[Label, frozenset[str]], MayRead] = {}
        self._moment = moment

    def of(self, document: Placed) -> MayRead:
        label, more = label_of(self._permissions, document), _groups_in(document.narrowed or ())
        if (label, more) not in self._known:
            self._known[label, more] = self._asked(label, more)
        return self._known[label, more]

    def _asked(self, label: Label, more: Collection[str]) -> MayRead:
        for tag in more:                    # groups that only documents name; nobody need be in them
            self._reader.setdefault(tag, self._permissions.directory.reader(tag, self._moment))
        groups = [self._reader[tag] for tag in sorted(self._groups | set(more))]
        return MayRead(
            label.allows(self._reader[PUBLIC].principals),
            tuple(group for group in groups if label.allows(group.principals)),
            tuple(person for person in self._people if label.allows(person.principals)),
        )


def rule_tags(permissions: Permissions, document: Placed) -> list[str]:
    """Whom the rules alone allow."""
    return sorted(permissions.rulebooks.get(document.source, RuleBook()).allowed(document.path))


def _groups_in(tags: Collection[str]) -> frozenset[str]:
    return frozenset(tag for tag in tags if tag.startswith("group:"))
