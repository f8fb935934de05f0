"""Rules that decide nothing, by themselves or among the documents there are."""

import difflib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from vouch.access import PUBLIC
from vouch.globs import Coverage, compiled, glued, instance, nfc
from vouch.rules import Rule, RuleBook

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
    last = {rule.match: place for place, rule in enumerate(rules)}
    broad = [(n, compiled(rule.match)) for n, rule in enumerate(rules) if "*" in rule.match or "?" in rule.match]
    signs = sum(len(rules[n].match) for n, _ in broad)
    for place, rule in enumerate(rules):
        later, path = {last[rule.match]}, instance(rule.match)
        if work < _MOST_WORK:
            later |= {n for n, pattern in broad if n > place and pattern.match(path)}
            work += signs + len(path) * len(broad)
        for by in sorted((n for n in later if n > place), reverse=True):
            if coverage.covers(rules[by].match, rule.match):
                opens = PUBLIC not in rule.allow and not rules[by].allow <= rule.allow
                yield Overridden(place, by, opens)
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
    void = {found.rule: found for found in overridden(book.rules)}
    decided, matched = tally(book, paths)
    told = []
    for place, rule in enumerate(book.rules):
        if place in void:
            told.append(void[place].told(book.rules))
        elif paths and not matched[place]:
            meant = nearest_pattern(rule.match, paths)
            of = f"the {len(paths)} documents" if len(paths) > 1 else "the one document"
            told.append(f"{named(place, rule)} matches none of {of}" + (f"; did you mean {meant}?" if meant else ""))
        elif paths and not decided[place]:
            all_of = f"all {matched[place]} of its documents" if matched[place] > 1 else "its one document"
            told.append(f"{named(place, rule)} decides nothing: later rules match {all_of}")
    return told


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
