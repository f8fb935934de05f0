"""The judge reads the first passages of a question for a fact, and none of one for a list."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from fakes.noted_web import NotedWeb, web_passage
from homes.small_world import EVERYBODY, OPEN, CoverageEvaluator, handbook, passage, small_world

from vouch.correction.components import Outside, QuestionKinds
from vouch.correction.judging import JUDGED, evaluate, in_joint_order
from vouch.correction.loop import answer_question
from vouch.correction.recipes import FactQuestions, ListQuestions
from vouch.documents.chunk import model_input
from vouch.learning.collections.collection import text_passage
from vouch.retrieval.question.listing import as_list
from vouch.retrieval.question.query import form_query
from vouch.retrieval.ranking import Ranking, rank
from vouch.values.candidate import Candidate

LEAVE = "How many weeks of paid leave do parents get?"
LIST = "List all documents about leave"
TWO = f"{LEAVE[:-1]} and who approves the moving budget of a new colleague?"
CHESS = "Who won the chess tournament?"


@dataclass
class Judge:
    """Says how many signs a passage has."""

    fingerprint: str = "signs"
    pairs: list[tuple[str, str]] = field(default_factory=list)

    def scores(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        self.pairs += pairs
        return [float(len(text)) for _, text in pairs]


class ByJudge(CoverageEvaluator):
    """Sure of what the judge read, if it is told so."""

    fingerprint, judged_with = "by judge", "signs"

    def __init__(self, sure: bool) -> None:
        self.sure = sure
        self.features: list[dict[str, float]] = []

    def probabilities(self, question: str, candidates: Sequence[Candidate]) -> list[float]:
        self.features += [dict(one.features) for one in candidates]
        return [float(self.sure and not one.features["judge_missing"]) for one in candidates]


def judged_world(sure: bool = True) -> tuple[Any, Judge, ByJudge]:
    judge, evaluator = Judge(), ByJudge(sure)
    return small_world(evaluator=evaluator, judge=judge, unjudged=CoverageEvaluator()), judge, evaluator


def test_it_reads_the_first_passages_under_their_headings_and_the_verdict_is_on_these() -> None:
    world, judge, evaluator = judged_world()
    c = world.components
    view, query = c.index.view(world.ask(LEAVE).current_audience()), form_query(LEAVE, c.analyser)
    found = rank(view, query, c.ranking_models, c.kinds.facts.ranking).candidates
    verdict, judged = evaluate(view, c, query, found, 3)
    assert len(found) > 3 == len(judge.pairs) == len(verdict.scores) and c.kinds.facts.judged == JUDGED
    assert {question for question, _ in judge.pairs} == {LEAVE} and "> parental leave\n" in judge.pairs[0][1]
    assert [row["judge"] for row in evaluator.features] == [float(len(text)) for _, text in judge.pairs]
    assert {one.chunk_id for one in judged[:3]} == {one.chunk_id for one in found[:3]}
    assert [one.chunk_id for one in judged[3:]] == [one.chunk_id for one in found[3:]]
    assert [one.probability for one in judged] == [1.0, 1.0, 1.0, *[None] * (len(found) - 3)]


def test_what_it_says_decides_the_verdict() -> None:
    for sure, action in ((True, "answered"), (False, "declined")):
        world, _, _ = judged_world(sure)
        assert answer_question(world.ask(LEAVE), world.components).answer.action == action


def test_lists_are_judged_without_it() -> None:
    world, judge, _ = judged_world()
    c = world.components
    assert as_list(form_query(LIST, c.analyser), c.analyser).lists
    plain = answer_question(small_world().ask(LIST), small_world().components).answer
    listed = answer_question(world.ask(LIST), c).answer
    assert judge.pairs == [] and listed.answer == plain.answer and listed.verdict == plain.verdict


@pytest.mark.parametrize("judged", [0, 3])
def test_of_what_a_further_step_finds_it_reads_as_many_as_the_recipe_says(judged: int) -> None:
    read: list[int] = []

    class Counting(Judge):
        def scores(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
            read.append(len(pairs))
            return super().scores(pairs)

    kinds = QuestionKinds(FactQuestions(Ranking(top=20), judged=judged), ListQuestions())
    world = small_world(evaluator=ByJudge(sure=True), judge=Counting(), unjudged=CoverageEvaluator(), kinds=kinds)
    answer = answer_question(replace(world.ask(TWO), steps=3), world.components).answer
    assert len(answer.steps) > 1
    assert set(read) == ({judged} if judged else set())


def test_without_one_nothing_says_it_has_read() -> None:
    evaluator = ByJudge(sure=True)
    world = small_world(evaluator=evaluator)
    answer_question(world.ask(LEAVE), world.components)
    assert {(row["judge"], row["judge_missing"]) for row in evaluator.features} == {(0.0, 1.0)}


def test_what_is_off_the_topic_is_declined_or_in_doubt_whatever_the_judge_says() -> None:
    asked = "Which telescope photographed the nebula in spring?"
    for sure, kind, action in ((False, "incorrect", "declined"), (True, "ambiguous", "answered_with_caution")):
        world, _, _ = judged_world(sure)
        answer = answer_question(world.ask(asked), world.components).answer
        assert answer.verdict is not None and "something else" in answer.verdict.reason
        assert (answer.verdict.kind, answer.action) == (kind, action)
    alone = small_world(evaluator=ByJudge(sure=True), judge=Judge(), unjudged=None)
    told = answer_question(alone.ask(asked), alone.components).answer.verdict
    assert told is not None and told.kind == "correct"                  # the judge alone would be sure


def test_what_the_judge_read_is_in_the_order_of_its_score_and_the_rankings() -> None:
    def order(*said: float, ranked: Sequence[float] = (3.0, 2.0, 1.0)) -> list[int]:
        given = [Candidate(text_passage(n, "", "a"), rerank_score=score) for n, score in enumerate(ranked)]
        judged = [replace(one, features={"judge": score}) for one, score in zip(given, said, strict=False)]
        return [judged.index(one) for one in in_joint_order(judged, given)]

    assert order(0.0, 0.0, 0.0) == [0, 1, 2]                    # the judge prefers none
    assert order(0.0, 0.0, 0.0, ranked=(1.0, 3.0, 2.0)) == [1, 2, 0]
    assert order(0.0, 2.0, 0.0) == [0, 1, 2]                    # deviations of 1.22, 0 and -1.22 beside 0, 1 and 0
    assert order(0.0, 3.0, 0.0) == [1, 0, 2]
    assert order(0.0, 0.0, 5.0) == [2, 0, 1]
    assert order(0.0, 0.0, ranked=(1.0, 1.0)) == [0, 1]         # a tie stays as it was given
    assert order(0.0, 2.0) == [0, 1] and order(0.0, 3.0) == [1, 0]  # deviations are those of all that were ranked
    assert in_joint_order([], []) == []


def test_a_judge_that_is_sure_of_another_code_is_not_believed() -> None:
    rows = [passage("Team 3-0 meets on Monday at nine.")]
    world = small_world(rows, evaluator=ByJudge(sure=True), judge=Judge(), unjudged=CoverageEvaluator())
    for asked, kind in (("When does team 3-0 meet on Monday?", "correct"),
                        ("When does team 3-3 meet on Monday?", "ambiguous")):
        verdict = answer_question(world.ask(asked), world.components).answer.verdict
        assert verdict is not None and verdict.kind == kind, asked


def liked_last() -> tuple[str, tuple[str, ...]]:
    """The passage that the judge likes best, which neither leads nor is given to the writer; and what is looked up."""
    judge, evaluator = Judge(), ByJudge(sure=True)
    few = QuestionKinds(FactQuestions(Ranking(top=20), places=1), ListQuestions())
    less = ["Parents", "get", "twelve", "weeks", "of", "paid", "leave", "in", "all"]
    rows = [passage(f"{' '.join(less[:words])}.", chunk_id=f"c{words}", path=f"{words}.md") for words in range(2, 9)]
    world = small_world(rows, evaluator=evaluator, judge=judge, unjudged=CoverageEvaluator(), kinds=few)
    c = world.components
    view, query = c.index.view(world.ask(LEAVE).current_audience()), form_query(LEAVE, c.analyser)
    found = rank(view, query, c.ranking_models, c.kinds.facts.ranking).candidates
    liked = min(found[:JUDGED], key=lambda one: one.rerank_score or 0.0)
    shown = model_input(liked.passage.section, liked.passage.text, liked.passage.header)
    judge.scores = lambda pairs: [float(text == shown) for _, text in pairs]  # type: ignore[method-assign]
    outcome = answer_question(world.ask(LEAVE), c)
    assert outcome.candidates[0]["evidence"]["judge_best"] == 1.0
    assert liked.chunk_id not in {one.chunk_id for one in outcome.answer.citations}
    return liked.chunk_id, tuple(outcome.given)


def test_what_the_judge_likes_best_is_looked_up_again_as_all_scores_are_made_from_it() -> None:
    liked, given = liked_last()
    assert liked in given


def test_the_answer_is_made_in_that_order() -> None:
    world, judge, _ = judged_world()
    c = world.components
    view, query = c.index.view(world.ask(LEAVE).current_audience()), form_query(LEAVE, c.analyser)
    found = rank(view, query, c.ranking_models, c.kinds.facts.ranking).candidates
    liked = found[2].passage.section[-1]
    judge.scores = lambda pairs: [float(liked in text) for _, text in pairs]  # type: ignore[method-assign]
    _, judged = evaluate(view, c, query, found, 3)
    assert [one.chunk_id for one in judged[:3]] == [found[n].chunk_id for n in (0, 2, 1)]


def asked_outside(web_judged: int | None = None) -> tuple[Judge, ByJudge, str]:
    """A question that only the web answers, put to an evaluator that is sure of whatever the judge read."""
    judge, evaluator = Judge(), ByJudge(sure=True)
    won = web_passage("Judit won the chess tournament in Riga.", "chess", "Chess news")
    more = {} if web_judged is None else {"web_judged": web_judged}
    outside = Outside(NotedWeb(won), OPEN)
    world = small_world(evaluator=evaluator, judge=judge, unjudged=CoverageEvaluator(), outside=outside, **more)
    answer = answer_question(world.ask(CHESS), world.components).answer
    return judge, evaluator, answer.knowledge


def test_pages_of_the_web_are_weighed_without_it() -> None:
    judge, evaluator, knowledge = asked_outside()
    assert knowledge == "external"
    assert judge.pairs and not any("Judit" in text for _, text in judge.pairs)      # it read the documents alone
    assert len(evaluator.features) == len(judge.pairs)                              # the other evaluator weighed them


def test_a_judge_that_reads_them_is_seen() -> None:
    judge, evaluator, knowledge = asked_outside(web_judged=JUDGED)
    assert knowledge == "external" and any("Judit" in text for _, text in judge.pairs)
    assert len(evaluator.features) == len(judge.pairs) and evaluator.features[-1]["judge_missing"] == 0.0


def test_a_row_that_the_question_names_is_first_whatever_the_judge_says() -> None:
    world, judge, _ = judged_world()
    c = world.components
    text = "| Product | Price |\n|---|---|\n| Widget-17 | 5 |"
    query = form_query("what is the price of Widget-17?", c.analyser)
    found = [Candidate(passage(text, chunk_id="row", has_table=True)), *(Candidate(one) for one in handbook()[:2])]
    judge.scores = lambda pairs: [float("Widget" not in text) for _, text in pairs]  # type: ignore[method-assign]
    _, judged = evaluate(c.index.view(EVERYBODY), c, query, found[1:] + found[:1], 3)
    assert judged[0].chunk_id == "row"
