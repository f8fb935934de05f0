"""An index on a real Elasticsearch, for the tests that ask for one."""

from pathlib import Path

import pytest
from servers.elastic import Elasticsearch
from two_world.elastic import engines_at
from two_world.worlds import Engines


@pytest.fixture
def engines(elasticsearch_server: Elasticsearch) -> Engines:
    return engines_at(elasticsearch_server.url)


@pytest.fixture
def home(memory_folder: Path) -> Path:
    """Where the index lies besides."""
    return memory_folder
