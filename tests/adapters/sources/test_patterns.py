"""What of a source is read: the lines of a .gitignore, as git itself understands them."""

import subprocess
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from vouch.adapters.sources.folder.patterns import Patterns, Selection, ignore_lines
from vouch.errors import BadInput

PATHS = ["a.md", "b.txt", "docs/a.md", "docs/old/b.md", "old/a.md", "old/docs/x.md", "x/old/y/z.md", "old.md", "[a].md",
         "a b.md", "x/y/docs/a.md", "docs/ab.md"]
PIECES = st.sampled_from(
    ["a.md", "*.md", "old", "docs", "**", "*", "?.md", "x", "[ab].md", "[!a]*", "a*", "\\[a\\].md"]
)
LINES = st.lists(
    st.builds(
        lambda again, first, parts, last: again + first + "/".join(parts) + last,
        st.sampled_from(["", "", "!"]), st.sampled_from(["", "/"]), st.lists(PIECES, min_size=1, max_size=3),
        st.sampled_from(["", "", "/"]),
    ) | st.sampled_from(["", "# no pattern", "docs/  "]),
    min_size=1, max_size=5,
)  # fmt: skip


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("ignored")
    subprocess.run(["git", "init", "-q", place], check=True)
    for path in PATHS:
        (place / path).parent.mkdir(parents=True, exist_ok=True)
        (place / path).write_text("x")
    return place


def ignored_by_git(place: Path, lines: list[str]) -> set[str]:
    (place / ".gitignore").write_text("\n".join(lines) + "\n")
    done = subprocess.run(
        ["git", "-C", place, "ls-files", "-z", "--others", "--ignored", "--exclude-standard"],
        capture_output=True, check=True, text=True,
    )  # fmt: skip
    return set(done.stdout.split("\0")) - {"", ".gitignore"}


@pytest.mark.slow
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(lines=LINES)
def test_patterns_mean_what_they_mean_to_git(repository: Path, lines: list[str]) -> None:
    patterns = Patterns(lines)
    assert {path for path in PATHS if patterns.matches(path)} == ignored_by_git(repository, lines)


def test_a_pattern_made_to_be_slow_is_not() -> None:
    hostile = Patterns(["*a" * 200 + "b", "**/a/" * 200 + "b"])
    began = time.perf_counter()
    assert not hostile.matches("a" * 4000) and not hostile.matches("a/" * 128 + "c")
    assert "too deep" in Selection(ignored=["**/a/" * 200 + "b"]).hidden("a/" * 2000 + "c")
    assert time.perf_counter() - began < 20


def test_what_writers_ignore_can_hide_and_never_open() -> None:
    chosen = Selection(exclude=["drafts/"], ignored=["!drafts/", "!node_modules/", "secret.md"])
    assert chosen.hidden("drafts/a.md") and chosen.hidden("node_modules/x/a.md") and chosen.hidden("secret.md")
    assert not chosen.hidden("a.md")


def test_an_administrator_may_take_a_default_back() -> None:
    assert Selection().hidden("node_modules", folder=True)
    assert not Selection(exclude=["!node_modules/"]).hidden("node_modules/a.md")


def test_with_patterns_to_include_nothing_else_is_read() -> None:
    chosen = Selection(include=["docs/", "*.txt"], exclude=["docs/old/"])
    read = [path for path in PATHS if not chosen.hidden(path)]
    assert read == ["b.txt", "docs/a.md", "old/docs/x.md", "x/y/docs/a.md", "docs/ab.md"]


@pytest.mark.parametrize("data", [b"\xff\xfe\x00", b"x\n" * 40_000])
def test_a_file_that_cannot_be_understood_is_refused(data: bytes) -> None:
    with pytest.raises(BadInput):
        Selection(ignored=ignore_lines(data))


def test_too_many_patterns_are_refused() -> None:
    with pytest.raises(BadInput, match="patterns"):
        Patterns(["x"] * 2000)
