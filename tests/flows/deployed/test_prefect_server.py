"""A real Prefect server and a real process worker: deployed from prefect.yaml, triggered, and a version appears."""

import json
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from learning_scene.past_answers import put
from learning_scene.worse_model import leave_worse
from machines.prefect_place import PrefectPlace, until

from vouch.adapters.ledger import open_ledger
from vouch.adapters.ledger.registry.going_back import put_back

pytestmark = [pytest.mark.model, pytest.mark.slow]


def test_a_deployment_from_prefect_yaml_publishes_a_version(prefect: PrefectPlace, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# Leave\n\nEverybody has thirty days of leave.\n")
    (tmp_path / "access.yaml").write_text('rules:\n  - {match: "**", allow: [public]}\n')
    prefect.run("vouch", "source", "add", "deployed", "--kind", "folder", "--path", str(tmp_path))

    def published() -> list[dict]:
        rows = [json.loads(line) for line in prefect.run("vouch", "versions", "list", "--json").splitlines()]
        return [row for row in rows if row["current"] and documents()]

    def documents() -> str:
        return prefect.run("vouch", "documents", "--source", "deployed", "--json")

    prefect.run("prefect", "deployment", "run", "ingest/every-quarter-hour")
    (row,) = until(published, 120, "the new version")
    assert row["state"] == "published"
    prefect.run("vouch", "source", "remove", "deployed")


def test_a_command_may_run_as_a_flow_and_its_artifact_names_nobody(prefect: PrefectPlace, tmp_path: Path) -> None:
    """Whoever may look at the Prefect server is not whoever may read the documents."""
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "dismissal-of-j-smith.md").write_text("---\naccess: [dismissal planned for May]\n---\nWords.\n")
    (docs / "list.dat").write_bytes(b"no document")
    (docs / "access.yaml").write_text('rules: [{match: "**", allow: [public]}]\n')
    prefect.run("vouch", "source", "add", "papers", "--kind", "folder", "--path", str(docs))
    (report,) = map(json.loads, prefect.run("vouch", "ingest", "papers", "--prefect", "--json").splitlines())
    assert report["documents"]["quarantined"] == 1 and "dismissal" in report["problems"][0]["reason"]
    (artifact, *_) = prefect.asked("artifacts/filter", {"sort": "CREATED_DESC"})
    (row,) = json.loads(artifact["data"])
    assert (row["version"], row["documents quarantined"], row["problems"]) == (report["version"], 1, 1)
    for kind in ("artifacts", "flow_runs", "task_runs", "logs"):
        assert "dismissal" not in json.dumps(prefect.asked(f"{kind}/filter", {})), kind
    runs = prefect.asked("flow_runs/filter", {"sort": "START_TIME_DESC"})
    assert (runs[0]["state_type"], runs[0]["deployment_id"]) == ("COMPLETED", None)
    prefect.run("vouch", "source", "remove", "papers")


def test_the_weekly_report_is_written_and_no_word_of_it_is_on_the_server(prefect: PrefectPlace, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# Qzxfloor\n\nThe qzxfloor is on the roof.\n")
    (tmp_path / "access.yaml").write_text(
        'rules:\n  - {match: "**", allow: [public]}\nowners:\n  - {match: "**", owners: ["group:qzxteam"]}\n')
    prefect.run("vouch", "source", "add", "floors", "--kind", "folder", "--path", str(tmp_path))
    prefect.run("vouch", "ingest", "floors")
    with closing(open_ledger(prefect.home / "ledger.sqlite")) as ledger:
        for n in range(4):
            put(ledger, f"vain{n}", "Where is the qzxfloor?", f"user:{n}", datetime.now(UTC))
    prefect.run("prefect", "deployment", "run", "gaps/every-monday")
    until(lambda: len(list(prefect.home.glob("reports/gaps-*.md"))) == 2, 120, "the reports")
    for report in prefect.home.glob("reports/gaps-*.md"):
        assert "where is the qzxfloor" in report.read_text()
        assert "floors\\:a.md \\(group\\:qzxteam\\)" in report.read_text()

    def artifact() -> list[dict[str, Any]]:
        return [one for one in prefect.asked("artifacts/filter", {}) if one["key"] == "gaps"]

    (row,) = json.loads(until(artifact, 30, "the artifact")[0]["data"])
    assert (row["gaps"], row["questions"], row["owners"]) == (1, 4, 1)
    for kind in ("artifacts", "flow_runs", "task_runs", "logs"):
        assert "qzx" not in json.dumps(prefect.asked(f"{kind}/filter", {})), kind
    prefect.run("vouch", "source", "remove", "floors")


def test_the_daily_digest_is_written_and_no_word_of_it_is_on_the_server(prefect: PrefectPlace, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# Qzxroof\n\nThe qzxroof is above.\n")
    (tmp_path / "access.yaml").write_text('rules:\n  - {match: "**", allow: [public]}\n')
    prefect.run("vouch", "source", "add", "roofs", "--kind", "folder", "--path", str(tmp_path))
    prefect.run("vouch", "ingest", "roofs")
    with closing(open_ledger(prefect.home / "ledger.sqlite")) as ledger:
        for n in range(4):
            put(ledger, f"roof{n}", "Where is the qzxroof?", f"user:{n}", datetime.now(UTC))
    prefect.run("prefect", "deployment", "run", "digest/every-morning")
    (report,) = until(lambda: list(prefect.home.glob("reports/digest-*.md")), 120, "the digest")
    assert "qzxroof" in report.read_text()

    def artifact() -> list[dict[str, Any]]:
        return [one for one in prefect.asked("artifacts/filter", {}) if one["key"] == "digest"]

    (row,) = json.loads(until(artifact, 30, "the artifact")[0]["data"])
    assert (row["owners"], row["gaps"]) == (0, 1)
    for kind in ("artifacts", "flow_runs", "task_runs", "logs"):
        assert "qzxroof" not in json.dumps(prefect.asked(f"{kind}/filter", {})), kind
    prefect.run("vouch", "source", "remove", "roofs")


def test_the_deployed_guard_puts_a_worse_model_back(prefect: PrefectPlace) -> None:
    ledger = open_ledger(prefect.home / "ledger.sqlite")
    leave_worse(ledger, "fusion-20261123-00000001")
    prefect.run("prefect", "deployment", "run", "guard models/every-hour")
    (told,) = until(lambda: put_back(ledger.models), 120, "the former model")
    assert told.startswith("fusion-20261123-00000001 was replaced by what comes with vouch")
    ledger.close()
