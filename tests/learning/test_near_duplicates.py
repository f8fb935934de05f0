"""Which questions are one group, against every pair compared by hand."""

import random
from itertools import combinations

import pytest

from vouch.learning.statistics.near_duplicates import ALIKE, groups


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
