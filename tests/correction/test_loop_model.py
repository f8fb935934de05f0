"""The loop with the encoder that comes along: paraphrases are answered, other matters declined."""

from dataclasses import replace

import pytest
from fakes.memory_index import MemoryIndex
from homes.small_world import small_world

from vouch.answering.quoting.extractive import ExtractiveWriter
from vouch.correction.loop import answer_question

pytestmark = pytest.mark.model


@pytest.fixture(scope="module")
def world():  # type: ignore[no-untyped-def]
    from vouch.adapters.models.encoder import load_encoder
    from vouch.adapters.models.scorers.maxsim import MaxSimReranker

    world = small_world()
    encoder = load_encoder()
    reranker = MaxSimReranker(encoder)
    analyser = world.components.analyser
    world.index = MemoryIndex(world.index.passages, world.index.labels, encoder, analyser)
    writer = ExtractiveWriter(reranker, analyser)
    world.components = replace(
        world.components, index=world.index, encoder=encoder, reranker=reranker, closeness=reranker, writer=writer,
        fallback=writer)
    return world


@pytest.mark.parametrize(("question", "quote"), [
    ("How long is paid parental leave?", "12 weeks"),
    ("How much sick leave do I earn each pay period?", "four hours"),
    ("Which receipts do I have to keep?", "over $75"),
    ("Do I need a password for a Zoom meeting?", "need a password"),
])
def test_a_question_in_other_words_is_answered(world, question: str, quote: str) -> None:  # type: ignore[no-untyped-def]
    answer = answer_question(world.ask(question), world.components).answer
    assert any(quote in citation.quote for citation in answer.citations), answer.answer


@pytest.mark.parametrize("question", ["Who won the chess cup?", "When does the cafeteria open?"])
def test_other_matters_are_declined(world, question: str) -> None:  # type: ignore[no-untyped-def]
    assert answer_question(world.ask(question), world.components).answer.action == "declined"
