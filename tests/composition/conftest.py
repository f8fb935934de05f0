"""A registry over a ledger, whose clock is turned by hand."""

import pytest
from learning_scene.registry_rows import Clock

from composition.model_registry.registry import Registry
from vouch.adapters.ledger import Ledger
from vouch.settings import Settings


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def registry(ledger: Ledger, clock: Clock) -> Registry:
    return Registry(Settings(), ledger.models, clock)
