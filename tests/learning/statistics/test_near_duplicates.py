"""Which questions are one group, against every pair compared by hand."""

import random
import tracemalloc
from itertools import combinations

import pytest

from vouch.learning.statistics import splits
from vouch.learning.statistics.splits import ALIKE, groups, united


def by_hand(asked: dict[str, list[str]]) -> set[frozenset[str]]:
    """Every two that are alike are joined until nothing changes."""
    found = [{text} for text in asked]

    def tied(one: str, other: str) -> bool:
        mine, theirs = set(asked[one]), set(asked[other])
        if not mine and not theirs:
            return one.casefold() == other.casefold()
        return len(mine & theirs) >= ALIKE * len(mine | theirs)

    while pair := next(((a, b) for a, b in combinations(found, 2) if any(tied(x, y) for x in a for y in b)), None):
        found.remove(pair[1])
        pair[0].update(pair[1])
    return {frozenset(one) for one in found}


@pytest.mark.parametrize("seed", range(20))
def test_groups_are_those_of_comparing_every_pair(seed: int) -> None:
    print(f"seed {seed}")
    draw = random.Random(seed)
    asked = {f"q{n}": draw.choices("abcdefghij", k=draw.randrange(9)) for n in range(30)}
    found: dict[str, set[str]] = {}
    for text, name in groups(asked.items()).items():
        found.setdefault(name, set()).add(text)
    assert {frozenset(one) for one in found.values()} == by_hand(asked)
    mixed = draw.sample(sorted(asked.items()), len(asked))
    assert groups(mixed) == groups(asked.items())


def test_chains_hold_together_and_questions_without_terms_are_told_apart_by_their_letters() -> None:
    chain = [("a", "1234567890"), ("b", "123456789x"), ("c", "12345678xy"), ("d", "1234567xyz"), ("e", "pqr")]
    found = groups(chain)
    assert len({found[name] for name in "abcd"}) == 1 and found["e"] != found["a"]
    assert groups([("What is it?", ()), ("what  IS it?", ()), ("Who?", ())]) == {
        "What is it?": "what is it?", "what  IS it?": "what is it?", "Who?": "who?"}


def in_pairs(asked: dict[str, list[str]]) -> dict[str, str]:
    """Every pair that is alike, listed and then united: plain, and too much for thousands of questions."""
    sets = {text: frozenset(terms) for text, terms in asked.items()}
    name = {text: " ".join(sorted(terms)) or text.casefold() for text, terms in sets.items()}
    pairs = [(name[a], name[b]) for a, b in combinations(sorted(sets), 2)
             if len(sets[a] & sets[b]) >= ALIKE * len(sets[a] | sets[b]) - 1e-9 and sets[a] | sets[b]]
    names = sorted(set(name.values()))
    tied = dict(zip(names, united([*([one] for one in names), *pairs]), strict=False))
    return {text: tied[name[text]] for text in asked}


@pytest.mark.parametrize("seed", range(40))
def test_names_of_groups_are_those_of_uniting_all_pairs(seed: int) -> None:
    print(f"seed {seed}")
    draw = random.Random(seed)
    kinds = [draw.choices("abcdefghijklmnop", k=draw.randrange(12)) for _ in range(6)]
    asked = {f"q{n}": [one if draw.random() < 0.9 else draw.choice("qrst") for one in draw.choice(kinds)]
             for n in range(120)}
    assert groups(asked.items()) == in_pairs(asked)


def test_many_questions_of_one_group_are_compared_once_each(monkeypatch: pytest.MonkeyPatch) -> None:
    """One person can ask thousands that share nine of ten terms: each is compared with one of them, not with all."""
    compared = 0

    def counted(one: frozenset[str], other: frozenset[str]) -> bool:
        nonlocal compared
        compared += 1
        return alike(one, other)

    alike = splits._alike
    monkeypatch.setattr(splits, "_alike", counted)
    many = 2000
    found = groups((f"q{n}", [*"abcdefghi", f"own{n}"]) for n in range(many))
    assert len(set(found.values())) == 1 and many - 1 <= compared <= 2 * many


def test_memory_grows_with_the_questions_and_not_with_their_pairs() -> None:
    def peak(many: int) -> int:
        asked = [(f"q{n}", (*"abcdefghi", f"own{n}")) for n in range(many)]
        tracemalloc.start()
        groups(asked)
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return most

    assert peak(800) < 7 * peak(200), "sixteen times as much if pairs were kept"
