"""An evaluator learns from questions with known answers what their passages' evidence tells, and says what it lacks."""

import random
from datetime import date

import numpy as np
import pytest

from vouch.errors import BadInput
from vouch.learning.collections.golden import GoldenQuestion, GoldQuote
from vouch.learning.evaluator.calibration import Costs
from vouch.learning.evaluator.questions_training import AskedList, train_from_questions
from vouch.learning.models.evaluator_model import JUDGE, EvaluatorModel
from vouch.learning.statistics.metrics import auc
from vouch.learning.statistics.splits import split_of
from vouch.retrieval.evidence_features import EVIDENCE_FEATURES

PRINTS = {"weights": "encoder", "judge": "the judge"}


def evidence(draw: random.Random, holds: bool) -> dict[str, float]:
    """The judge knows, words are the same for near misses."""
    return {name: draw.random() for name in EVIDENCE_FEATURES} | {
        "cosine_missing": 0.0, "judge_missing": 0.0, JUDGE: draw.gauss(1.5 if holds else -1.5, 1.0)}


def asked(draw: random.Random, number: int) -> AskedList:
    answerable = number % 5 < 3
    gold = ((GoldQuote(f"page {number // 3}.md", "words"),),) if answerable else ()
    question = GoldenQuestion(f"q{number}", f"question {number}", answerable, gold=gold)
    labels = [float(answerable and place == 0) for place in range(6)]
    return AskedList(question, tuple(evidence(draw, label > 0) for label in labels), tuple(labels))


def trained(seed: int = 1) -> tuple[EvaluatorModel, list[AskedList]]:
    draw = random.Random(seed)
    lists = [asked(draw, number) for number in range(600)]
    today = date(2026, 11, 25)
    return train_from_questions(lists, Costs(), data=("questions",), fingerprints=PRINTS, today=today), lists


def test_it_learns_to_trust_the_judge_and_says_with_which() -> None:
    model, lists = trained()
    assert model.terms[JUDGE].weight > 5 * max(abs(t.weight) for name, t in model.terms.items() if name != JUDGE)
    assert model.judged_with == "the judge" and model.terms[JUDGE].unless == "judge_missing"
    others = [one for one in lists if one.split == "test"]
    best = np.array([max(model.probabilities_of(one.features)) for one in others])
    assert auc(np.array([float(one.question.answerable) for one in others]), best) > 0.8
    assert model.figures["questions"]["questions"] == len(others)


def test_questions_about_one_document_are_never_parted() -> None:
    _, lists = trained()
    by_page: dict[str, set[str]] = {}
    for one in lists:
        if one.question.gold:
            by_page.setdefault(one.question.gold[0][0].path, set()).add(one.split)
    assert all(len(splits) == 1 for splits in by_page.values())
    assert {one.split for one in lists if not one.question.gold} == {"train", "calibration", "test"}
    assert all(one.split == split_of(one.question.text) for one in lists if not one.question.gold)


def test_thresholds_follow_the_costs() -> None:
    draw = random.Random(1)
    lists = [asked(draw, number) for number in range(600)]
    bold, careful = (train_from_questions(lists, Costs(wrong=wrong), data=(), fingerprints={}, today=date(2026, 11, 25))
                     for wrong in (0.5, 5.0))
    assert bold.upper < careful.upper and bold.terms == careful.terms


def test_no_passage_that_a_judge_read_leaves_a_model_without_one() -> None:
    draw = random.Random(1)
    lists = [asked(draw, number) for number in range(600)]
    unread = [AskedList(one.question, tuple({**row, JUDGE: 0.0, "judge_missing": 1.0, "maxsim": row["judge"]}
                                            for row in one.features), one.labels) for one in lists]
    model = train_from_questions(unread, Costs(), data=(), fingerprints=PRINTS, today=date(2026, 11, 25))
    assert JUDGE not in model.terms and model.judged_with == "" and "maxsim" in model.terms


@pytest.mark.parametrize("number", [0, 20, 60])
def test_too_few_questions_are_refused(number: int) -> None:
    draw = random.Random(1)
    with pytest.raises(BadInput, match="too few"):
        train_from_questions([asked(draw, n) for n in range(number)], Costs(), data=(), fingerprints={},
                             today=date(2026, 11, 25))


def with_the_list(one: AskedList, draw: random.Random, tells: float) -> AskedList:
    """All passages share a number that says so much of whether the list holds an answer."""
    said = tells * (1.0 if max(one.labels) else -1.0) + draw.gauss(0, 1.0)
    return AskedList(one.question, tuple({**row, "judge_best": said} for row in one.features), one.labels)


def test_what_a_list_tells_as_a_whole_moves_all_its_passages_alike() -> None:
    draw = random.Random(3)
    lists = [with_the_list(asked(draw, number), draw, tells=1.0) for number in range(600)]
    today = date(2026, 11, 25)
    model = train_from_questions(lists, Costs(), data=(), fingerprints=PRINTS, today=today)
    term = model.terms["judge_best"]
    assert term.weight > 0.3 and term.unless == "judge_missing"
    row = lists[0].features[0]
    more = model.score({**row, "judge_best": row["judge_best"] + 1}) - model.score(row)
    assert all(np.isclose(model.score({**other, "judge_best": other["judge_best"] + 1}) - model.score(other), more)
               for other in lists[0].features)
    without = train_from_questions([AskedList(one.question, tuple({**row, "judge_best": 0.0} for row in one.features),
                                              one.labels) for one in lists],
                                   Costs(), data=(), fingerprints=PRINTS, today=today)
    assert "judge_best" not in without.terms
    assert model.figures["questions"]["questions_auc"] > without.figures["questions"]["questions_auc"]


def test_what_a_list_tells_against_an_answer_weighs_nothing() -> None:
    draw = random.Random(3)
    lists = [with_the_list(asked(draw, number), draw, tells=-1.0) for number in range(600)]
    model = train_from_questions(lists, Costs(), data=(), fingerprints=PRINTS, today=date(2026, 11, 25))
    assert "judge_best" not in model.terms
