"""Where a docstring says what of which module a class implements, it is there."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SAID = re.compile(r"Implements the (\w+) of `([\w.]+)`")


def test_what_a_class_implements_is_where_its_docstring_says() -> None:
    said = [(str(file.relative_to(ROOT)), *found) for top in ("bots", "composition", "consumers", "flows", "services")
            for file in (ROOT / top).rglob("*.py") for found in SAID.findall(file.read_text(encoding="utf-8"))]
    wrong = [one for one in said if not defines(*one[1:])]
    assert said and wrong == []


def defines(name: str, module: str) -> bool:
    file = ROOT / f"{module.replace('.', '/')}.py"
    return file.exists() and f"class {name}(" in file.read_text(encoding="utf-8")
