"""One service for the pages of a module; those that need another one begin their own."""

from collections.abc import Iterator

import pytest
from homes.memory import folder_in_memory
from http_scene.http_place import Place, http_place


@pytest.fixture(scope="module")
def place() -> Iterator[Place]:
    with folder_in_memory() as folder, http_place(folder) as made:
        yield made
