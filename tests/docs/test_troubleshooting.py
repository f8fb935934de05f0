"""Every message that docs/troubleshooting.md quotes is one that the source has."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "troubleshooting.md").read_text(encoding="utf-8")
CODE = ("bots", "cli", "composition", "consumers", "flows", "indexers", "services", "vouch")
HOLE = "\0"
PLACEHOLDER = re.compile(r"\b(?:[A-Z]{2,}|N)\b")


def quoted(page: str) -> list[str]:
    return re.findall(r"^\| `([^`]+)` \|", page, re.MULTILINE)


def text_of(node: ast.AST) -> str | None:
    """A text in the code, with a hole for each value that is put in."""
    if isinstance(node, ast.JoinedStr):
        return "".join(text_of(part) or HOLE for part in node.values)
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


@cache
def texts() -> set[str]:
    """All but docstrings, which nobody is shown."""
    found = {(ROOT / "Makefile").read_text(encoding="utf-8")}
    for path in (path for top in CODE for path in (ROOT / top).rglob("*.py")):
        nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
        unshown = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
        found |= {text for node in nodes if id(node) not in unshown and (text := text_of(node))}
    return found


def pieces(message: str) -> list[str]:
    """What stands between the values, if it is more than a word or two."""
    kept = ("UTF-8",)
    parts = PLACEHOLDER.sub(lambda word: word[0] if message[word.start():].startswith(kept) else HOLE, message)
    return [part for part in parts.split(HOLE) if len(part.strip(" :;?.,()")) > 3]


def in_source(message: str) -> bool:
    return all(any(part in text for text in texts()) for part in pieces(message))


@pytest.mark.parametrize("message", quoted(PAGE))
def test_a_quoted_message_is_in_the_source(message: str) -> None:
    assert pieces(message), "nothing but values"
    assert in_source(message), pieces(message)


def test_there_are_many_and_none_twice() -> None:
    assert len(quoted(PAGE)) > 20 and len(set(quoted(PAGE))) == len(quoted(PAGE))


def test_a_message_that_does_not_exist_would_be_seen() -> None:
    assert not in_source("there is no index yet, sorry")
    assert not in_source("source NAME was left in the rain")
