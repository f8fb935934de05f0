"""What every fusion of the two engines' lists promises."""

import math
import random

import pytest
from small_world import passage

from vouch.ports.fusion import Fusion
from vouch.retrieval.candidate import Candidate
from vouch.retrieval.fusion import ReciprocalRanks
from vouch.retrieval.query import Query


@pytest.fixture(params=[ReciprocalRanks(), ReciprocalRanks(5)], ids=["usual", "steep"])
def fusion(request: pytest.FixtureRequest) -> Fusion:
    return request.param


def candidates() -> list[Candidate]:
    draw = random.Random(4)
    ranks = [(draw.choice([None, n]), draw.choice([None, 30 - n])) for n in range(1, 30)]
    return [
        Candidate(passage("words", chunk_id=f"c{n:02}"), lexical_score=a and 9.0 / a, lexical_rank=a,
                  dense_score=b and 1.0 / b, dense_rank=b)
        for n, (a, b) in enumerate(ranks)
    ]  # fmt: skip


def test_there_is_one_finite_score_for_each_whatever_their_order(fusion: Fusion) -> None:
    query, rows = Query("words", ("word",)), candidates()
    scores = dict(zip((c.chunk_id for c in rows), fusion.scores(query, rows), strict=True))
    assert all(math.isfinite(score) for score in scores.values())
    random.Random(5).shuffle(rows)
    assert [scores[c.chunk_id] for c in rows] == list(fusion.scores(query, rows))
    assert list(fusion.scores(query, [])) == []


def test_to_be_found_by_both_first_is_best(fusion: Fusion) -> None:
    best = Candidate(passage("words", chunk_id="best"), 9.0, 1, 0.9, 1)
    scores = fusion.scores(Query("words", ()), [best, *candidates()])
    assert max(scores) == scores[0]
