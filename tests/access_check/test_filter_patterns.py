"""Patterns of a question's filters are written by whoever may ask: what costs much to look for is refused."""

from functools import partial
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from vouch.filters import MOST, MOST_WILD, MOST_WILD_OF_ALL, Filters, Sent, bounded
from vouch.messages import QuestionAsked

KEPT: dict[str, Any] = {
    "id": "q", "text": "Who?", "surface": "http", "asker": "user:ana",
    "audience": {"kind": "tags", "tags": ["user:ana"]},
    "asked_at": "2026-11-26T10:00:00Z", "deadline": "2026-11-26T10:02:00Z",
}


@pytest.mark.parametrize("pattern", ["a**/b", "a**/" * 20, "*a" * (MOST_WILD + 1), "?" * (MOST_WILD + 1)])
def test_costly_patterns_are_refused(pattern: str) -> None:
    with pytest.raises(ValidationError):
        Filters(paths=(pattern,))


def test_many_patterns_together_cost_no_more_than_a_few() -> None:
    costly = Filters(paths=tuple(f"{n}*/a*b?c" for n in range(MOST_WILD_OF_ALL // 3 + 1)))
    for sent in (partial(bounded, costly), partial(TypeAdapter(Sent).validate_python, {"paths": costly.paths})):
        with pytest.raises(ValueError, match="name folders instead"):
            sent()
    assert QuestionAsked.model_validate(KEPT | {"filters": costly}).filters == costly, "one that was kept can be read"
    bounded(Filters(paths=tuple(f"{n}*" for n in range(MOST_WILD_OF_ALL)) + tuple(f"team/{n}" for n in range(60))))
    bounded(Filters(paths=("**/*.md",) * MOST))         # one pattern, however often it is said


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
