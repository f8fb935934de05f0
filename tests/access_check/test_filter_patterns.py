"""Patterns of a question's filters are written by whoever may ask: what costs much to look for is refused."""

import pytest
from pydantic import ValidationError

from vouch.filters import MOST, MOST_WILD, MOST_WILD_OF_ALL, Filters


@pytest.mark.parametrize("pattern", ["a**/b", "a**/" * 20, "*a" * (MOST_WILD + 1), "?" * (MOST_WILD + 1)])
def test_costly_patterns_are_refused(pattern: str) -> None:
    with pytest.raises(ValidationError):
        Filters(paths=(pattern,))


def test_many_patterns_together_cost_no_more_than_a_few() -> None:
    with pytest.raises(ValidationError, match="name folders instead"):
        Filters(paths=tuple(f"{n}*/a*b?c" for n in range(MOST_WILD_OF_ALL // 3 + 1)))
    Filters(paths=tuple(f"{n}*" for n in range(MOST_WILD_OF_ALL)) + tuple(f"team/{n}" for n in range(60)))
    Filters(paths=("**/*.md",) * MOST)          # one pattern, however often it is said


@pytest.mark.parametrize("pattern", ["hr/[", "hr/[ab", "hr/{a,b", "a[b]/c[", "**/[!a"])
def test_an_unfinished_pattern_is_refused_and_says_why(pattern: str) -> None:
    with pytest.raises(ValidationError, match=r"unfinished: . is never closed; write [?]"):
        Filters(paths=(pattern,))


@pytest.mark.parametrize(("pattern", "path"), [
    ("hr/**", "hr/a/b.md"), ("**/*.md", "x/y.md"), ("a/**/b/*/c?.md", "a/x/b/y/c1.md"), ("hr", "hr/travel.md"),
    ("app/[id].md", "app/[id].md"), ("hr/?draft.md", "hr/[draft.md"),
])
def test_usual_patterns_are_taken(pattern: str, path: str) -> None:
    assert Filters(paths=(pattern,)).places("docs", path) and not Filters(paths=(pattern,)).places("docs", "zz.txt")
