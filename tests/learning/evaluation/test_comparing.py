"""Comparison question by question, and the places of known passages."""

import pytest

from vouch.answering.answer import Action
from vouch.errors import BadInput
from vouch.learning.collections.asked import Asked
from vouch.learning.collections.collection import text_passage
from vouch.learning.collections.golden import GoldenQuestion, GoldQuote
from vouch.learning.evaluation.comparing import Kept, compared, kept_of
from vouch.learning.evaluation.golden_retrieval import confusion, places, retrieval_figures

QUESTIONS = [GoldenQuestion(str(n), "?", answerable=n % 2 == 0) for n in range(40)]


def one(action: Action = "answered", quoted: bool = True, best: float = 0.5, place: int | None = 1) -> Kept:
    return Kept(action, quoted, best, {"fused": place, "final": place})


def test_what_is_equal_differs_by_nothing_and_what_is_better_by_all_of_it() -> None:
    mine = {q.id: one(best=0.9 if q.answerable else 0.1, quoted=q.answerable) for q in QUESTIONS}
    theirs = {q.id: one("declined", quoted=False, best=0.5, place=6) for q in QUESTIONS}
    same = compared(QUESTIONS, mine, mine)
    assert same["answerable"]["cited"]["difference_interval"] == [0, 0] and same["auc"]["difference"] == 0
    found = compared(QUESTIONS, mine, theirs)
    assert found["answerable"]["cited"] == {"this": 1, "against": 0, "difference": 1, "difference_interval": [1, 1]}
    assert found["answerable"]["final R@5"]["difference"] == 1 and found["answerable"]["declined"]["difference"] == -1
    assert found["unanswerable"]["answered"]["difference"] == 1 and found["auc"]["difference"] == 0.5


def test_the_interval_is_that_of_differences_and_not_of_shares() -> None:
    """19 of 20 questions come out alike, so the interval is narrow though either share has a wide one."""
    there = [q for q in QUESTIONS if q.answerable]
    mine = {q.id: one(quoted=n % 2 == 0) for n, q in enumerate(there)}
    theirs = {**mine, there[0].id: one(quoted=False)}
    low, high = compared(there, mine, theirs)["answerable"]["shown"]["difference_interval"]
    assert low == 0 and high <= 0.2


def test_only_questions_that_both_were_asked_are_compared() -> None:
    mine, theirs = {"0": one(), "2": one()}, {"2": one(), "77": one()}
    assert compared(QUESTIONS, mine, theirs)["questions"] == 1
    with pytest.raises(BadInput, match="no question in common"):
        compared(QUESTIONS, mine, {"77": one()})


def test_what_is_kept_is_read_again_and_nonsense_is_refused() -> None:
    row = one(place=None).as_row()
    assert kept_of(row) == one(place=None)
    for change in ({"action": "guessed"}, {"places": {"fused": 0, "final": 1}}, {"places": {"fused": 1}},
                   {"best": "high"}):
        with pytest.raises((ValueError, KeyError)):
            kept_of({**row, **change})


def found(*texts: tuple[str, str]) -> Asked:
    passages = tuple(text_passage(n, "", text, path) for n, (path, text) in enumerate(texts))
    return Asked(None, passages, passages[::-1])  # type: ignore[arg-type]


LEAVE, PAY = GoldQuote("leave.md", "Parents get 12 weeks of paid leave."), GoldQuote("pay.md", "Leave is paid in full.")


def test_a_place_is_that_of_the_first_passage_with_the_quotation_or_of_the_last_that_is_needed() -> None:
    asked = found(("leave.md", "Other words"), ("other.md", LEAVE.text), ("leave.md", f"So: {LEAVE.text}"),
                  ("pay.md", PAY.text))
    gold = ((LEAVE,), (PAY,))
    either = GoldenQuestion("1", "?", answerable=True, kind="fact", gold=gold)
    every = GoldenQuestion("2", "?", answerable=True, kind="list", gold=gold, needs_all=True)
    lost = GoldenQuestion("3", "?", answerable=True, kind="list", gold=((GoldQuote("x.md", "no"),), (PAY,)),
                          needs_all=True)
    assert places(either, asked) == {"fused": 3, "final": 1, "first": 1}
    assert places(every, asked) == {"fused": 4, "final": 2, "first": 1}
    assert places(lost, asked) == {"fused": None, "final": None, "first": 1}
    absent = GoldenQuestion("4", "?", answerable=False, gold=((PAY,),))
    told = retrieval_figures([(q, places(q, asked)) for q in (either, every, lost, absent)])
    assert told["fused"]["R@3"] == 0.3333 and told["fused"]["R@5"] == 0.6667 and told["final"]["R@1"] == 0.3333
    assert told["first"]["R@1"] == 1
    assert told["kinds"]["list"]["questions"] == 2 and told["kinds"]["list"]["fused"]["R@100"] == 0.5
    assert retrieval_figures([(absent, places(absent, asked))]) == {}


def test_what_the_evaluator_says_is_counted_by_what_is_true() -> None:
    there, absent = QUESTIONS[0], QUESTIONS[1]
    rows = [(there, {"final": 20}, "correct"), (there, {"final": 21}, "ambiguous"), (there, {"final": None}, "none"),
            (absent, {"final": 1}, "incorrect"), (absent, {"final": None}, "correct")]
    found = confusion([(question, {"fused": 1, **place}, said) for question, place, said in rows])
    assert found["found"] == {"correct": 1, "ambiguous": 0, "incorrect": 0, "none": 0}
    assert found["not found"]["ambiguous"] == found["not found"]["none"] == 1
    assert found["not answerable"] == {"correct": 1, "ambiguous": 0, "incorrect": 1, "none": 0}
