"""Numbers are compared as numbers, and pages by their best passage."""

import json
from pathlib import Path

import pytest

from vouch.adapters.data_files.research_questions import read_filing_questions, read_pages
from vouch.errors import BadInput
from vouch.learning.collections.asked import Asked
from vouch.learning.collections.collection import text_passage
from vouch.learning.evaluation.answer_words import is_number, numbers, says
from vouch.learning.evaluation.financebench import FilingQuestion, financebench_figures


@pytest.mark.parametrize(("given", "known", "right"), [
    ("Purchases of property (1,577)", "$1577.00", True),
    ("It was $ 1,577 million.", "$1577.00", True),
    ("a margin of 24.53 %", "24.5%", True),
    ("a margin of 24.56 %", "24.5%", False),
    ("15,770", "$1577.00", False),
    ("in 2023", "23", False),
    ("version v23 of FY23", "23", False),
    ("nothing", "12", False),
    ("12", "none", False),
])
def test_a_number_is_right_by_its_value(given: str, known: str, right: bool) -> None:
    assert says(given, known) is right


def test_answers_that_are_numbers_are_told_from_others() -> None:
    assert [is_number(one) for one in ("$1577.00", "8.7%", "-3.2", "12 days", "1.5 million", "0.83")] == [True] * 6
    assert [is_number(one) for one in ("Yes, by 3%.", "", "The 2 segments")] == [False] * 3
    assert [str(one) for one in numbers("1,234.5 and 7 of 2018")] == ["1234.5", "7", "2018"]


def test_pages_filings_and_refusals_are_counted() -> None:
    class Said:
        action, citations, verdict = "declined", (), None

    passages = tuple(text_passage(n, "", "x", path) for n, path in enumerate(("A/1.md", "A/1.md", "B/2.md", "A/3.md")))
    asked = Asked(Said(), passages, passages)  # type: ignore[arg-type]
    questions = [FilingQuestion("1", "?", "B", "12%", frozenset({"B/2.md"})),
                 FilingQuestion("2", "?", "B", "Yes", frozenset({"B/9.md"}))]
    found = financebench_figures(questions, [asked, asked])
    assert (found["page"]["R@1"], found["page"]["R@5"], found["filing"]["R@5"]) == (0, 0.5, 1)
    assert found["number answers"]["questions"] == 1 and found["number answers"]["quoted"] == 0
    assert found["refused"]["declined"] == 1


def test_pages_and_questions_are_read(tmp_path: Path) -> None:
    pages, questions = tmp_path / "p.jsonl", tmp_path / "q.jsonl"
    pages.write_text(json.dumps({"doc_name": "A_2018", "page": 3, "text": "Words"}))
    row = {"financebench_id": "1", "question": "?", "answer": "12", "doc_name": "A_2018",
           "evidence": [{"doc_name": "A_2018", "evidence_page_num": 3}]}
    questions.write_text(json.dumps(row))
    assert read_pages(pages)[0].id == "A_2018/3"
    assert read_filing_questions(questions) == [FilingQuestion("1", "?", "A_2018", "12", frozenset({"A_2018/3.md"}))]
    questions.write_text(json.dumps({**row, "evidence": [{}]}))
    with pytest.raises(BadInput, match="evidence_page_num"):
        read_filing_questions(questions)
