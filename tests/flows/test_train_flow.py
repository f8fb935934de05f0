"""The deployment of the weekly training on a real Prefect server: from votes to a model that shadows."""

import json
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

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
    artifact = until(lambda: prefect.asked("artifacts/filter", mine), 30, "the artifact")[0]
    assert name in artifact["data"] and "held out" in artifact["data"]
    spoken = {word.rstrip("?") for one in ledger.labels.list() for word in one.question.split()[2:]}
    for kind in ("artifacts", "flow_runs", "task_runs", "logs"):
        told = json.dumps(prefect.asked(f"{kind}/filter", {}))
        assert not [word for word in spoken if word in told] and "@acme" not in told, kind
    again = json.loads(prefect.run("vouch", "train", "fusion", "--json"))
    assert (again["name"], again["new"], again["next"]) == (name, False, [f"vouch models promote {name}"])
    ledger.close()
