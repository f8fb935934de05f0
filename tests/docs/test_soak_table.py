"""The table of the long runs: what ran is replaced, what did not stays, what failed says so."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.integration

ROOT = Path(__file__).resolve().parents[2]
TABLE = ROOT / "docs" / "soak.md"
TESTS = """
import pytest

@pytest.mark.soak
def test_sound(figures):
    figures("kills", "3 | 4", "{found}")
    figures("kills", "30", "{found}")

@pytest.mark.soak
@pytest.mark.parametrize("n", ["x y"])
def test_broken(figures, n):
    figures("kills", "3", "0 lost")
    assert {sound}

@pytest.mark.soak
def test_silent():
    pass

def test_short(figures):
    figures("nothing", "of the", "table")
"""


def run(folder: Path, *words: str, **values: object) -> list[str]:
    (folder / "test_it.py").write_text(TESTS.format(**values))
    subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "running.soak_table", "-p", "no:cacheprovider",
         "-o", "markers=soak: long", "--rootdir", folder, "--soak-table", folder / "table.md", *words],
        cwd=folder, env={"PYTHONPATH": str(ROOT / "tests")}, capture_output=True, check=False)
    rows = [line for line in (folder / "table.md").read_text().splitlines() if line.startswith("| `")]
    return [re.sub(r" \| \d+ s \| \d{4}-\d\d-\d\d \|$", "", row) for row in rows]


def test_a_run_replaces_its_own_rows_only(tmp_path):
    first = ["| `test_it.py::test_broken[x y]` |  |  | FAILED", "| `test_it.py::test_silent` |  |  | passed",
             r"| `test_it.py::test_sound` | kills | 3 \| 4 | 0 lost",
             "| `test_it.py::test_sound` | kills | 30 | 0 lost"]
    assert run(tmp_path, found="0 lost", sound=False) == first
    assert run(tmp_path, "-k", "test_sound or test_short", found="1 lost", sound=False) == [
        *first[:2], first[2].replace("0 lost", "1 lost"), first[3].replace("0 lost", "1 lost")]
    assert run(tmp_path, "-k", "test_broken", found="1 lost", sound=True)[0] == (
        "| `test_it.py::test_broken[x y]` | kills | 3 | 0 lost")


def test_the_saved_table_names_long_tests_that_exist_and_nothing_failed():
    rows = [line for line in TABLE.read_text("utf-8").splitlines() if line.startswith("| `")]
    assert rows
    for row in rows:
        path, name = row.split("`")[1].split("::")
        source = (ROOT / path).read_text("utf-8")
        assert "soak" in source and f"def {name.split('[')[0]}(" in source, row
        assert "FAILED" not in row
