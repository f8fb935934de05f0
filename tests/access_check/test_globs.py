"""Patterns match what a plain regular expression says, in time that no name can blow up."""

import itertools
import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vouch.globs import Coverage, compiled, glued

PATHS = ["".join(letters) for n in range(7) for letters in itertools.product("ab/", repeat=n)]
SIGNS = st.sampled_from(["a", "b", "/", "*", "*", "**", "**/", "?"])
PATTERNS = st.lists(SIGNS, min_size=1, max_size=8).map("".join)
SMALL = st.lists(SIGNS, min_size=1, max_size=4).map("".join)


def plainly(pattern: str) -> re.Pattern[str]:
    """The meaning of a pattern, written down sign by sign. Correct, and slow on hostile names."""
    out, i = "", 0
    while i < len(pattern):
        if pattern.startswith("**/", i):
            out, i = out + "(?:.*/)?", i + 3
        elif pattern.startswith("**", i):
            out, i = out + ".*", i + 2
        else:
            out, i = out + {"*": "[^/]*", "?": "[^/]"}.get(pattern[i], re.escape(pattern[i])), i + 1
    return re.compile(out, re.DOTALL)


def language(pattern: str) -> set[str]:
    return {path for path in PATHS if plainly(pattern).fullmatch(path)}


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(PATTERNS)
def test_a_pattern_matches_what_its_signs_say(pattern):
    found = compiled(pattern)
    assert {path for path in PATHS if found.match(path)} == language(pattern)


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(SMALL, SMALL)
def test_a_pattern_covers_another_if_it_matches_all_that_the_other_does(wider, pattern):
    """Paths of up to six characters tell patterns of four signs apart."""
    assert Coverage().covers(wider, pattern) == (language(pattern) <= language(wider))


@pytest.mark.parametrize(("pattern", "path", "matches"), [
    ("**", "a\nb/c", True), ("caf\u00e9/*", "cafe\u0301/x".replace("e\u0301", "\u00e9"), True), ("a.md", "axmd", False),
    ("**/benefits.md", "benefits.md", True), ("people/*.md", "people/pay/bands.md", False), ("x?", "x/", False),
])  # fmt: skip
def test_what_the_documentation_says_of_signs(pattern, path, matches):
    assert bool(compiled(pattern).match(path)) is matches


def cost(pattern: str, path: str, compile_ = compiled) -> float:
    found, started = compile_(pattern), time.perf_counter()
    found.match(path)
    return time.perf_counter() - started


HOSTILE = ["*a*a*a*a*b", "*a*a*a*a*a*a*a*a*b", "**a**a**a**a**b", "**a*a*a*a*a*b", "**/a*a*a*a*b", "*a" * 30 + "b",
           "**a*a*b**a*a*b", "**/*a*a*b/**/*a*a*b"]  # fmt: skip


@pytest.mark.parametrize("pattern", HOSTILE)
@pytest.mark.parametrize("path", ["a" * 248, ("a" * 250 + "/") * 4])
def test_no_name_takes_long(pattern, path):
    """A plain expression takes seconds to years for these; half a second is hundreds of times what it takes."""
    assert cost(pattern, path) < 0.5


def test_the_plain_expression_is_what_such_names_blow_up():
    """So that the test above can fail at all: three stars more are many times the work."""
    slow, quick = (min(cost("*a" * n + "*b", "a" * 90, plainly) for _ in range(3)) for n in (4, 2))
    assert slow > 20 * quick


def test_a_star_pair_inside_a_name_is_seen():
    assert glued("a**/b") and glued("a/b**/c") and not glued("a/**/b") and not glued("**/**/a") and not glued("a/**")


def test_a_comparison_that_takes_too_long_is_answered_with_no():
    long = Coverage(work=500)
    assert not long.covers("**a" * 20 + "**", "**" + "a?" * 20 + "**")
    assert not long.covers("**", "a/**"), "nothing is left for the next one"
