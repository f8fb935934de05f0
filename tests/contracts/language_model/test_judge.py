"""A language model as evaluator: one call for all passages, read strictly, and the trained one where it fails."""

import json
from collections.abc import Sequence
from dataclasses import replace

import pytest
from fakes.fixed_evaluator import FixedEvaluator
from homes.small_world import passage, small_world
from model_fakes.chat_server import ChatServer, Part, fails, says
from model_fakes.language_model import model, models

from vouch.adapters.language_model.judge import LanguageModelJudge
from vouch.answering.prompting.judge_prompt import read_judged
from vouch.answering.spending import spent_on_answer
from vouch.correction.loop import answer_question
from vouch.values.candidate import Candidate

pytestmark = pytest.mark.integration

QUESTION = "How many weeks of paid leave do parents get?"
LEAVE = Candidate(passage("Parents get 12 weeks of paid leave."))
BADGES = Candidate(passage("Badges are made every Wednesday.", chunk_id="c2"))
TRAINED = FixedEvaluator(0.25, (0.2, 0.5))


def judged(*probabilities: float, sufficient: float = 1.0) -> str:
    return json.dumps({
        "passages": [{"passage": n, "probability": one} for n, one in enumerate(probabilities, 1)],
        "sufficient": sufficient,
    })


def judging(server: ChatServer, most_tokens: int = 6000) -> LanguageModelJudge:
    return LanguageModelJudge(models(model(server.url)), TRAINED, lambda text: len(text.split()), most_tokens)


def asked(*parts: Part, candidates: Sequence[Candidate] = (LEAVE, BADGES)) -> tuple[list[float], ChatServer]:
    with ChatServer(parts) as server:
        return judging(server).probabilities(QUESTION, candidates), server


def test_all_passages_are_judged_in_one_call_on_the_scale_of_the_trained_one() -> None:
    found, server = asked(says(judged(0.7, 0.3)))
    assert found == pytest.approx([0.5, 0.2]) and len(server.requests) == 1
    content = server.requests[0]["messages"][1]["content"]
    assert all(one.passage.text in content for one in (LEAVE, BADGES))
    assert asked(says(judged(1.0, 0.0)))[0] == pytest.approx([1.0, 0.0])


def test_no_passage_is_likelier_than_all_together() -> None:
    assert max(asked(says(judged(0.95, 0.1, sufficient=0.1)))[0]) < TRAINED.thresholds[0]


def test_no_passage_is_no_call() -> None:
    found, server = asked(says("no"), candidates=())
    assert found == [] and server.requests == []


@pytest.mark.parametrize("wrong", [
    judged(0.7), judged(0.7, 0.3, 0.1), judged(0.7, 1.3), judged(0.7, 0.3, sufficient=-1), "NaN", "no",
    '{"passages": [{"passage": 1, "probability": 0.5}, {"passage": 1, "probability": 0.5}], "sufficient": 0.5}',
    '{"passages": [{"passage": 1, "probability": NaN}, {"passage": 2, "probability": 0.5}], "sufficient": 0.5}',
    '{"passages": [{"passage": 1, "probability": "0.5"}, {"passage": 2, "probability": 0.5}], "sufficient": 0.5}',
])
def test_numbers_that_are_none_are_repaired_once(wrong: str) -> None:
    assert isinstance(read_judged(wrong, 2), str)
    found, server = asked(says(wrong), says(judged(0.7, 0.3)))
    assert found == pytest.approx([0.5, 0.2]) and len(server.requests) == 2


def test_the_trained_one_judges_where_the_model_does_not_and_the_answer_says_so() -> None:
    with ChatServer([fails(500)]) as server, spent_on_answer():
        made = small_world([LEAVE.passage], evaluator=judging(server))
        told = answer_question(made.ask(QUESTION), made.components).answer
    assert told.verdict and told.verdict.kind == "ambiguous" and told.verdict.scores == [0.25]
    assert any("did not judge the passages (model big-one: it refused with status 500)" in w for w in told.warnings)


def test_judging_leaves_a_call_for_the_writing() -> None:
    with ChatServer([says("no")]) as server, spent_on_answer():
        one = judging(server)
        assert [one.probabilities(QUESTION, [LEAVE]) for _ in range(3)] == [[0.25]] * 3
        assert len(server.requests) == 2


def test_long_passages_are_cut_to_their_share() -> None:
    long = replace(LEAVE, passage=passage("word " * 5000))
    with ChatServer([says(judged(0.7, 0.3))]) as server:
        judging(server, most_tokens=400).probabilities(QUESTION, [long, BADGES])
        assert len(server.requests[0]["messages"][1]["content"].split()) < 500


def test_another_trained_evaluator_takes_the_place_of_the_one_before() -> None:
    with ChatServer([fails(500)]) as server:
        after = judging(server).over(FixedEvaluator(0.9, (0.3, 0.6)))
        assert (after.thresholds, after.probabilities(QUESTION, [LEAVE])) == ((0.3, 0.6), [0.9])
