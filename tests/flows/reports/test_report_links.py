"""Reports are never behind a link, where a purge would neither search nor delete."""

from datetime import date

import pytest
from homes.purge_scene import run

from flows.shared.home_files.folders import report_folder
from flows.shared.home_files.weekly_reports import write_files
from flows.training import training_files
from flows.training.training_files import write_report
from vouch.errors import Damaged

DAY = date(2026, 11, 23)
LINKS = ["reports", "trainings", "evaluations", "training-searches", "reports/gaps-2026-11-23.md", "trainings/fusion-1",
         "training-searches/labels"]


def linked(home, tmp_path, name):
    outside = tmp_path / "outside"
    outside.mkdir()
    (home / name).parent.mkdir(parents=True, exist_ok=True)
    (home / name).symlink_to(outside)
    return outside


@pytest.mark.parametrize("name", LINKS)
def test_a_purge_does_not_begin_while_reports_are_behind_a_link(kept, tmp_path, name):
    linked(kept.home, tmp_path, name)
    version = kept.ledger.versions.current()
    with pytest.raises(Damaged, match=r"is a link.*put a folder"):
        run(kept)
    assert kept.ledger.purges.all() == [] and kept.ledger.versions.current() == version
    (kept.home / name).unlink()
    run(kept)
    assert kept.ledger.purges.unfinished() == []


@pytest.mark.parametrize("write", [
    lambda home: write_files(home, DAY, {"md": "words"}), lambda home: report_folder(home, "reports", "fusion-1"),
    lambda home: write_report(home, "fusion-1", {}),
])
def test_no_report_is_written_through_a_link(tmp_path, write, monkeypatch):
    monkeypatch.setattr(training_files, "pictures", lambda report: {})
    monkeypatch.setattr(training_files, "markdown", lambda *told: "")
    (tmp_path / "home").mkdir()
    outside = linked(tmp_path / "home", tmp_path, "reports")
    (tmp_path / "home" / "trainings").symlink_to(outside)
    with pytest.raises(Damaged, match="is a link"):
        write(tmp_path / "home")
    assert list(outside.iterdir()) == []
