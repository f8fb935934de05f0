"""What rules come to: who may in effect read a document, and which rules decide nothing."""

import difflib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol

from vouch.access import PUBLIC, Label, Permissions, Reader
from vouch.access_check.directory import groups_of
from vouch.globs import Coverage, compiled, glued, instance, nfc
from vouch.rules import Rule, RuleBook


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


_MOST_WORK = 5_000_000                  # characters of patterns that are held against one another
_MOST_NAMES = 5_000


@dataclass(frozen=True, slots=True)
class Overridden:
    """The rule at place `rule` never decides, for the later one at `by` matches all that it matches."""

    rule: int
    by: int
    opens: bool                         # the later one lets somebody in whom this one does not name

    def told(self, rules: Sequence[Rule]) -> str:
        return f"{named(self.rule, rules[self.rule])} is completely overridden by {named(self.by, rules[self.by])}"


def named(place: int, rule: Rule) -> str:
    return f"rule {place + 1} ({rule.match})"


def overridden(rules: Sequence[Rule]) -> Iterator[Overridden]:
    """Each rule that one later rule makes void. Of very long lists only the first many pairs are compared."""
    coverage, work = Coverage(), 0
    last = {rule.match: index for index, rule in enumerate(rules)}
    broad = [(n, compiled(rule.match)) for n, rule in enumerate(rules) if "*" in rule.match or "?" in rule.match]
    signs = sum(len(rules[n].match) for n, _ in broad)
    for index, rule in enumerate(rules):
        later, path = {last[rule.match]}, instance(rule.match)
        if work < _MOST_WORK:
            later |= {n for n, pattern in broad if n > index and pattern.match(path)}
            work += signs + len(path) * len(broad)
        for by in sorted((n for n in later if n > index), reverse=True):
            if coverage.covers(rules[by].match, rule.match):
                opens = PUBLIC not in rule.allow and not rules[by].allow <= rule.allow
                yield Overridden(index, by, opens)
                break


def tally(book: RuleBook, paths: Iterable[str]) -> tuple[Counter[int | None], Counter[int]]:
    """How many paths each rule decides about (None: no rule does), and how many it matches."""
    decided: Counter[int | None] = Counter()
    matched: Counter[int] = Counter()
    for path in paths:
        found = list(book.matching(path))
        decided[found[0] if found else None] += 1
        matched.update(found)
    return decided, matched


def rule_warnings(book: RuleBook, paths: Sequence[str]) -> list[str]:
    """What each rule without effect among `paths` is, and why."""
    void = {override.rule: override for override in overridden(book.rules)}
    decided, matched = tally(book, paths)
    notes = []
    for index, rule in enumerate(book.rules):
        if index in void:
            notes.append(void[index].told(book.rules))
        elif paths and not matched[index]:
            meant = nearest_pattern(rule.match, paths)
            of = f"the {len(paths)} documents" if len(paths) > 1 else "the one document"
            notes.append(f"{named(index, rule)} matches none of {of}" + (f"; did you mean {meant}?" if meant else ""))
        elif paths and not decided[index]:
            all_of = f"all {matched[index]} of its documents" if matched[index] > 1 else "its one document"
            notes.append(f"{named(index, rule)} decides nothing: later rules match {all_of}")
    return notes


def nearest_pattern(match: str, paths: Sequence[str]) -> str:
    """A pattern like `match` that does match something; empty if none is near."""
    names = {name for path in paths for name in nfc(path).split("/")}
    respelled = "/".join(_respelled(name, names) for name in nfc(match).split("/"))
    for tried in (f"{match}/**", respelled, f"{respelled}/**", f"**/{match}", f"**/{respelled}"):
        if tried != match and not glued(tried) and (pattern := compiled(tried)) and any(
            pattern.match(nfc(path)) for path in paths
        ):
            return tried
    return ""


def _respelled(name: str, names: set[str]) -> str:
    if name in names or not name or "*" in name or "?" in name:
        return name
    folded = [other for other in sorted(names) if other.casefold() == name.casefold()]
    some = [other for _, other in zip(range(_MOST_NAMES), sorted(names), strict=False)]
    return next(iter(folded or difflib.get_close_matches(name, some, 1, 0.7)), name)
