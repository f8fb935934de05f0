"""What every reranker promises: the Reranker port."""

import random

import numpy as np
import pytest
from model_fakes.cross_encoder_model import random_cross_encoder, random_judge
from models.invariance import moved, texts

from vouch.adapters.models.encoder import load_encoder
from vouch.adapters.models.scorers.cross_encoder import load_cross_encoder
from vouch.adapters.models.scorers.maxsim import MaxSimReranker
from vouch.messages import LONGEST_QUESTION
from vouch.ports.models import Reranker

pytestmark = pytest.mark.model
QUESTION = "How many days of parental leave are there?"


@pytest.fixture(scope="module", params=["maxsim", "maxsim without room to remember", "cross-encoder", "judge"])
def reranker(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Reranker:
    if request.param == "cross-encoder":
        return load_cross_encoder(random_cross_encoder(tmp_path_factory.mktemp("models") / "cross"))
    if request.param == "judge":
        return load_cross_encoder(random_judge(tmp_path_factory.mktemp("models") / "judge"))
    return MaxSimReranker(load_encoder(), cache_bytes=0 if "without" in request.param else 1 << 26)


def test_one_finite_score_per_pair_in_their_order(reranker: Reranker) -> None:
    pairs = [(QUESTION, text) for text in texts(2, 6)] + [("", "x"), ("x", ""), ("?", "!"), (QUESTION, QUESTION)]
    scores = reranker.scores(pairs)
    assert len(scores) == len(pairs) and np.isfinite(scores).all()
    assert reranker.scores(pairs[::-1]) == scores[::-1]
    assert reranker.scores([]) == []


LONG = ["?" * LONGEST_QUESTION, *((words * 400)[:LONGEST_QUESTION] for words in (
    "Скільки днів відпустки? ", "父母有多少天的育儿假？", "How many days of leave do parents get "))]


@pytest.mark.parametrize("asked", LONG)
@pytest.mark.parametrize("length", [127, 128, 129, 190, 512, LONGEST_QUESTION])
def test_a_question_may_be_as_long_as_people_may_ask(reranker: Reranker, asked: str, length: int) -> None:
    if length != LONGEST_QUESTION:
        asked = " ".join(asked.split()[:length]) if " " in asked else asked[:length]
    scores = reranker.scores([(asked, text) for text in texts(3, 3)] + [(asked, "x"), (asked, "")])
    assert len(scores) == 5 and np.isfinite(scores).all()


@pytest.mark.parametrize("reranker", ["maxsim"], indirect=True)
def test_the_passage_that_answers_comes_first(reranker: Reranker) -> None:
    """Not of a model with random weights."""
    answers, near, far = reranker.scores([
        (QUESTION, "Parents may take sixteen days of parental leave."),
        (QUESTION, "Annual leave is asked for in the calendar."),
        (QUESTION, "Reset the VPN token in the settings."),
    ])
    assert answers > near > far


def test_scores_ignore_neighbors_order_and_count(reranker: Reranker) -> None:
    def score(passages: list[str]) -> list[np.ndarray]:
        questions = random.Random(len(passages)).sample(["who?", "what is leave?", "a b"], 1)
        extra = [(q, p) for q in questions for p in passages[:2]]
        return [np.array(s) for s in reranker.scores([(QUESTION, p) for p in passages] + extra)[: len(passages)]]

    assert moved(score, 5, rounds=3, count=12) == 0


def test_scores_ignore_how_many_threads_share_a_pass(reranker: Reranker) -> None:
    import torch

    before, found = torch.get_num_threads(), list[list[float]]()
    try:
        for threads in (1, 2, 3):
            torch.set_num_threads(threads)
            found.append(reranker.scores([(QUESTION, text) for text in texts(4, 10)]))
            if isinstance(reranker, MaxSimReranker):
                reranker.forget()
    finally:
        torch.set_num_threads(before)
    assert found[0] == found[1] == found[2]
