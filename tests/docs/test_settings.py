"""docs/settings.md and .env.example say what vouch/settings/ does."""

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def make_settings() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_settings", ROOT / "docs" / "make_settings.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_the_one_made_from_the_settings(make_settings: ModuleType) -> None:
    assert (ROOT / "docs" / "settings.md").read_text(encoding="utf-8") == make_settings.page(), "run: make docs"


def test_every_setting_has_a_sentence(make_settings: ModuleType) -> None:
    rows = [row for _, rows in make_settings.sections() for row in rows]
    assert len(rows) > 20
    assert [name for name, _, sentence in rows if not re.fullmatch(r"[A-Z0-9].+\.", sentence)] == []


def test_the_example_environment_names_real_settings(make_settings: ModuleType) -> None:
    known = {name for _, rows in make_settings.sections() for name, _, _ in rows}
    named = set(re.findall(r"\b(VOUCH_\w+)=", (ROOT / ".env.example").read_text(encoding="utf-8")))
    assert named
    assert named <= known


def test_a_setting_missing_from_the_page_would_be_seen(make_settings: ModuleType) -> None:
    page = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
    assert page.replace("| `VOUCH_CHUNKING__TOKENS`", "| `VOUCH_CHUNKING__TOKEN`") != make_settings.page()
