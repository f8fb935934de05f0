"""Nothing in the repository points outside it or at a package registry, and the core stays plain Python."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
OUTSIDE = re.compile(r"(?<![\w.-])/(?:work|root)/|\.\./" + "shared")
REGISTRIES = re.compile("(?:pypi|pythonhosted)" + r"\.org|--(?:extra-)?index" + "-url|--find" + "-links")
MAY_POINT_OUTSIDE = {".ci/run"}
CORE_MAY_IMPORT = {*sys.stdlib_module_names, "numpy", "pydantic", "vouch"}


def texts() -> dict[str, str]:
    done = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if done.returncode:
        pytest.skip("not a git checkout")
    found = {}
    for name in done.stdout.splitlines():
        try:
            found[name] = (ROOT / name).read_text(encoding="utf-8")
        except (UnicodeDecodeError, FileNotFoundError):
            continue
    return found


def test_no_path_outside_the_project() -> None:
    found = [n for n, text in texts().items() if OUTSIDE.search(text) and n not in MAY_POINT_OUTSIDE]
    assert found == []


def test_no_registry_address() -> None:
    assert [name for name, text in texts().items() if REGISTRIES.search(text)] == []


def test_the_patterns_find_what_they_are_for() -> None:
    assert OUTSIDE.search("see /" + "work/data") and OUTSIDE.search("cd ../" + "shared")
    assert not OUTSIDE.search("how-we-work/software.md")
    assert REGISTRIES.search("https://pypi" + ".org/simple")


MORE = {"reading.py": {"pydantic_settings"}, "logistic.py": {"sklearn"}}       # it fits, and serves nobody


def imported(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module.split(".")[0])
    return found


def test_the_core_imports_the_standard_library_numpy_and_pydantic_only() -> None:
    core = [p for p in (ROOT / "vouch").rglob("*.py") if "adapters" not in p.relative_to(ROOT / "vouch").parts]
    assert len(core) > 10
    for path in core:
        assert imported(path) <= CORE_MAY_IMPORT | MORE.get(path.name, set()), path.relative_to(ROOT)


def test_import_linter_knows_every_root_package() -> None:
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    listed = re.search(r"^root_packages = \[(.*)\]$", project, re.MULTILINE)
    assert listed is not None
    assert set(re.findall(r'"(\w+)"', listed[1])) == {path.parent.name for path in ROOT.glob("*/__init__.py")}
