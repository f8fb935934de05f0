"""Hidden documents change nothing of the web branch: whether the web is asked, with what, and what comes of it."""

from dataclasses import replace
from typing import Any

import pytest
from fakes.hashed_models import OverlapReranker
from fakes.noted_web import NotedWeb, web_passage
from homes.memory import folder_in_memory
from hypothesis import given, settings
from two_world.answers import loop_components, observed_answer
from two_world.drawing import ALIKE, world_pairs
from two_world.worlds import ANALYSER, WORDS, Pair, Step, open_world

from vouch.access import PUBLIC, Label
from vouch.correction.components import Outside
from vouch.learning.models.evaluator_model import load_evaluator

PAIRS = 60
pytestmark = [pytest.mark.integration, pytest.mark.usefixtures("quick_disk")]
WEB = [web_passage(" ".join(WORDS[n : n + 6]) + ".", str(n)) for n in range(0, len(WORDS) - 6, 4)][:6]


def observed(pair: Pair, side: tuple[Step, ...]) -> dict[str, Any]:
    web = NotedWeb(*WEB)
    with folder_in_memory() as home:
        world = open_world(home, side)
        made = loop_components(world, world.encoder, OverlapReranker(ANALYSER), load_evaluator())
        outside = Outside(web, Label(frozenset({PUBLIC})))
        return {"asked": web.asked, **observed_answer(replace(made, outside=outside), pair)}


def test_hidden_documents_change_nothing_of_the_web() -> None:
    asked = []

    @settings(ALIKE, max_examples=PAIRS)
    @given(world_pairs())
    def check(pair: Pair) -> None:
        first, second = observed(pair, pair.first), observed(pair, pair.second)
        assert first == second and set(first["asked"]) <= {pair.question}
        asked.append(bool(first["asked"]))

    check()
    assert sum(asked) >= PAIRS / 4
