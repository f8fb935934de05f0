"""A worse model is put back by the command, and the owner is told by status and doctor until somebody moves it."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from learning_scene.worse_model import leave_worse, promote

from cli.wiring.administration import open_administration
from vouch.adapters.ledger import Ledger

Vouch = Callable[..., tuple[int, str, str]]
NAME, OTHER = "fusion-20261123-00000001", "fusion-20261123-00000002"


@pytest.fixture
def worse(home: Any, monkeypatch: pytest.MonkeyPatch) -> Ledger:
    monkeypatch.setenv("VOUCH_SLACK__OWNERS", "user:boss@acme.test")
    ledger = open_administration().ledger
    leave_worse(ledger, NAME)
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
    assert [one.endswith("user:boss@acme.test") for one in worse.notices.waiting()] == [True]
    (row,) = [row for row in rows(vouch("models", "list", "--json")[1]) if row["name"] == NAME]
    assert row["put_back"].startswith(f"{NAME} was replaced by what comes with vouch")
    assert "the guard put the former back" in " ".join(vouch("models", "list")[1].split())
    assert "put back" in vouch("models", "show", NAME)[1]
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
