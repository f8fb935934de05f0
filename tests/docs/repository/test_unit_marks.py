"""`make unit` has tests of every package, but of the command line and flows, that needs no process."""

import ast
from collections.abc import Iterator
from pathlib import Path

from servers.fixtures import SERVERS

ROOT = Path(__file__).parents[3]
LEFT_OUT = {"model", "data", "slow", "services", "soak", "integration"}
TESTED = ("vouch", "indexers", "composition", "services", "consumers", "bots")
INTEGRATION = {"cli", "faults", "flows", "journeys", "servers"}        # whole folders, as tests/conftest.py has it
PROCESSES = {"vouch.adapters.sources.git"}   # runs git


def packages() -> set[str]:
    """Every folder with code; commands and flows are tested as a whole."""
    found = {path.parent for top in TESTED for path in (ROOT / top).rglob("*.py") if path.name != "__init__.py"}
    return {".".join(path.relative_to(ROOT).parts) for path in found} - PROCESSES


def marks(node: ast.AST) -> set[str]:
    """Names behind `pytest.mark.` in it."""
    return {inner.attr for inner in ast.walk(node) if isinstance(inner, ast.Attribute)
            and isinstance(inner.value, ast.Attribute) and inner.value.attr == "mark"}


def has_unit_test(module: ast.Module) -> bool:
    """Whether a test of it carries no mark and asks for no server."""
    named = (node for node in module.body if isinstance(node, ast.Assign))
    if any(marks(node) & LEFT_OUT for node in named if ast.unparse(node.targets[0]) == "pytestmark"):
        return False
    return any(
        isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_")
        and not any(marks(one) & LEFT_OUT and not _is_table(one) for one in node.decorator_list)
        and not SERVERS & {argument.arg for argument in node.args.args}
        for node in module.body
    )


def _is_table(decorator: ast.expr) -> bool:
    """Marks in it are those of single cases."""
    return isinstance(decorator, ast.Call) and ast.unparse(decorator.func).endswith("parametrize")


def used(module: ast.Module) -> Iterator[str]:
    """Packages and modules that it imports."""
    for node in ast.walk(module):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{name.name}" for name in node.names)
        elif isinstance(node, ast.Import):
            yield from (name.name for name in node.names)


def without_unit_tests(modules: list[ast.Module]) -> set[str]:
    covered = {name for module in modules if has_unit_test(module) for name in used(module)}
    return {package for package in packages() if not any(f"{name}.".startswith(f"{package}.") for name in covered)}


def test_every_package_of_the_core_has_tests_in_make_unit() -> None:
    files = [path for path in (ROOT / "tests").rglob("test_*.py")
             if path.relative_to(ROOT / "tests").parts[0] not in INTEGRATION]
    assert without_unit_tests([ast.parse(path.read_text(encoding="utf-8")) for path in files]) == set()


def test_marked_tests_do_not_count() -> None:
    begin = "import pytest\nfrom vouch.retrieval import bm25\n"
    for marked in ("pytestmark = pytest.mark.slow\ndef test_a(): ...", "@pytest.mark.integration\ndef test_a(): ...",
                   "def test_a(kafka_server): ...", "def helper(): ..."):
        assert "vouch.retrieval" in without_unit_tests([ast.parse(begin + marked)])
    assert "vouch.retrieval" not in without_unit_tests([ast.parse(begin + "def test_a(): ...")])
