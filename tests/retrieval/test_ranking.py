"""Answers, searches, evaluation and training rank in one way: what each shows is the same order."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

from homes.small_world import EVERYBODY, small_world

from flows.runs.evaluate import _stages
from services.answering.search import SearchService
from vouch.correction.components import QuestionKinds
from vouch.correction.loop import answer_question
from vouch.correction.recipe_file import load_recipe
from vouch.correction.recipes import FactQuestions, ListQuestions
from vouch.filters import EVERYTHING, Filters
from vouch.ports.index import Look
from vouch.retrieval.fusion import ReciprocalRanks
from vouch.retrieval.question.query import form_query
from vouch.retrieval.ranking import Ranking, rank
from vouch.values.candidate import Candidate, Passage
from vouch.values.question import Query

QUESTION = "How many weeks of paid leave do parents get?"
RANKING = Ranking(top=20, rerank=6)


class Everybody:
    """Permissions under which every search is for the same audience."""

    directory = SimpleNamespace(audience=lambda tags: EVERYBODY)

    def permissions(self) -> Any:
        return self


def test_an_answer_a_search_and_an_evaluation_have_one_order() -> None:
    world = small_world(kinds=QuestionKinds(FactQuestions(RANKING), ListQuestions()))
    m = world.components
    answered = [row["chunk_id"] for row in answer_question(world.ask(QUESTION), m).candidates]
    everybody: Any = Everybody()
    finder = SearchService(world.index, everybody, m.analyser, lambda: m.encoder, lambda: m.ranking_models, RANKING)
    found = finder.search(QUESTION, ["public"], 5, "reranked")["results"]
    assert [one["chunk_id"] for one in found] == answered[:5] and all(one["scores"]["rerank"] for one in found[:2])
    paths = dict.fromkeys(one["path"] for one in finder.search(QUESTION, ["public"], 20, "reranked")["results"])
    view = world.index.view(EVERYBODY)
    stages = _stages(view, m.ranking_models, replace(RANKING, rerank=20), QUESTION)["reranked"]
    assert sorted(stages, key=lambda one: -stages[one]) == [path.removesuffix(".md") for path in paths]
    fused = [one["chunk_id"] for one in finder.search(QUESTION, ["public"], 5, "fused")["results"]]
    query = form_query(QUESTION, m.analyser)
    assert fused == [c.chunk_id for c in rank(view, query, m.ranking_models, RANKING).fused[:5]]


class Rewording:
    """A language model that rewords each question, and counts them."""

    name = "language model M"

    def __init__(self) -> None:
        self.asked: list[str] = []

    def queries(self, question: str, most: int) -> list[str]:
        self.asked.append(question)
        return ["zoom password host"]

    def hypotheses(self, question: str, most: int) -> list[str]:
        return []

    def answer(self, question: str, passages: Sequence[Passage]) -> str:
        return ""


def test_a_reranked_search_asks_the_language_model_for_words_as_an_answer_does() -> None:
    ranking = load_recipe("augment-rerank").facts.ranking(RANKING)
    model = Rewording()
    world = small_world(suggester=model, kinds=QuestionKinds(FactQuestions(ranking), ListQuestions()))
    m, everybody = world.components, Everybody()
    answered = [row["chunk_id"] for row in answer_question(world.ask(QUESTION), m).candidates]
    assert model.asked == [QUESTION]
    finder = SearchService(world.index, cast(Any, everybody), m.analyser, lambda: m.encoder, lambda: m.ranking_models,
                           ranking)
    found = finder.search(QUESTION, ["public"], 5, "reranked")["results"]
    assert model.asked == [QUESTION] * 2 and [one["chunk_id"] for one in found] == answered[:5]


class Backwards(ReciprocalRanks):
    name = "backwards"

    def scores(self, query: Query, candidates: Sequence[Candidate], look: Look | None = None) -> list[float]:
        return [float(c.lexical_rank or 0) for c in candidates]


def test_another_fusion_makes_another_order_of_the_same_candidates() -> None:
    world = small_world()
    view, models = world.index.view(EVERYBODY), world.components.ranking_models
    query = form_query(QUESTION, world.components.analyser)
    usual = rank(view, query, models, RANKING)
    other = rank(view, query, models, replace(RANKING, fusion=Backwards()))
    assert (usual.fused_by, other.fused_by) == ("reciprocal ranks", "backwards")
    assert {c.chunk_id for c in usual.fused} == {c.chunk_id for c in other.fused}
    ranks = [c.lexical_rank or 0 for c in other.fused]
    assert ranks == sorted(ranks, reverse=True)
    assert [c.fused_rank for c in other.fused] == list(range(1, len(other.fused) + 1))


def test_each_stage_is_entered_once_in_order() -> None:
    world, entered = small_world(), list[str]()

    @contextmanager
    def stage(name: str) -> Iterator[Callable[[int], object]]:
        entered.append(name)
        yield lambda number: number

    rank(world.index.view(EVERYBODY), form_query(QUESTION, world.components.analyser), world.components.ranking_models,
         RANKING, stage=stage)
    assert entered == ["retrieve", "fuse", "expand", "rerank"]


def test_a_search_that_finds_nothing_explains_why() -> None:
    m = (world := small_world()).components
    everybody: Any = Everybody()
    finder = SearchService(world.index, everybody, m.analyser, lambda: m.encoder, lambda: m.ranking_models, RANKING)

    def why(text: str, mode: str = "lexical", filters: Filters = EVERYTHING) -> str:
        row = finder.search(text, ["public"], 5, mode, filters, explain=True)
        assert row["results"] == []
        assert "why_nothing" not in finder.search(text, ["public"], 5, mode, filters)
        return row["why_nothing"]

    assert "has a word of the search" in why("zebra") and "no word to look up" in why("the")
    assert "no passage that the filters let in" in why(QUESTION, "fused", Filters(paths=("nowhere",)))
    world.index.labels.clear()
    assert why(QUESTION, "fused") == "these readers may read no passage"
