"""How sure an answer is: the page tells what the number was made of, whichever way it was made."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import pytest
from homes.memory import folder_in_memory
from http_scene.html_page import complaints
from http_scene.http_place import http_place

from bots.confidence_words import in_numbers
from bots.http.app import Service

TOKENS = "How often are the vault tokens rotated?"
SUMMED = {"rerank": 0.91, "citations": 1.0, "facts": 0.5}


@dataclass
class Summed:
    """Answers and traces as with VOUCH_ANSWERING__CONFIDENCE=sum."""

    within: Any

    def __getattr__(self, name: str) -> Any:
        return getattr(self.within, name)

    def look(self, *asked: Any) -> Any:
        found = self.within.look(*asked)
        return found and _summed(found)

    def trace(self, *asked: Any, **how: Any) -> Any:
        return _summed(self.within.trace(*asked, **how))


def _summed(body: Mapping[str, Any]) -> dict[str, Any]:
    parts = {**body["confidence"]["parts"], **SUMMED}
    return {**body, "confidence": {"value": 0.86, "level": "high", "parts": parts}}


def summed(service: Service) -> Service:
    questions: Any = Summed(service.questions)
    traces: Any = Summed(service.traces)
    return replace(service, questions=questions, traces=traces)


def rows(page: str) -> dict[str, str]:
    return dict(re.findall("<dt>([^<]+)</dt><dd>([0-9.]+)</dd>", page))


@pytest.mark.slow
def test_a_sum_is_told_with_its_own_parts_and_no_others() -> None:
    with folder_in_memory() as folder, http_place(folder, changed=summed) as place:
        ana = place.person("ana")
        page = ana.ask_on_page(TOKENS)
        assert rows(page.text) == {
            "In all": "0.86", "The closest passage fits the question": "0.91",
            "The quotes of the sentences hold": "1.00", "The numbers stand in the quotes": "0.50"}
        assert "The passages score 91% for the question." in page.text and complaints(page.text) == []
        link = re.search('href="(/answers/[0-9a-f]+/trace)"', page.text)
        assert link
        assert "Confidence high, 0.86: rerank 0.91, citations 1.00, facts 0.50</p>" in ana.get(link[1]).text


def test_a_product_is_told_with_its_own_parts() -> None:
    parts = {"evaluator": 0.9, "support": 1.0, "agreement": 0.5}
    assert in_numbers({"value": 0.8, "parts": parts}) == [
        ("In all", 0.8), ("The passages hold the answer", 0.9), ("The quotes carry the sentences", 1.0),
        ("The searches agree", 0.5)]
