"""A promoted agent plans the steps within seconds, a rollback ends that, and one that cannot be used gives way."""

import logging
from dataclasses import replace
from typing import Any

import pytest
from learning_scene.registry_rows import NOW, Clock, point, promote, with_body

from composition.model_registry.registered import Fitting
from composition.model_registry.registry import LOOK_S, Registry
from composition.model_registry.serving import SHIPPED_AGENT, without_registry
from vouch.adapters.ledger import Ledger, RegisteredModel
from vouch.adapters.ledger.registry.going_back import way_back
from vouch.correction.planning.planners import SHIPPED, Actor
from vouch.learning.models.agent_model import model_of
from vouch.learning.models.model_file import registered_name
from vouch.settings import Settings

FOLLOWS = Actor(follows=True)


def agent_row(actor: Actor = FOLLOWS) -> RegisteredModel:
    model = model_of(actor)
    name = registered_name("agent", NOW.date(), model.fingerprint)
    return RegisteredModel(name, "agent", "candidate", model.model_dump(mode="json"), {}, None, NOW)


def test_a_promotion_and_a_rollback_are_taken(registry: Registry, ledger: Ledger, clock: Clock) -> None:
    assert registry().agent == SHIPPED_AGENT == without_registry(Settings()).agent
    assert SHIPPED_AGENT == (SHIPPED, "rules")
    first, second = promote(ledger, agent_row()), promote(ledger, agent_row(replace(FOLLOWS, steps=2)))
    clock.now += LOOK_S
    assert registry().agent == (replace(FOLLOWS, steps=2), second)
    for expected in (first, None):
        assert way_back(ledger.models, "agent", Fitting(Settings(), ledger.models)) == {"agent": expected}
        point(ledger, "agent", expected, back=True)
        clock.now += LOOK_S
        assert registry().agent == ((FOLLOWS, first) if expected else SHIPPED_AGENT)


@pytest.mark.parametrize("change", [
    {"steps": 99}, {"templates": []}, {"code": "import os"}, {"refused": "it loses"}, {"follows": False},
])
def test_one_that_cannot_be_used_gives_way_and_says_so_once(
    registry: Registry, ledger: Ledger, clock: Clock, change: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    name = promote(ledger, with_body(agent_row(), **change))
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            assert registry().agent == (SHIPPED, f"rules (the registered model {name} cannot be used)")
            clock.now += LOOK_S
    assert len(caplog.records) == 1
