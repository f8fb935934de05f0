"""A real Prefect server and a real process worker: deployed from prefect.yaml, triggered, and a version appears."""

import json
from pathlib import Path

import pytest
from prefect_place import PrefectPlace, until

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
