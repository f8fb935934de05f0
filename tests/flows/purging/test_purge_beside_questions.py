"""A question that is being answered while its document is purged leaves nothing of the document behind."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest
from homes.grep_home import grep
from homes.purge_scene import PLACE, QUOTE, SECRET
from learning_scene.flow_answers import AT, answered

from consumers.monitoring.telemetry import Telemetry
from consumers.questions.handler import QuestionHandler
from consumers.replies.reanswer import AnswerReplacer
from flows.runs.purge import purge
from vouch.adapters.ledger.answers import answers, outbox
from vouch.messages import QuestionAsked

ASKED = QuestionAsked.model_validate({
    "id": "q", "text": "What is the pay?", "surface": "terminal", "asker": "public",
    "audience": {"tags": ["public"]}, "asked_at": AT})


@dataclass
class Result:
    answer: dict[str, object]
    candidates: list[dict[str, object]] = field(default_factory=list)
    given: tuple[str, ...] = ()
    steps: tuple[dict[str, object], ...] = ()


def slow(bench):
    """Reads the document if it is there, and is so slow that a purge runs from its begin to its end meanwhile."""
    tries = []

    def answer(question):
        tries.append(question.id)
        version = bench.components.store.open_current()
        record = version.record(*PLACE)
        if record is None:
            return Result({"id": f"a{len(tries)}", "answer": "Nothing answers this."})
        chunk = record.chunks[0].id
        purge(bench.components, PLACE, with_copies=False)
        return Result({"id": f"a{len(tries)}", "answer": QUOTE},
                      [{"chunk_id": chunk, "cited": True, "evidence": {}, "schema": 1, "features": {}}], (chunk,))

    return answer, tries


def handle(bench, answer):
    QuestionHandler(answer, lambda question, reason: {"id": "d"}, bench.ledger, lambda: datetime.now(UTC)).handle(ASKED)


def test_an_answer_that_is_recorded_after_the_purge_is_made_anew(kept):
    answer, tries = slow(kept)
    handle(kept, answer)
    assert len(tries) == 2 and kept.ledger.answers.by_question("q")["answer"] == "Nothing answers this."
    assert grep(kept.home, SECRET) == []


def test_an_answer_that_a_sender_makes_anew_is_held_to_the_same(kept):
    answered(kept, "q", "What is the pay?", text="Something else.", sent=False)
    answer, tries = slow(kept)
    (row,) = kept.ledger.outbox.claim(["terminal"], AT, timedelta(minutes=1))
    AnswerReplacer(kept.ledger, answer, lambda question, reason: {"id": "d"}, lambda: datetime.now(UTC), Telemetry(),
                   3).answer(row)
    assert len(tries) == 2 and kept.ledger.answers.by_question("q")["answer"] == "Nothing answers this."
    assert grep(kept.home, SECRET) == []


@pytest.mark.parametrize("place", [answers, outbox])
def test_without_the_look_at_the_count_the_words_stay(kept, monkeypatch, place):
    """Planted: what is recorded is not compared with the count."""
    monkeypatch.setattr(place, "refuse_overtaken", lambda connection, began: None)
    answer, _ = slow(kept)
    if place is answers:
        handle(kept, answer)
    else:
        test = test_an_answer_that_a_sender_makes_anew_is_held_to_the_same
        with pytest.raises(AssertionError):
            test(kept)
    assert grep(kept.home, SECRET)
