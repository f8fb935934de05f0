"""No module imports another in a circle, and no package does: neither beside one another, nor at any depth."""

import ast
from collections import defaultdict
from collections.abc import Iterable, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PACKAGES = ("bots", "cli", "composition", "consumers", "flows", "indexers", "services", "vouch")
Graph = Mapping[str, set[str]]


def imports() -> Graph:
    """Which modules each module imports, wherever in it, also for types alone."""
    files = {path for top in PACKAGES for path in (ROOT / top).rglob("*.py")}
    named = {".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path for path in files}
    return {name: set(_imported(ast.parse(path.read_text(encoding="utf-8")), named)) - {name}
            for name, path in named.items()}


def _imported(module: ast.Module, named: Mapping[str, Path]) -> Iterable[str]:
    for node in ast.walk(module):
        if isinstance(node, ast.ImportFrom) and node.module:
            inner = [f"{node.module}.{one.name}" for one in node.names]
            yield from (name if name in named else node.module for name in inner)
        elif isinstance(node, ast.Import):
            yield from (one.name for one in node.names)


def siblings(graph: Graph, depth: int) -> Graph:
    """The same among what lies in one folder: names cut to `depth` parts, edges where they part at the last one."""
    found: dict[str, set[str]] = defaultdict(set)
    for name, others in graph.items():
        mine = name.split(".")[:depth]
        for other in others:
            theirs = other.split(".")[:depth]
            if len(mine) == len(theirs) == depth and mine != theirs and mine[:-1] == theirs[:-1]:
                found[".".join(mine)].add(".".join(theirs))
    return found


def circle(graph: Graph) -> list[str]:
    """One of its circles; empty if it has none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


@pytest.fixture(scope="module")
def graph() -> Graph:
    found = imports()
    assert len(found) > 500 and "vouch.errors" in found["vouch.access"]
    return found


def test_modules_import_one_another_in_no_circle(graph: Graph) -> None:
    assert circle(graph) == []


@pytest.mark.parametrize("depth", [1, 2, 3, 4, 5])
def test_packages_import_one_another_in_no_circle(graph: Graph, depth: int) -> None:
    assert circle(siblings(graph, depth)) == []


def test_planted_circles_are_found() -> None:
    assert circle({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}})
    assert circle(siblings({"a.b.x": {"a.c.y"}, "a.c.z": {"a.b.w"}, "a.c.y": set(), "a.b.w": set()}, 2))
