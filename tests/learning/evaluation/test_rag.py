"""Answers measured by what they were written from: the figures are those that one counts by hand."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from homes.small_world import small_world

from vouch.correction.loop import answer_question
from vouch.learning.collections.asked import looked_at
from vouch.learning.collections.golden import GoldenQuestion, GoldQuote
from vouch.learning.evaluation.rag import (
    OfflineRagJudge,
    RagCase,
    RagJudged,
    average_precision,
    rag_case,
    rag_figures,
    recall,
)

ASKED = GoldenQuestion("1", "How many weeks of paid leave do parents get?", answerable=True, gold=(
    (GoldQuote("leave.md", "Parents get 12 weeks of paid leave."),),
))
LEAVE, BADGES = "Leave. Parents get 12 weeks of paid leave, from day one.", "Badges are made every Wednesday."


class Close:
    """Every pair has this score; what is asked is noted."""

    fingerprint = "close"

    def __init__(self, score: float) -> None:
        self._score = score
        self.calls: list[list[tuple[str, str]]] = []

    def scores(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        self.calls.append(list(pairs))
        return [self._score] * len(pairs)


def case(*statements: str, passages: Sequence[str] = (LEAVE, BADGES), question: GoldenQuestion = ASKED) -> RagCase:
    known = tuple(tuple(one.text for one in alternatives) for alternatives in question.gold)
    return RagCase(question, statements, tuple(passages), known)


def test_offline_a_statement_needs_words_or_closeness_and_its_numbers() -> None:
    far, near = Close(0.1), Close(0.9)
    said = ("Parents get 12 weeks of paid leave", "They get 12 weeks.", "They get 14 weeks.")
    assert OfflineRagJudge(far, None).judge(case(*said)).supported == (True, False, False)
    assert OfflineRagJudge(near, None).judge(case(*said)).supported == (True, True, False)
    assert len(near.calls) == 2                     # all pairs at once, and the relevance


def test_offline_a_passage_is_of_use_if_it_holds_half_of_what_is_known() -> None:
    judged = OfflineRagJudge(Close(0.1), None).judge(case("x", passages=(BADGES, LEAVE)))
    assert judged.useful == (False, True) and judged.held == (True,)
    nothing = OfflineRagJudge(Close(0.9), None).judge(case(passages=()))
    assert (nothing.supported, nothing.useful, nothing.held, nothing.relevance) == ((), (), (False,), 0.0)


def test_offline_relevance_is_what_the_judge_of_pairs_gives_the_whole_answer() -> None:
    pairs = Close(0.0)
    assert OfflineRagJudge(Close(0.9), pairs).judge(case("12 weeks.", "All of them.")).relevance == 0.5
    assert pairs.calls == [[(ASKED.text, "12 weeks. All of them.")]]
    assert OfflineRagJudge(Close(0.9), None).judge(case("12 weeks.")).relevance == 0.9


@pytest.mark.parametrize(("useful", "precision"), [
    ([True, False, True], (1 + 2 / 3) / 2), ([False, True], 0.5), ([False, False], 0.0), ([], 0.0), ([True], 1.0),
])
def test_context_precision_is_the_mean_of_the_precision_at_what_is_of_use(
    useful: list[bool], precision: float
) -> None:
    assert average_precision(useful) == pytest.approx(precision)


def test_recall_counts_what_a_question_needs() -> None:
    some, every = replace(ASKED, needs_all=False), replace(ASKED, needs_all=True)
    assert (recall(some, [True, False]), recall(every, [True, False]), recall(every, [])) == (1.0, 0.5, 0.0)


def test_the_figures_are_those_that_one_counts() -> None:
    absent = GoldenQuestion("2", "Who won?", answerable=False, kind="absent")
    rows = [
        (case("a", "b"), RagJudged((True, False), (False, True), (True,), 0.8)),
        (case(), RagJudged((), (False,), (False,), 0.0)),                            # declined
        (case("c", question=absent), RagJudged((True,), (False,), (), 0.2)),
        (case("d"), None),
    ]
    found = rag_figures(rows)
    assert (found["questions"], found["answers"], found["with known quotations"], found["not_judged"]) == (3, 2, 2, 1)
    assert (found["faithfulness"], found["answer relevance"]) == (0.75, 0.5)
    assert (found["context precision"], found["context recall"]) == (0.25, 0.5)
    assert found["faithfulness_interval"] == [0.5, 1.0] and set(found["kinds"]) == {"all", "absent"}
    assert "context recall" not in found["kinds"]["absent"] and rag_figures([])["questions"] == 0


def test_a_case_has_the_passages_that_the_writer_was_given_and_no_statement_of_a_decline() -> None:
    world = small_world()
    outcome = answer_question(world.ask(ASKED.text), world.components)
    view = world.components.index.view(world.ask("x").audience)
    asked = looked_at(outcome.answer, outcome.candidates, view, {row["chunk_id"] for row in outcome.candidates})
    made = rag_case(ASKED, asked)
    assert len(made.passages) == len(outcome.answer.evidence) and "12 weeks" in made.passages[0]
    assert made.statements == tuple(one.text for one in outcome.answer.sentences) and made.statements
    declined = replace(asked, answer=outcome.answer.model_copy(update={"action": "declined"}))
    assert rag_case(ASKED, declined).statements == ()
