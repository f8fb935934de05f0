"""ROUGE-L by hand-computed cases, and the two definitions of evidence."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vouch.adapters.analyser import porter
from vouch.adapters.data_files.research_questions import read_paper_questions, read_papers
from vouch.errors import BadInput
from vouch.learning.collections.asked import Asked
from vouch.learning.collections.collection import text_passage
from vouch.learning.evaluation.answer_words import rouge_l, rouge_words
from vouch.learning.evaluation.qasper import PaperQuestion, evidence_scores, qasper_figures


@pytest.mark.parametrize(("a", "b", "figure"), [
    ("police killed the gunman", "police kill the gunman", 0.75),           # Lin 2004: 3 of 4 words
    ("the gunman kill police", "police kill the gunman", 0.5),              # "the gunman", in this order
    ("a b c d", "a b c d", 1.0),
    ("a b", "c d", 0.0),
    ("a", "", 0.0),
    ("a x b x c", "a b c", 2 * 3 / 8),
])
def test_rouge_l_is_what_one_counts_by_hand(a: str, b: str, figure: float) -> None:
    assert rouge_l(a.split(), b.split()) == pytest.approx(figure)
    assert rouge_l(b.split(), a.split()) == pytest.approx(figure)


def longest(a: str, b: str) -> int:
    """The textbook's table."""
    row = [0] * (len(b) + 1)
    for x in a:
        above = row[:]
        for n, y in enumerate(b, 1):
            row[n] = above[n - 1] + 1 if x == y else max(above[n], row[n - 1])
    return row[-1]


@given(st.text("abc", min_size=1, max_size=80), st.text("abcd", min_size=1, max_size=80))
def test_the_longest_common_subsequence_is_that_of_the_table(a: str, b: str) -> None:
    assert rouge_l(a, b) == pytest.approx(2 * longest(a, b) / (len(a) + len(b)))


def test_words_are_stemmed_as_porter_does_but_short_ones() -> None:
    assert rouge_words("Killing, the GUN-men's relational 2 runs", porter()) == [
        "kill", "the", "gun", "men", "s", "relat", "2", "run"]


def test_a_is_the_mean_over_passages_and_b_the_mean_over_pieces() -> None:
    pieces = ["a b c d", "e f g h"]
    assert evidence_scores(["a b c d", "x y"], pieces, str) == (0.5, 0.5)
    assert evidence_scores(["a b c d"], pieces, str) == (1.0, 0.5)          # one exact passage: A is 1, B half
    assert evidence_scores(["a b c d", "a b", "e f g h"], pieces, str) == (pytest.approx((1 + 2 / 3 + 1) / 3), 1.0)
    assert evidence_scores([], pieces, str) == (0, 0)


def test_the_figures_count_questions_over_bounds_and_papers_found() -> None:
    class Said:
        action, citations, verdict, recipe_steps = "declined", (), None, ()

    passages = (text_passage(0, "", "a b c d", "p.md"), text_passage(1, "", "x y", "q.md"))
    asked = Asked(Said(), passages, passages)  # type: ignore[arg-type]
    found = qasper_figures([PaperQuestion("1", "?", "p.md", ("yes",), ("a b c d",)),
                            PaperQuestion("2", "?", "q.md", ("no",), ("x",))], [asked, asked], str)
    assert found["retrieved k=1"]["A"] == 0.5 and found["retrieved k=1"]["A over 0.7"] == 1
    assert found["retrieved k=3"]["A"] == round((0.5 + 1 / 3) / 2, 4) and found["retrieved k=3"]["A over 0.5"] == 0
    assert found["retrieved k=3"]["B"] == round((1 + 2 / 3) / 2, 4) and found["quoted"]["A"] == 0
    assert found["paper"]["R@1"] == 0.5 and found["paper"]["R@3"] == 1 and found["answer"]["declined"] == 1


def test_questions_and_papers_are_read_and_a_question_without_its_paper_is_named(tmp_path: Path) -> None:
    papers, questions = tmp_path / "p.jsonl", tmp_path / "q.jsonl"
    papers.write_text(json.dumps({"paper_id": "p", "title": "T", "full_text": "Words"}))
    row = {"qid": "1", "paper_id": "p", "question": "?", "answer": ["yes"], "evidence": ["Words"]}
    questions.write_text(json.dumps(row))
    assert read_papers(papers)[0].title == "T"
    assert read_paper_questions(questions, frozenset({"p"})) == [PaperQuestion("1", "?", "p.md", ("yes",), ("Words",))]
    with pytest.raises(BadInput, match="no paper 'p'"):
        read_paper_questions(questions, frozenset())
    questions.write_text("")
    with pytest.raises(BadInput, match="no question"):
        read_paper_questions(questions, frozenset({"p"}))
