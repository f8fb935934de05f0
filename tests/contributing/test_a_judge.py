"""CONTRIBUTING.md, "A judge": a toy reranker and a toy evaluator in the places of those that serve."""

from collections.abc import Iterator, Sequence
from types import SimpleNamespace
from typing import Any

import pytest
from homes.small_world import small_world

from composition import models
from vouch.correction.components import QuestionKinds
from vouch.correction.loop import answer_question
from vouch.correction.recipes import FactQuestions, ListQuestions
from vouch.ports.models import Evaluator, Reranker
from vouch.retrieval.ranking import Ranking
from vouch.settings import Settings
from vouch.values.candidate import Candidate

QUESTION = "How many weeks of paid leave do parents get?"


class Brevity:
    """The shorter the passage, the better."""

    fingerprint = "brevity"

    def __init__(self, encoder: Any = None) -> None:
        self.encoder = encoder

    def scores(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        return [1 / (1 + len(passage)) for _, passage in pairs]

    def forget(self) -> None:
        """Nothing is remembered."""


class Always:
    fingerprint, judged_with = "always", ""
    thresholds = (0.3, 0.6)

    def __init__(self, probability: float) -> None:
        self._probability = probability

    def probabilities(self, question: str, candidates: Sequence[Candidate]) -> list[float]:
        return [self._probability for _ in candidates]


@pytest.fixture
def nothing_loaded(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr("vouch.adapters.models.encoder.load_encoder", lambda *_: SimpleNamespace(fingerprint="none"))
    for kept in (models._encoder, models._ranking):
        kept.forget()
    yield
    for kept in (models._encoder, models._ranking):
        kept.forget()


@pytest.mark.usefixtures("nothing_loaded")
def test_a_reranker_is_made_once_where_models_are_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vouch.adapters.models.scorers.maxsim.MaxSimReranker", Brevity)
    found: Any = models.load_reranker(Settings())
    assert isinstance(found, Brevity) and found is models.load_reranker(Settings())
    assert found.encoder.fingerprint == "none"


def test_answers_are_ranked_by_it() -> None:
    reranker: Reranker = Brevity()
    alone = QuestionKinds(FactQuestions(Ranking(top=20, engines=0)), ListQuestions())
    world = small_world(reranker=reranker, kinds=alone)
    ranked = [row["chunk_id"] for row in answer_question(world.ask(QUESTION), world.components).candidates]
    usual = small_world()
    assert ranked != [row["chunk_id"] for row in answer_question(usual.ask(QUESTION), usual.components).candidates]
    scores = {row["chunk_id"]: row["rerank_score"]
              for row in answer_question(world.ask(QUESTION), world.components).candidates}
    assert ranked == sorted(ranked, key=lambda one: -scores[one])


def test_a_score_ignores_its_neighbors() -> None:
    pairs = [("q", "long passage"), ("q", "short"), ("q", "long passage")]
    assert Brevity().scores(pairs) == [Brevity().scores([pair])[0] for pair in pairs]


@pytest.mark.parametrize(("probability", "action"), [(0.9, "answered"), (0.4, "answered_with_caution"),
                                                     (0.1, "declined")])
def test_an_evaluator_decides_whether_there_is_an_answer(probability: float, action: str) -> None:
    evaluator: Evaluator = Always(probability)
    world = small_world(evaluator=evaluator)
    assert answer_question(world.ask(QUESTION), world.components).answer.action == action
