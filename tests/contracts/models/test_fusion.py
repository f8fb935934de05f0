"""What every fusion of the two engines' lists promises."""

import math
import random

import pytest
from homes.small_world import passage
from model_fakes.fusion_models import engines_alone, everything

from vouch.adapters.analyser import SnowballAnalyser
from vouch.learning.models.fusion_model import LearnedFusion
from vouch.ports.index import Fusion
from vouch.retrieval.fusion import ReciprocalRanks
from vouch.values.candidate import Candidate, Statistics
from vouch.values.question import Query

QUERY = Query("Which words?", ("word",))


def look() -> Statistics:
    return Statistics(40, {"word": 30})


@pytest.fixture(params=[
    ReciprocalRanks(), ReciprocalRanks(5), LearnedFusion(engines_alone(), SnowballAnalyser()),
    LearnedFusion(everything(), SnowballAnalyser()),
], ids=["usual", "steep", "learned", "learned with all features"])  # fmt: skip
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
    rows = candidates()
    scores = dict(zip((c.chunk_id for c in rows), fusion.scores(QUERY, rows, look), strict=True))
    assert all(math.isfinite(score) for score in scores.values())
    random.Random(5).shuffle(rows)
    assert [scores[c.chunk_id] for c in rows] == list(fusion.scores(QUERY, rows, look))
    assert list(fusion.scores(QUERY, [], look)) == [] == list(fusion.explain(QUERY, [], look))


def test_to_be_found_by_both_first_is_best() -> None:
    best = Candidate(passage("words", chunk_id="best"), 9.0, 1, 0.9, 1)
    for fusion in (ReciprocalRanks(), ReciprocalRanks(5), LearnedFusion(engines_alone(), SnowballAnalyser())):
        scores = fusion.scores(QUERY, [best, *candidates()], look)
        assert max(scores) == scores[0]


def test_a_score_is_the_sum_of_its_parts_but_for_one_number(fusion: Fusion) -> None:
    rows = candidates()
    scores, parts = fusion.scores(QUERY, rows, look), fusion.explain(QUERY, rows, look)
    rest = {round(score - sum(one.adds for one in made_of), 9) for score, made_of in zip(scores, parts, strict=True)}
    assert len(rest) == 1 and fusion.name
