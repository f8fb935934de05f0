"""Hidden documents change nothing of a follow-up: how it is completed, what a language model is told, the answer."""

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import pytest
from fakes.hashed_models import OverlapReranker
from homes.memory import folder_in_memory
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from machines.asked_thread import Thread
from model_fakes.chat_server import ChatServer, says
from model_fakes.language_model import model, models
from two_world.answers import EXEMPT, exact, loop_components
from two_world.drawing import ALIKE, world_pairs
from two_world.worlds import ANALYSER, AUDIENCES, NOW, Pair, Step, open_world

from consumers.questions import follow_ups
from consumers.questions.follow_ups import FollowUps, Titles
from vouch.adapters.language_model.follow_ups import LanguageModelCompleter
from vouch.learning.models.evaluator_model import load_evaluator

PAIRS = 60
LATER = "And for budget?"
FIRST_READERS = st.none() | st.sampled_from(AUDIENCES).map(tuple)
pytestmark = [pytest.mark.integration, pytest.mark.usefixtures("quick_disk")]


def observed(pair: Pair, side: Sequence[Step], readers: tuple[str, ...] | None, server: ChatServer | None) -> Any:
    """In a conversation that `readers` begin and the pair's audience goes on with; None: these alone from the start.

    Of the first answer, which is for others, nothing. A stranger asks: whoever asks may be told of more for them alone.
    """
    with folder_in_memory() as home:
        world = open_world(home, tuple(side))
        made = loop_components(world, world.encoder, OverlapReranker(ANALYSER), load_evaluator())
        if server is not None:
            made = replace(made, completer=LanguageModelCompleter(models(model(server.url)), ANALYSER.terms))
        thread = Thread(world.permissions, world.index, made, lambda: NOW, readers or pair.tags, together=True)
        thread.ask(f"And {pair.question}?", asker="public")
        if server is not None:
            server.raw.clear()
        thread.readers = pair.tags
        outcome = thread.ask(LATER, asker="public")
        answer = {k: v for k, v in outcome.answer.model_dump(mode="json").items() if k not in EXEMPT | {"tokens"}}
        return {"answer": exact(answer), "candidates": exact(outcome.candidates), "given": list(outcome.given),
                "sent": [] if server is None else server.raw[:]}


def differences(pair: Pair, readers: tuple[str, ...] | None, server: ChatServer | None = None) -> tuple[Any, list[str]]:
    first, second = (observed(pair, side, readers, server) for side in (pair.first, pair.second))
    return first, [name for name in first if first[name] != second[name]]


@pytest.fixture(autouse=True)
def _titles_always(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if no earlier question named anything: drawn ones do."""
    monkeypatch.setattr(follow_ups, "name_nothing", lambda turns, analyser: True)


@pytest.mark.parametrize("way", ["titles", "key terms", "a language model"])
def test_hidden_documents_change_nothing_of_a_follow_up(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    by_model = way == "a language model"
    if way == "key terms":              # as if no document had a title
        monkeypatch.setattr(follow_ups, "title_of", lambda passage: "")
    by: list[str] = []
    told: list[bool] = []

    @settings(ALIKE, max_examples=PAIRS // (3 if by_model else 1))
    @given(world_pairs(), FIRST_READERS)
    def check(pair: Pair, readers: tuple[str, ...] | None) -> None:
        with ChatServer([says('{"question": "budget of travel"}')]) if by_model else nullcontext() as server:
            seen, differ = differences(pair, readers, server)
        assert differ == []
        by.append(seen["answer"]["understood_by"])
        told.append(any(b"Title: " in body for _, body in seen["sent"]))

    check()
    # The pairs would prove little if these were never used.
    label = follow_ups.RULES_AND_TITLES if way == "titles" else follow_ups.RULES_AND_KEY_TERMS
    used = sum(told) if by_model else by.count(label)
    assert used >= len(by) / 8, by


def unchecked(self: FollowUps, earlier: Any, question: Any, analyse: Any) -> Titles:
    """The planted bug: titles as the earlier answer has them, whoever may read them now."""
    cited = [one for before in earlier for one in before.answer["citations"]]
    return Titles(tuple(dict.fromkeys(one["title"] for one in cited)), ())


def of_anybody(*_: Any) -> bool:
    """The planted bug: an answer counts whomever it was made for, if all that it cites may be read."""
    return True


@pytest.mark.parametrize("bug", ["not checked", "made for others"])
def test_a_planted_bug_is_found(monkeypatch: pytest.MonkeyPatch, bug: str) -> None:
    monkeypatch.setattr(follow_ups, "made_for_them", of_anybody)
    if bug == "not checked":
        monkeypatch.setattr(FollowUps, "titles", unchecked)
    found: list[str] = []

    @settings(ALIKE, max_examples=150, phases=[Phase.generate])
    @given(world_pairs(), st.sampled_from(AUDIENCES).map(tuple))
    def check(pair: Pair, readers: tuple[str, ...]) -> None:
        if not found:
            found.extend(differences(pair, readers)[1])

    check()
    assert "answer" in found
