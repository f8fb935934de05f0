"""Files and names of the code that the pages tell are there."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = ["README.md", "CONTRIBUTING.md", "benchmarks/NOTES.md", "benchmarks/README.md",
         *(str(path.relative_to(ROOT)) for path in sorted((ROOT / "docs").rglob("*.md")))]
PATH = re.compile(r"(?:(?<=\s)|^)(?:bots|cli|composition|consumers|docs|flows|indexers|services|tests|vouch)/[\w/.-]*")
STEP = re.compile(r"^\d\. `([a-z_/]+\.py)`[^:]*: (.*(?:\n   .*)*)", re.MULTILINE)


FOLLOWED = re.compile(r"follows `(\w+)` in `([\w/]+\.py)`:\s+((?:`\w+`,?\s*)+)\.")


def missing_files(text: str) -> list[str]:
    """Paths in backticks, alone or in a command, that do not exist."""
    told = {path.rstrip(".") for code in re.findall(r"`([^`]+)`", text) for path in PATH.findall(code)}
    return sorted(path for path in told if "NAME" not in path and not (ROOT / path).exists())


def missing_names(text: str) -> list[str]:
    """Names in backticks, of a step that begins with a file, that this file does not have."""
    found = []
    for path, step in STEP.findall(text):
        code = (ROOT / path).read_text(encoding="utf-8")
        found += [f"{path}: {name}" for name in re.findall(r"`(_?[A-Za-z]+_?[A-Za-z_]*)`", step) if name not in code]
    return found


def other_members(text: str) -> list[str]:
    """Classes to follow whose members, as they are listed, are not those that the file gives them."""
    found = []
    for name, path, listed in FOLLOWED.findall(text):
        module = ast.parse((ROOT / path).read_text(encoding="utf-8"))
        [body] = [node.body for node in module.body if isinstance(node, ast.ClassDef) and node.name == name]
        members = [node.name for node in body if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")]
        if members != re.findall(r"\w+", listed):
            found.append(f"{name} in {path}: {', '.join(members)}")
    return found


@pytest.mark.parametrize("page", PAGES)
def test_every_file_named_exists(page: str) -> None:
    assert missing_files((ROOT / page).read_text(encoding="utf-8")) == []


def test_the_names_of_each_step_are_in_its_file() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert len(STEP.findall(text)) > 10
    assert missing_names(text) == []


def test_the_members_of_each_class_to_follow_are_listed() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert [name for name, *_ in FOLLOWED.findall(text)] == ["Source", "Surface", "QuestionKind"]
    assert other_members(text) == []
    assert other_members(text.replace("`judged`, ", "")) and other_members(text.replace("`has`, ", "`asks`, "))


def test_what_is_not_there_would_be_seen() -> None:
    assert missing_files("see `cli/nowhere.py` and `pytest tests/nowhere -s` and `cli/main.py`") == [
        "cli/nowhere.py", "tests/nowhere"]
    assert missing_names("1. `cli/main.py`: put `nothing_of_it` into `run`.\n") == ["cli/main.py: nothing_of_it"]
