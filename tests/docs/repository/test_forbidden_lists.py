"""Contracts that name every module which must not import something: none is forgotten in such a list."""

import tomllib
from collections.abc import Collection, Iterable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
LINTER = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
MAY = {
    "what serves HTTP and assistants only in bots": {"bots"},
    "prefect only in flows": {"flows"},
    "search engines only in indexers": {"indexers"},
    "slack only in bots": {"bots"},
    "prometheus only in consumers": {"consumers"},
    "the command line's library only in cli": {"cli"},
    "models, databases, buses and parsers only in vouch.adapters": {"vouch.adapters"},
    "scikit-learn only where it clusters and fits, never where a model serves": {
        "vouch.adapters.clustering", "vouch.learning.statistics.logistic"},
    "nobody imports tests, migrations or examples": set(),
}


def modules() -> list[str]:
    files = (path.relative_to(ROOT) for top in LINTER["root_packages"] for path in (ROOT / top).rglob("*.py"))
    return [".".join(path.with_suffix("").parts) for path in files if path.name != "__init__.py"]


def left_out(named: Iterable[str], may: Collection[str], every: Iterable[str]) -> list[str]:
    """Modules that the list neither names, nor their package, and that may not import it either."""
    covered = tuple(f"{name}." for name in (*named, *may))
    return sorted(module for module in every if not f"{module}.".startswith(covered))


@pytest.mark.parametrize("name", MAY)
def test_every_module_that_may_not_is_named(name: str) -> None:
    [contract] = [one for one in LINTER["contracts"] if one["name"] == name]
    assert left_out(contract["source_modules"], MAY[name], modules()) == []


def test_lists_that_say_only_are_all_looked_at() -> None:
    only = {one["name"] for one in LINTER["contracts"] if one["type"] == "forbidden" and " only " in one["name"]}
    assert only <= {*MAY}


def test_a_module_left_out_is_found() -> None:
    every = ["vouch.filters", "vouch.adapters.clustering", "vouch.access", "cli.main"]
    assert left_out(["cli", "vouch.access"], ["vouch.adapters"], every) == ["vouch.filters"]
