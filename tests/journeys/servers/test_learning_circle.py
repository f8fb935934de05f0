"""Learning from use through real parts: Kafka, PostgreSQL, a Prefect server, a worker and a sender.

A question and a vote over Kafka, a training by its deployment, a shadow, a
promotion that a running worker takes, the next answer by the new model, and
a rollback. Most of the votes that a training needs are drawn and were
recorded before.
"""

import json
import subprocess
import uuid
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from learning_scene.answered_ledger import fill
from machines.ledger_place import on_a_server
from machines.prefect_place import PrefectPlace, prefect_place, process, until
from running.compose import command_of
from servers.kafka import Kafka
from servers.postgres import Postgres

pytestmark = [pytest.mark.model, pytest.mark.slow]
QUESTION = "How many days of paid leave are there?"
READY_S, TAKEN_S = 120, 30
ANA = "user:ana@acme.test"


def test_from_a_question_to_a_better_model_and_back(
    kafka_server: Kafka, postgres_server: Postgres, tmp_path: Path
) -> None:
    with ExitStack() as stack:
        place = stack.enter_context(on_a_server(postgres_server))
        prefect = stack.enter_context(prefect_place(tmp_path, **kafka_server.settings(), **{
            "VOUCH_LEDGER__URL": place.url, "VOUCH_LOG__TOPIC_PREFIX": f"{uuid.uuid4().hex[:8]}-",
            "VOUCH_LOG__PARTITIONS": "2", "VOUCH_SHADOW__ANSWERS": "1",
        }))
        ledger = place.open()
        prepare(prefect, tmp_path)
        fill(SimpleNamespace(ledger=ledger), 300, 4)
        for name in ("worker", "sender"):
            started(stack, prefect, name, tmp_path / f"{name}.log")

        first = asked(prefect)
        assert "thirty days" in first["answer"] and first["fused_by"] == "reciprocal ranks"
        voted = json.loads(prefect.run("vouch", "feedback", first["id"], "up", "--as", ANA, "--json"))
        assert voted["answer_id"] == first["id"]

        prefect.run("prefect", "deployment", "run", "train/every-sunday")
        name = until(lambda: ledger.models.pointer("fusion").shadow, READY_S, "a model that shadows")
        made = {(label.source, label.relevance) for label in ledger.labels.list() if label.answer_id == first["id"]}
        assert made >= {("vote", 2), ("cited", 1)}
        assert asked(prefect)["fused_by"] == "reciprocal ranks"     # it only shadows
        seen = json.loads(prefect.run("vouch", "models", "show", name, "--json"))
        assert seen["shadow"]["answers"] >= 1

        prefect.run("vouch", "models", "promote", name)
        until(lambda: asked(prefect)["fused_by"] == name, TAKEN_S, "an answer by the new model")
        prefect.run("vouch", "models", "rollback", "fusion")
        until(lambda: asked(prefect)["fused_by"] == "reciprocal ranks", TAKEN_S, "an answer as before")
        moves = [(move.former, move.model) for move in ledger.models.moves("fusion")]
        assert moves == [(None, name), (name, None)]
        assert set(json.loads(prefect.run("vouch", "status", "--json"))["dead"].values()) == {0}


def prepare(prefect: PrefectPlace, folder: Path) -> None:
    docs, access, people = folder / "docs", folder / "access.yaml", folder / "people.yaml"
    docs.mkdir()
    (docs / "leave.md").write_text("# Leave\n\nEvery employee has thirty days of paid leave a year.\n")
    (docs / "travel.md").write_text("# Travel\n\nTrains are booked at the desk, days ahead.\n")
    access.write_text("rules:\n  - match: '**'\n    allow: [public]\n")
    people.write_text("people:\n  ana@acme.test: {groups: [staff]}\ngroups:\n  staff: {}\n")
    for words in (["source", "add", "docs", "--kind", "folder", "--path", docs, "--access", access],
                  ["directory", "load", people], ["ingest"], ["migrate"]):
        prefect.run("vouch", *map(str, words))


def started(stack: ExitStack, prefect: PrefectPlace, name: str, log: Path) -> subprocess.Popen[bytes]:
    program, *words = command_of(name)
    running = stack.enter_context(process([str(Path(prefect.env["PATH"].split(":")[0]) / program), *words],
                                          prefect.env, log))
    until(lambda: f"{name} ready" in log.read_text(), READY_S, f"the {name}'s start")
    return running


def asked(prefect: PrefectPlace) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(prefect.run("vouch", "ask", QUESTION, "--as", ANA, "--json"))
    return answer
