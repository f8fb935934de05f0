"""A real Chromium."""

from collections.abc import Iterator
from typing import Any

import pytest
from http_scene.watched_browser import chromium


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as opened:
        yield opened
