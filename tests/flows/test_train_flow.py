"""The deployment of the weekly training on a real Prefect server: from votes to a model that shadows."""

import base64
import json
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from answered_ledger import fill
from prefect_place import PrefectPlace, prefect_place, until

from vouch.adapters.ledger import open_ledger

pytestmark = [pytest.mark.model, pytest.mark.slow]


@pytest.fixture
def prefect(tmp_path: Path) -> Iterator[PrefectPlace]:
    """With a home of its own: what others asked and promoted there would count too."""
    with prefect_place(tmp_path) as place:
        yield place


def test_the_weekly_training_registers_a_candidate_that_shadows(prefect: PrefectPlace) -> None:
    ledger = open_ledger(prefect.home / "ledger.sqlite")
    fill(SimpleNamespace(ledger=ledger), 300, 4)
    prefect.run("prefect", "deployment", "run", "train/every-sunday")

    def shadowing() -> str | None:
        return ledger.models.pointer("fusion").shadow

    name = until(shadowing, 120, "a model that shadows")
    model = ledger.models.get(name)
    assert model.state == "candidate" and ledger.models.pointer("fusion").model is None
    mine = {"artifacts": {"key": {"any_": ["train"]}}}
    artifact = until(lambda: asked(prefect, "artifacts/filter", mine), 30, "the artifact")[0]
    assert name in artifact["data"] and "held out" in artifact["data"]
    spoken = {word.rstrip("?") for one in ledger.labels.list() for word in one.question.split()[2:]}
    for kind in ("artifacts", "flow_runs", "task_runs", "logs"):
        told = json.dumps(asked(prefect, f"{kind}/filter", {}))
        assert not [word for word in spoken if word in told] and "@acme" not in told, kind
    again = json.loads(prefect.run("vouch", "train", "fusion", "--json"))
    assert (again["name"], again["new"], again["next"]) == (name, False, [f"vouch models promote {name}"])
    ledger.close()


def asked(prefect: PrefectPlace, path: str, body: dict[str, Any]) -> list[dict[str, Any]]:
    login = base64.b64encode(prefect.env["PREFECT_API_AUTH_STRING"].encode()).decode()
    request = urllib.request.Request(
        f"{prefect.env['PREFECT_API_URL']}/{path}", data=json.dumps(body).encode(),
        headers={"Content-Type": "application/json", "Authorization": f"Basic {login}"},
    )  # fmt: skip
    with urllib.request.urlopen(request, timeout=10) as reply:
        rows: list[dict[str, Any]] = json.load(reply)
    return rows
