"""The rules of a source: which tags may read which paths, and who looks after which."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from vouch.globs import compiled, nfc

ABSENT = "there is no such file"


def give_rules(source: str = "NAME") -> str:
    """What to do about a source that nobody gave rules: one text, wherever this is told."""
    return f"write an access file as docs/access.md shows, and name it: vouch source access {source} FILE"


@dataclass(frozen=True, slots=True)
class Rule:
    match: str
    allow: frozenset[str]


@dataclass(frozen=True, slots=True)
class OwnerRule:
    match: str
    owners: frozenset[str]


@dataclass(frozen=True)
class OwnerBook:
    """Who looks after the documents of a source; the last rule that matches a path wins, none means nobody.

    An owner is no reader by that. `broken` says why they could not be understood; then there is no owner.
    """

    rules: tuple[OwnerRule, ...] = ()
    broken: str = ""

    @cached_property
    def _compiled(self) -> list[tuple[re.Pattern[str], OwnerRule]]:
        """From the last rule to the first."""
        return [(compiled(rule.match), rule) for rule in reversed(self.rules)]

    def owners_of(self, path: str) -> frozenset[str]:
        place = nfc(path)
        return next((rule.owners for pattern, rule in self._compiled if pattern.match(place)), frozenset())


@dataclass(frozen=True)
class RuleBook:
    """The ordered rules of one source; the last that matches a path wins, none means nobody.

    `broken` says why the rules could not be understood; they then grant nothing.
    Patterns and paths are compared in Unicode NFC. `owners` decide nothing about reading.
    """

    rules: tuple[Rule, ...] = ()
    broken: str = ""
    owners: OwnerBook = OwnerBook()

    @property
    def absent(self) -> bool:
        """Nobody wrote any rule: there is no access file, or not one rule in it."""
        return ABSENT in self.broken if self.broken else not self.rules

    @cached_property
    def _compiled(self) -> list[tuple[int, re.Pattern[str]]]:
        """From the last rule to the first."""
        return [(n, compiled(self.rules[n].match)) for n in reversed(range(len(self.rules)))]

    def matching(self, path: str) -> Iterator[int]:
        """The places of the rules that match `path`, the deciding one first; none if the rules are broken."""
        if not self.broken:
            place = nfc(path)
            yield from (n for n, pattern in self._compiled if pattern.match(place))

    def deciding(self, path: str) -> Rule | None:
        """The rule that decides about `path`; None if none does, or if the rules are broken."""
        number = next(self.matching(path), None)
        return None if number is None else self.rules[number]

    def allowed(self, path: str) -> frozenset[str]:
        rule = self.deciding(path)
        return rule.allow if rule else frozenset()
