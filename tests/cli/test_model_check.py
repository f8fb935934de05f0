"""A worse model is put back by the command, and the owner is told by status and doctor until somebody moves it."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from answered import leave_answer
from fusion_models import model_of

from cli.wiring.administration import open_administration
from vouch.adapters.ledger import Ledger
from vouch.adapters.ledger.model_rows import RegisteredModel

Vouch = Callable[..., tuple[int, str, str]]
NAME, OTHER = "fusion-20261123-00000001", "fusion-20261123-00000002"
BEGIN = datetime(2026, 11, 1, tzinfo=UTC)


def promote(ledger: Ledger, name: str, at: datetime) -> None:
    body = model_of({"sem_rrf": 1.0}).model_dump(mode="json")
    ledger.models.add(RegisteredModel(name, "fusion", "candidate", body, {}, None, at))
    moves = ledger.models.pointer("fusion").moves
    ledger.models.move("fusion", name, expected=moves, reason="promoted", by="ana", at=at)


@pytest.fixture
def worse(home: Any) -> Ledger:
    """80 good answers by what comes with vouch, then 60 that nobody likes."""
    ledger = open_administration().ledger
    for number in range(140):
        at, person, good = BEGIN + timedelta(minutes=number), f"user:p{number % 40}@acme.test", number < 80
        if number == 80:
            promote(ledger, NAME, at)
        leave_answer(
            ledger, number, at, asker=person, action="answered" if good or number % 3 == 0 else "declined",
            cited=int(good or number % 3 == 0), confidence=0.7 if good else 0.3,
            fused_by="reciprocal ranks" if good else NAME, votes={person: "up" if good else "down"},
        )  # fmt: skip
    return ledger


def rows(out: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in out.splitlines()]


@pytest.mark.slow
def test_a_worse_model_is_put_back_and_the_owner_is_told(vouch: Vouch, worse: Ledger) -> None:
    code, out, _ = vouch("models", "check", "--json", VOUCH_GUARD__ENABLED="false")
    assert code == 0 and [row["outcome"] for row in rows(out)] == ["worse"]
    assert worse.models.pointer("fusion").model == NAME
    code, out, _ = vouch("models", "check")
    head = f"put back: fusion {NAME} against what comes with vouch, 60 answers so far"
    assert code == 0 and " ".join(out.split()).startswith(head)
    assert "votes" in out and "may fall to" in out
    assert worse.models.pointer("fusion").model is None
    code, out, _ = vouch("models", "check")
    assert code == 0 and out.startswith("no promoted model is there")

    told = f"{NAME} was replaced by what comes with vouch"
    assert told in json.loads(vouch("status", "--json")[1])["put_back"][0]
    assert told in " ".join(vouch("status")[1].split())
    (check,) = [row for row in rows(vouch("doctor", "--json")[1]) if row["check"] == "guard"]
    assert check["sound"] and told in check["warnings"][0]

    promote(worse, OTHER, datetime.now(UTC))
    assert json.loads(vouch("status", "--json")[1])["put_back"] == []
    code, out, _ = vouch("models", "check")
    assert code == 0 and out.startswith("too few: ")
