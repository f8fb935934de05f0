"""Grading of answers whose right quotation is known, and the figures over them."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from homes.small_world import small_world

from vouch.adapters.data_files.golden_questions import read_golden
from vouch.answering.answer import Action, Answer
from vouch.correction.loop import answer_question
from vouch.errors import BadInput
from vouch.learning.collections.golden import GoldenQuestion, GoldQuote, Graded, figures, grade

WEEKS = GoldQuote("leave.md", "Parents get 12 weeks of paid leave.")
ASKED = GoldenQuestion("1", "How long?", answerable=True, gold=((WEEKS,),))


def answer(*quotes: tuple[str, str], action: Action = "answered") -> Answer:
    world = small_world()
    sample = answer_question(world.ask("How many weeks of paid leave do parents get?"), world.components).answer
    citation = sample.citations[0]
    cited = [citation.model_copy(update={"path": path, "quote": quote}) for path, quote in quotes]
    return sample.model_copy(update={"citations": cited, "action": action})


@pytest.mark.parametrize(("path", "quote", "right"), [
    ("leave.md", "Parents get 12 weeks of paid leave.", True),
    ("leave.md", "So:\n\nParents  get 12\nweeks of paid leave. Ask Bo.", True),
    ("leave.md", "get 12 weeks of paid le", True),
    ("leave.md", "get 12 weeks", False),
    ("leave.md", "Parents may not park here.", False),
    ("other.md", "Parents get 12 weeks of paid leave.", False),
])
def test_a_quotation_counts_if_it_holds_half_of_the_known_one(path: str, quote: str, right: bool) -> None:
    assert grade(ASKED, answer(("x.md", "Other words"), (path, quote))).quoted is right


def test_a_question_may_need_all_of_its_quotations_or_any_and_each_may_have_alternatives() -> None:
    faq = GoldQuote("faq.md", "Twelve weeks for every parent")
    both = ((WEEKS, faq), (GoldQuote("pay.md", "Leave is paid in full"),))
    every = GoldenQuestion("2", "How long, and how much?", answerable=True, gold=both, needs_all=True)
    some = GoldenQuestion("3", "How long or how much?", answerable=True, gold=both)
    one = answer((faq.path, faq.text))
    two = answer((faq.path, faq.text), ("pay.md", "Leave is paid in full"))
    assert [grade(every, one).quoted, grade(every, two).quoted, grade(some, one).quoted] == [False, True, True]


def graded(answerable: bool, action: Action, quoted: bool, best: float, kind: str = "k") -> Graded:
    return Graded(GoldenQuestion("x", "?", answerable, kind), action, quoted, best)


def plain(found: dict[str, float]) -> dict[str, float]:
    return {name: value for name, value in found.items() if not name.endswith("_interval")}


def test_the_figures_are_shares_of_their_own_kind_of_question() -> None:
    rows: Sequence[Graded] = [
        graded(True, "answered", True, 0.9, "fact"), graded(True, "answered", False, 0.8, "fact"),
        graded(True, "answered_with_caution", True, 0.4, "fact"), graded(True, "declined", False, 0.1, "fact"),
        graded(False, "answered", False, 0.7, "absent"), graded(False, "declined", False, 0.2, "absent"),
    ]
    found = figures(rows)
    low, high = found["answerable"]["shown_interval"]
    assert 0 <= low < 0.5 < high <= 1
    there = {"questions": 4, "cited": 0.25, "shown": 0.5, "answered": 0.5, "declined": 0.25}
    assert plain(found["answerable"]) == there
    assert plain(found["unanswerable"]) == {"questions": 2, "answered": 0.5, "unsure": 0.0, "declined": 0.5}
    assert plain(found["certain"]) == {"answers": 3, "precision": 0.3333, "coverage": 0.5}
    assert found["auc"] == 0.625            # 5 of 8 pairs are in order: a count by hand
    assert list(found["kinds"]) == ["fact", "absent"] and "auc" not in found["kinds"]["fact"]


def test_a_correction_of_what_a_question_takes_for_granted_is_a_right_answer() -> None:
    asked = GoldenQuestion("4", "Is it 3 months?", answerable=False, gold=((WEEKS,),))
    right, wrong = grade(asked, answer((WEEKS.path, WEEKS.text))), grade(asked, answer(("pay.md", "Leave is paid")))
    assert figures([right])["unanswerable"]["answered"] == 0 and figures([right])["certain"]["precision"] == 1
    assert figures([wrong])["unanswerable"]["answered"] == 1 and figures([wrong])["certain"]["precision"] == 0


def lines(path: Path, *rows: object) -> Path:
    path.write_text("\n".join(map(json.dumps, rows)))
    return path


@pytest.mark.parametrize(("row", "why"), [
    ({"question": "Q?", "answerable": True, "quotes": [" "], "quote_paths": ["a.md"]}, "a quote is empty"),
    ({"question": "Q" * 4001, "answerable": False, "quotes": []}, "4001 characters"),
])
def test_an_empty_quote_and_a_question_too_long_are_refused_with_their_line(
    tmp_path: Path, row: dict[str, Any], why: str
) -> None:
    file = lines(tmp_path / "q.jsonl", {"question": "How long?", "answerable": False, "quotes": []}, row)
    with pytest.raises(BadInput, match=f"2.*{why}"):
        read_golden(file)


def test_a_file_of_questions_is_read_with_alternatives_and_corrections(tmp_path: Path) -> None:
    file = lines(
        tmp_path / "q.jsonl",
        {"id": "a", "question": "How long?", "answerable": True, "kind": "lookup", "corpus": "h",
         "quotes": [WEEKS.text], "quote_paths": [WEEKS.path], "all_quotes_needed": True,
         "alt_quotes": [{"instead_of": 0, "path": "faq.md", "quote": "Twelve weeks"}]},
        {"question": "Is it 3?", "answerable": False, "quotes": [], "correction": {"path": "a.md", "quote": "It is 4"}},
    )
    first, second = read_golden(file)
    gold = ((WEEKS, GoldQuote("faq.md", "Twelve weeks")),)
    assert first == GoldenQuestion("a", "How long?", True, "lookup", "h", gold, needs_all=True)
    assert second == GoldenQuestion("2", "Is it 3?", False, gold=((GoldQuote("a.md", "It is 4"),),))


@pytest.mark.parametrize(("row", "told"), [
    ({"answerable": True, "quotes": ["a"], "quote_paths": ["b"]}, "'question' is missing"),
    ({"question": "?", "answerable": "yes"}, "not true or false"),
    ({"question": "?", "answerable": True, "quotes": ["a"], "quote_paths": []}, "each quote needs its path"),
    ({"question": "?", "answerable": True}, "each quote needs its path"),
    ({"question": "?", "answerable": False, "alt_quotes": [{"instead_of": 3, "path": "a", "quote": "b"}]}, "line 1"),
    ([1], "not a JSON object"), ({"question": "a \ud800 b?", "answerable": False}, "line 1 cannot be read: half of a"),
])
def test_a_line_that_is_none_is_named(tmp_path: Path, row: object, told: str) -> None:
    with pytest.raises(BadInput, match=told):
        read_golden(lines(tmp_path / "q.jsonl", row))


def test_equal_ids_and_empty_files_are_refused(tmp_path: Path) -> None:
    row = {"id": 1, "question": "?", "answerable": False}
    with pytest.raises(BadInput, match="was there before"):
        read_golden(lines(tmp_path / "twice.jsonl", row, row))
    with pytest.raises(BadInput, match="holds no question"):
        read_golden(lines(tmp_path / "none.jsonl"))
