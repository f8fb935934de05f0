"""Of equal pairs a model reads one, and each gets the score that it would have got."""

import random
from collections.abc import Sequence

import pytest
from fakes.hashed_models import OverlapReranker

from services.models.known_scores import KnownScores
from vouch.adapters.analyser import SnowballAnalyser
from vouch.errors import ModelDown


class Counting(OverlapReranker):
    """`read` holds all pairs that it was given; the first `fails` calls fail."""

    def __init__(self, fails: int = 0) -> None:
        super().__init__(SnowballAnalyser())
        self.read: list[tuple[str, str]] = []
        self.fails = fails

    def scores(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        self.fails -= 1
        if self.fails >= 0:
            raise ModelDown("away")
        self.read += pairs
        return super().scores(pairs)


def test_each_pair_is_read_once_and_has_its_own_score() -> None:
    drawn, model = random.Random(7), Counting()
    known, words = KnownScores(model), ("leave", "day", "a day", "", "travel \ud800", "leave day")
    asked = set()
    for _ in range(50):
        pairs = [(drawn.choice(words), drawn.choice(words)) for _ in range(drawn.randrange(8))]
        assert known.scores(pairs) == OverlapReranker(SnowballAnalyser()).scores(pairs)
        asked.update(pairs)
    assert sorted(model.read) == sorted(asked) and known.fingerprint == model.fingerprint


def test_where_one_text_ends_and_the_other_begins_counts() -> None:
    known = KnownScores(Counting())
    assert known.scores([("leave", "day off")]) != known.scores([("leaveday", "off leaveday")])


def test_a_failure_is_not_remembered() -> None:
    known = KnownScores(Counting(fails=1))
    with pytest.raises(ModelDown):
        known.scores([("leave", "leave")])
    assert known.scores([("leave", "leave")]) == OverlapReranker(SnowballAnalyser()).scores([("leave", "leave")])
