"""A chain is answered from all of its links, and is certain only where what is quoted has all of its words."""

from dataclasses import replace
from typing import Any

import pytest
from homes.steps_world import CHAIN, GATEWAY, ask, world

from vouch.answering.part_notes import NOT_QUOTED
from vouch.correction.loop import answer_question
from vouch.correction.steps import parts_draft, parts_open
from vouch.ports.language import Draft, DraftSentence, Evidence

MISSING = "Who is the deputy of the team that owns the payment gateway?"


class Told:
    """A listener that notes the sentences it is told of."""

    def __init__(self) -> None:
        self.sentences: list[str] = []

    def sentence(self, sentence: Any, citations: Any) -> None:
        self.sentences.append(sentence.text)

    def __getattr__(self, name: str) -> Any:
        return lambda *words, **more: None


class Writes:
    """A language model that says what nothing but it knows to be an answer."""

    def write(self, question: str, evidence: list[Evidence]) -> Draft:
        of = next(one for one in evidence if one.passage.chunk_id == GATEWAY.chunk_id)
        return Draft((DraftSentence("The Falcon team owns the payment gateway.", ((of.number, 0, 20),)),), "writes")


def test_each_link_is_quoted() -> None:
    answer = ask(world(), CHAIN).answer
    assert answer.action == "answered" and answer.open_parts == [] and "Its lead is Mara Lind." in answer.answer
    assert {one.chunk_id for one in answer.citations} == {"gateway", "falcon"}


def test_without_the_quotation_of_a_link_it_would_not_be_certain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts_draft, "_with_links", lambda draft, *_: draft)
    answer = ask(world(), CHAIN).answer
    assert answer.action == "answered_with_caution" and answer.warnings[0] == f"{NOT_QUOTED}: leads"


def test_a_link_that_nothing_tells_is_named_and_nothing_looks_certain() -> None:
    answer = ask(world(), MISSING).answer
    assert answer.stopped == "covered" and answer.verdict and answer.verdict.kind == "correct"
    assert answer.action == "answered_with_caution" and answer.open_parts == [MISSING]
    assert answer.warnings == [f"{NOT_QUOTED}: deputy"]


def test_planted_certainty_of_a_first_link_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The negative control."""
    monkeypatch.setattr(parts_open, "_not_linked", lambda *_: parts_open.LeftOpen())
    assert ask(world(), MISSING).answer.action == "answered"


def test_nobody_is_told_a_sentence_before_it_is_known_whether_it_answers() -> None:
    made = world()
    for text, told in ((CHAIN, True), (MISSING, False)):
        listener = Told()
        answer_question(replace(made.ask(text), steps=4), made.components, listener)  # type: ignore[arg-type]
        assert bool(listener.sentences) == told


def test_what_a_language_model_wrote_is_not_held_against_words() -> None:
    answer = ask(world(writer=Writes()), MISSING).answer
    assert not any(one.startswith(NOT_QUOTED) for one in answer.warnings) and answer.open_parts == []

