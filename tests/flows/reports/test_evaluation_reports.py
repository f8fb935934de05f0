"""Reports of evaluations: kept whole, listed the newest first, and never read from elsewhere."""

import json
import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from flows.shared.home_files.evaluation_reports import evaluation, evaluation_picture, evaluations, save_evaluation
from vouch.errors import Damaged, NotFound

NOW = datetime(2026, 11, 23, 10, tzinfo=UTC)
REPORT: dict[str, Any] = {"figures": {"stages": {"fused": {"ndcg@10": 0.7, "ndcg@10_interval": [0.6, 0.8]}}}}


def test_a_report_is_kept_with_its_page_and_pictures_for_its_owner_alone(tmp_path: Path) -> None:
    folder = save_evaluation(tmp_path, "retrieval", "scifact", NOW, REPORT)
    assert folder == tmp_path / "evaluations" / "retrieval-20261123T100000"
    assert {file.name for file in folder.iterdir()} == {"report.json", "report.md", "stages.svg"}
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    found = evaluation(tmp_path, folder.name)
    assert found["of"] == "scifact" and found["figures"] == REPORT["figures"]
    assert [one["name"] for one in found["pictures"]] == ["stages"]
    assert evaluation_picture(tmp_path, folder.name, "stages").startswith("<svg")


def test_the_newest_come_first_and_two_of_a_second_are_two(tmp_path: Path) -> None:
    for kind, at in (("answers", NOW), ("retrieval", NOW - timedelta(days=1)), ("answers", NOW), ("evaluator", NOW)):
        save_evaluation(tmp_path, kind, "x", at, {"figures": {}})  # type: ignore[arg-type]
    names = [one["name"] for one in evaluations(tmp_path)]
    assert names[0] == "answers-20261123T100000-2" and names[-1] == "retrieval-20261122T100000" and len(names) == 4
    assert [one["name"] for one in evaluations(tmp_path, 1)] == names[:1]
    assert evaluations(tmp_path / "none") == []


def test_what_is_no_report_is_not_listed(tmp_path: Path) -> None:
    folder = save_evaluation(tmp_path, "answers", "x", NOW, {"figures": {}})
    for name, text in (("answers-20261123T100001", "not json"), ("answers-20261123T100002", "[]"),
                       ("answers-20261123T100003", json.dumps({"name": "another", "figures": {}}))):
        (tmp_path / "evaluations" / name).mkdir()
        (tmp_path / "evaluations" / name / "report.json").write_text(text)
    (tmp_path / "evaluations" / "notes").mkdir()
    assert [one["name"] for one in evaluations(tmp_path)] == [folder.name]


@pytest.mark.parametrize("name", ["../home", "answers-20261123T100000/..", "", "answers-1", "answers-20261123T999999x"])
def test_no_name_leads_elsewhere(tmp_path: Path, name: str) -> None:
    folder = save_evaluation(tmp_path, "answers", "x", NOW, {"figures": {}})
    with pytest.raises(NotFound):
        evaluation(tmp_path, name)
    with pytest.raises(NotFound):
        evaluation_picture(tmp_path, name, "stages")
    (tmp_path / "evaluations" / "other.svg").write_text("<svg/>")
    with pytest.raises(NotFound):
        evaluation_picture(tmp_path, folder.name, "../other")


def test_nothing_is_read_or_written_through_a_link(tmp_path: Path) -> None:
    home, outside = tmp_path / "home", tmp_path / "outside"
    kept = save_evaluation(outside, "answers", "x", NOW, {"figures": {}})
    home.mkdir()
    (home / "evaluations").symlink_to(outside / "evaluations")
    assert evaluations(home) == []
    with pytest.raises(NotFound):
        evaluation(home, kept.name)
    with pytest.raises(Damaged):
        save_evaluation(home, "answers", "x", NOW + timedelta(hours=1), {"figures": {}})
