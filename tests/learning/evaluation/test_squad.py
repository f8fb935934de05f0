"""SQuAD asked openly: words are compared as its own script does, and figures are those that one counts by hand."""

from datetime import UTC, datetime

import pytest
from homes.small_world import small_world

from vouch.answering.answer import Action
from vouch.correction.loop import answer_question
from vouch.errors import BadInput
from vouch.learning.collections.asked import Asked, Spans, looked_at, told_spans
from vouch.learning.collections.collection import text_passage
from vouch.learning.collections.labeled import Reading
from vouch.learning.evaluation.answer_words import exact, holds, normal, overlap
from vouch.learning.evaluation.squad import OpenQuestion, open_questions, squad_figures
from vouch.learning.statistics.metrics import told, told_auc

NOW = datetime(2026, 11, 25, tzinfo=UTC)


@pytest.mark.parametrize(("given", "known", "same", "f1", "inside"), [
    ("The Normans!", ["normans"], 1, 1, True),
    ("in the year 1066", ["1066"], 0, 0.5, True),               # precision 1/3 (in, year, 1066), recall 1
    ("1066 and 1067", ["1067", "1066 and 1067."], 1, 1, True),
    ("10661", ["1066"], 0, 0, False),
    ("", [], 1, 1, False),
    ("the", [], 1, 1, False),
    ("Rollo", [], 0, 0, False),
    ("", ["Rollo"], 0, 0, False),
])
def test_words_are_compared_as_squad_compares_them(
    given: str, known: list[str], same: int, f1: float, inside: bool
) -> None:
    assert (exact(given, known), overlap(given, known), holds(given, known)) == (same, f1, inside)


def test_a_word_counts_as_often_as_it_stands_there() -> None:
    assert overlap("ha ha ho", ["ha ha ha ho"]) == pytest.approx(2 * 3 / 7)
    assert normal("A  man, the-plan an") == "man theplan"


def asked(action: Action, quote: str, best: float, *paths: str) -> Asked:
    world = small_world()
    answer = answer_question(world.ask("How many weeks of paid leave do parents get?"), world.components).answer
    assert answer.verdict
    cited = [answer.citations[0].model_copy(update={"quote": quote})] if quote else []
    verdict = answer.verdict.model_copy(update={"scores": [best]})
    found = tuple(text_passage(n, "", "x", path) for n, path in enumerate(paths))
    return Asked(answer.model_copy(update={"action": action, "citations": cited, "verdict": verdict}),
                 found, found[::-1], Spans(len(cited), len(cited)))


def test_the_figures_are_those_that_one_counts() -> None:
    questions = [OpenQuestion("a", "?", "p1", ("1066",)), OpenQuestion("b", "?", "p2", ("Rollo",)),
                 OpenQuestion("c", "?", "p1", ()), OpenQuestion("d", "?", "p2", ())]
    rows = [asked("answered", "1066", 0.9, "p1", "p1", "p2"), asked("answered_with_caution", "Rollo came", 0.4, "p1"),
            asked("answered", "Hastings", 0.6, "p3", "p1"), asked("declined", "", 0.1)]
    report = squad_figures(questions, rows)
    found = report["figures"]
    fused, final = (found["retrieval"]["answerable"][name] for name in ("fused", "final"))
    assert (fused["R@1"], fused["R@20"], final["R@1"], final["R@3"]) == (0.5, 0.5, 0, 0.5)
    assert found["retrieval"]["unanswerable"]["final"]["R@1"] == 0.5
    assert found["answered"]["all"]["EM"] == 0.5                   # a is right, and d that was rightly declined
    assert found["answered"]["answerable"]["F1"] == 0.5 and found["answered"]["unanswerable"]["EM"] == 0.5
    assert found["shown"]["answerable"]["F1"] == round((1 + 2 / 3) / 2, 4)
    assert found["holds"]["answerable"] == 1
    assert found["abstention"]["auc"] == 0.75                      # 3 of 4 pairs are in order
    assert found["abstention"]["declined of unanswerable"] == 0.5
    assert found["spans"] == {"quoted": 3, "found": 1, "not_found": 0, "external": 0}
    assert report["risk_coverage"] == [[0.25, 0], [0.5, 0.5], [0.75, round(1 / 3, 4)]]


def test_a_second_passage_of_a_paragraph_takes_no_place() -> None:
    question = OpenQuestion("a", "?", "p2", ("x",))
    found = squad_figures([question], [asked("declined", "", 0.1, "p1", "p1", "p1", "p2")])["figures"]
    assert found["retrieval"]["answerable"]["fused"]["R@3"] == 1 and "unanswerable" not in found["retrieval"]


def test_questions_are_drawn_by_the_seed_and_keep_their_order() -> None:
    readings = [Reading("t", "text", tuple((f"q{n}", ("a",) if n % 2 else ()) for n in range(20)))]
    drawn = open_questions(readings, 5, seed=1)
    assert drawn == open_questions(readings, 5, seed=1) != open_questions(readings, 5, seed=2)
    assert [int(one.text[1:]) for one in drawn] == sorted(int(one.text[1:]) for one in drawn) and len(drawn) == 5
    assert len(open_questions(readings, None, seed=1)) == 20
    with pytest.raises(BadInput, match="no question"):
        open_questions([Reading("t", "text", ())], None, 0)


def test_a_quotation_that_is_not_in_its_source_is_counted() -> None:
    world = small_world()
    outcome = answer_question(world.ask("How many weeks of paid leave do parents get?"), world.components)
    answer, ids = outcome.answer, {row["chunk_id"] for row in outcome.candidates}
    view = world.components.index.view(world.ask("x").audience)
    sound = looked_at(answer, outcome.candidates, view, ids)
    assert sound.spans.internal == sound.spans.found >= 1 and len(sound.fused) == len(sound.final) > 1
    first, *others = answer.citations
    for change in ({"quote": first.quote + "!"}, {"characters": (first.characters[0] + 1, first.characters[1] + 1)},
                   {"path": "other.md"}, {"quote": ""}):
        bad = answer.model_copy(update={"citations": [first.model_copy(update=change), *others]})
        wrong = looked_at(bad, outcome.candidates, view, ids).spans
        assert told_spans([wrong])["not_found"] == 1 and told_spans([sound.spans])["found"] == 1
    assert looked_at(answer, outcome.candidates, view, ids - {first.chunk_id}).spans.found < sound.spans.found


def test_a_share_has_an_interval_around_it_and_nothing_has_none() -> None:
    found = told("right", [1.0] * 30 + [0.0] * 70)
    low, high = found["right_interval"]
    assert found["right"] == 0.3 and 0.2 < low < 0.25 and 0.35 < high < 0.42
    assert told("right", []) == {} and told_auc([True, True], [0.1, 0.2]) == {} and told_auc([], []) == {}
