"""Reports of trainings lie apart from the weekly ones, and only the owner of the home reads them."""

import json
import os
import stat
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from flows.shared.home_files.weekly_reports import forget_reports
from flows.training import training_files
from flows.training.training_files import write_report
from vouch.errors import Unavailable
from vouch.learning.drift.drift_look import Drift, Period, Standing
from vouch.learning.drift.stability import Stability, wilson


@pytest.fixture(autouse=True)
def drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training_files, "pictures", lambda report: {"gains": "<svg/>"})
    monkeypatch.setattr(training_files, "markdown", lambda name, report, files: f"# {name} {report['gain']}\n")


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def written(home: Path, **report: Any) -> Path:
    return write_report(home, "fusion-1", {"gain": 0.1} | report)


def test_a_purge_forgets_the_weekly_reports_and_no_training(tmp_path: Path) -> None:
    (tmp_path / "reports").mkdir()
    (tmp_path / "reports" / "gaps-2026-11-23.md").write_text("words of questions")
    folder = written(tmp_path)
    forget_reports(tmp_path)
    assert not (tmp_path / "reports").exists() and folder == tmp_path / "trainings" / "fusion-1"
    assert {file.name for file in folder.iterdir()} == {"report.md", "report.json", "gains.svg"}
    assert json.loads((folder / "report.json").read_text()) == {"gain": 0.1}


def test_the_page_tells_the_drift_of_the_moment_and_the_numbers_of_the_training_stay(tmp_path: Path) -> None:
    since = datetime(2026, 11, 16, tzinfo=UTC)
    standing = Standing(Period(since, since, "the last 7 days"), wilson(12, 60), wilson(9, 10))
    drift = Drift(standing, standing, {"bm25_score": Stability(0.31, 0.05)})
    folder = write_report(tmp_path, "fusion-1", {"gain": 0.1}, drift)
    page = (folder / "report.md").read_text()
    assert "## Drift" in page and "(drift.svg)" in page and "20.0%" in page and "0.310" in page and "yes" in page
    assert "bm25_score" in (folder / "drift.svg").read_text()
    assert json.loads((folder / "report.json").read_text()) == {"gain": 0.1}
    few = Drift(standing, None, {}, "fewer than 30 answers")
    assert "were not compared" in (write_report(tmp_path, "fusion-2", {"gain": 1}, few) / "report.md").read_text()


def test_only_the_owner_reads_them_whatever_the_mask_and_what_was_there(tmp_path: Path) -> None:
    left = tmp_path / "trainings" / "fusion-1"
    left.mkdir(parents=True)
    for name in ("report.md", ".report.md.new"):
        (left / name).write_text("old")
        (left / name).chmod(0o666)
    before = os.umask(0)
    try:
        folder = written(tmp_path, gain=0.2)
    finally:
        os.umask(before)
    assert mode(folder) == mode(folder.parent) == 0o700
    assert {mode(file) for file in folder.iterdir()} == {0o600} and len(list(folder.iterdir())) == 3
    assert (folder / "report.md").read_text() == "# fusion-1 0.2\n"


def test_a_home_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "trainings").write_text("a file")
    with pytest.raises(Unavailable, match="trainings"):
        written(tmp_path)
