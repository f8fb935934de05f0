"""Four workers beside an ingest on SQLite: nobody meets a locked database, and every question is answered once."""

from pathlib import Path
from typing import Any

import pytest
from running.script_run import run_script
from running.soak_table import Figures

pytestmark = pytest.mark.integration


def together(folder: Path, documents: int, questions: int, steps: int, *planted: str) -> dict[str, Any]:
    script = Path(__file__).with_name("many_workers.py")
    [found] = run_script(script, folder, documents, questions, 4, steps, *planted, timeout_s=1500)
    print(found)
    return found


def check(found: dict[str, Any], documents: int, steps: int) -> None:
    seconds = found["codes"].pop("seconds")
    assert set(found["codes"].values()) == {0}
    assert (found["lock_lines"], found["other_lines"]) == ([], [])
    assert (found["unanswered"], found["doubled"], found["dead"], found["lag"], found["attempts_left"]) == (0,) * 5
    assert (found["documents"], found["versions"]) == (documents, steps + 1)
    assert found["found"] > 0 and seconds >= 0


@pytest.mark.slow
def test_four_workers_beside_an_ingest(memory_folder: Path) -> None:
    check(together(memory_folder, 240, 40, 3), 240, 3)


@pytest.mark.slow
def test_the_harness_sees_those_who_do_not_wait_for_a_lock(memory_folder: Path) -> None:
    assert together(memory_folder, 60, 30, 2, "impatient")["lock_lines"]


@pytest.mark.soak
def test_four_workers_beside_an_ingest_of_ten_thousand_documents(tmp_path: Path, figures: Figures) -> None:
    found = together(tmp_path, 10_000, 400, 10)
    figures("4 workers beside an ingest on SQLite", "10,000 documents, 400 questions",
            f"{len(found['lock_lines'])} lock errors, {found['unanswered']} lost, {found['doubled']} double, "
            f"{found['dead']} dead")
    check(found, 10_000, 10)
