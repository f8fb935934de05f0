"""The deployment of the weekly training on a real Prefect server: from votes to a model that shadows."""

import json
import random
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from types import SimpleNamespace

import pytest
from learning_scene.answered_ledger import fill
from learning_scene.labeled_scene import BEGAN, words
from machines.prefect_place import ROOT, PrefectPlace, prefect_place, until

from vouch.access import PUBLIC
from vouch.adapters.ledger import open_ledger
from vouch.learning.labels.label import Label

pytestmark = [pytest.mark.model, pytest.mark.slow]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PrefectPlace]:
    """With a home of its own: what others asked and promoted there would count too."""
    with prefect_place(tmp_path_factory.mktemp("training")) as made:
        yield made


@pytest.fixture
def prefect(place: PrefectPlace) -> PrefectPlace:
    """Its home is empty, and what ran there has ended."""
    running = {"flow_runs": {"state": {"type": {"any_": ["PENDING", "RUNNING"]}}}}
    until(lambda: not place.asked("flow_runs/filter", running), 60, "the end of what ran")
    shutil.rmtree(place.home, ignore_errors=True)
    return place


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


def test_the_weekly_training_goes_on_with_one_that_was_killed(prefect: PrefectPlace) -> None:
    papers = prefect.folder / "papers"
    papers.mkdir()
    draw = random.Random(5)
    topics = [words(draw, 3) for _ in range(8)]
    for n, topic in enumerate(topics):
        (papers / f"{n}.md").write_text(f"# Paper {n}\n\nThe {topic} is {words(draw, 5)}.\n")
    (prefect.folder / "access.yaml").write_text('rules:\n  - match: "**"\n    allow: [public]\n')
    prefect.run("vouch", "source", "add", "papers", "--kind", "folder", "--path", str(papers),
                "--access", str(prefect.folder / "access.yaml"))
    prefect.run("vouch", "ingest")
    ledger = open_ledger(prefect.home / "ledger.sqlite")
    found = json.loads(prefect.run("vouch", "search", topics[0], "--json"))["results"][0]["chunk_id"]
    ledger.labels.put([
        Label(f"What is {topic}?", (PUBLIC,), found, None, 1, 2, "judged", 1.0, BEGAN, f"user:p{n}@acme.test")
        for n, topic in enumerate(topics)
    ])
    ledger.close()
    killed = subprocess.run([sys.executable, "-c", KILLED], cwd=ROOT, env=prefect.env, capture_output=True, timeout=180)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert (prefect.home / "training-searches" / "labels").stat().st_size > 1000
    prefect.run("prefect", "deployment", "run", "train/every-sunday")

    def resumed() -> bool:
        return any("resuming: 5 of 8" in row["message"] for row in prefect.asked("logs/filter", {}))

    until(resumed, 120, "that it goes on")


KILLED = """
import os, signal
from datetime import UTC, datetime
from flows.training.finding import Finder
from flows.training.retraining import train
from flows.wiring.training import build_training
find, asked = Finder.find, []
def found(self, question, tags):
    asked.append(question)
    if len(asked) == 6:
        os.kill(os.getpid(), signal.SIGKILL)
    return find(self, question, tags)
Finder.find = found
train(build_training(), 0, datetime.now(UTC))
"""
