"""Hidden documents change no byte that a reader gets by HTTP: no body, no header, no status, no size."""

from dataclasses import dataclass, replace
from typing import Any

import pytest
from http_two_worlds import differences, draw

from bots.http.app import Service
from bots.http.backend import Library


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_hidden_documents_change_nothing(seed: int) -> None:
    assert differences(draw(seed)) == []


@pytest.mark.soak
def test_hidden_documents_change_nothing_in_500_pairs() -> None:
    found = {seed: told for seed in range(1000, 1500) if (told := differences(draw(seed)))}
    assert found == {}


@dataclass
class Counting:
    """Plants a count of all documents, hidden ones too, beside the results of a search."""

    library: Any

    def search(self, text: str, tags: Any, top: int, mode: str) -> dict[str, Any]:
        documents = len(self.library.index.version().headers)
        return {**self.library.search(text, tags, top, mode), "warnings": [f"searched {documents} documents"]}

    def show(self, *words: Any) -> Any:
        return self.library.show(*words)

    def document(self, *words: Any) -> Any:
        return self.library.document(*words)


@dataclass
class Telling(Counting):
    """Plants an error that tells a hidden document from one that does not exist."""

    def search(self, *words: Any) -> Any:
        return self.library.search(*words)

    def document(self, source: str, path: str, tags: Any) -> Any:
        from vouch.errors import NotFound

        if self.library.index.version().find((source, path)) is None:
            raise NotFound("there is no such document")
        return self.library.document(source, path, tags)


@pytest.mark.slow
@pytest.mark.parametrize(("plant", "seen"), [(Counting, "search"), (Telling, "document")])
def test_a_planted_difference_is_caught(plant: type, seen: str) -> None:
    def planted(service: Service) -> Service:
        library: Library = plant(service.library)
        return replace(service, library=library)

    pair = draw(3)
    assert len(pair.hidden[0]) != len(pair.hidden[1])
    found = differences(pair, planted)
    assert found and all(name.startswith(seen) for name in found)
