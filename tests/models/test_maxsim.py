"""MaxSim against the formula, written out."""

import numpy as np
import pytest
from models.invariance import texts

from vouch.adapters.models.encoder import FixedShapeEncoder
from vouch.adapters.models.scorers.maxsim import MaxSimReranker

pytestmark = pytest.mark.model
QUESTION = "Who approves parental leave?"


def test_scores_are_the_mean_of_the_best_cosines(encoder: FixedShapeEncoder) -> None:
    (asked,) = encoder.token_vectors([QUESTION], questions=True)
    given = [text for text in texts(3, 8) if text]
    for score, passage in zip(MaxSimReranker(encoder).scores([(QUESTION, p) for p in given]),
                              encoder.token_vectors(given), strict=True):
        best = [max(float(np.dot(q, p)) for p in passage) for q in asked]
        assert score == pytest.approx(sum(best) / len(best), abs=2e-3)      # passages are kept in half precision


def test_what_is_remembered_changes_no_score_and_stays_bounded(encoder: FixedShapeEncoder) -> None:
    given = texts(4, 10)
    pairs = [(QUESTION, text) for text in given]
    fresh = MaxSimReranker(encoder).scores(pairs)
    small = MaxSimReranker(encoder, cache_bytes=200_000)
    assert small.scores(pairs) == small.scores(pairs[::-1])[::-1] == fresh
    assert sum(vectors.nbytes for vectors in small._cache.values()) <= 200_000
    assert small._free == 200_000 - sum(vectors.nbytes for vectors in small._cache.values())


def test_what_was_read_before_changes_no_score_and_takes_no_pass_again(encoder: FixedShapeEncoder) -> None:
    given = [text for text in texts(5, 16) if text]
    pairs = [(QUESTION, text) for text in given]
    fresh = MaxSimReranker(encoder).scores(pairs)
    for needed, likely in ((given, []), (given[:4], given), ([], given[::-1])):
        foresees = MaxSimReranker(encoder)
        foresees.foresee(needed, likely)
        before = encoder.forward_passes
        assert foresees.scores(pairs[: len(needed)]) == fresh[: len(needed)]
        assert encoder.forward_passes == before
        assert foresees.scores(pairs) == fresh
    bounded = MaxSimReranker(encoder, cache_bytes=100_000)
    bounded.foresee(given[:8], given)
    assert bounded.scores(pairs) == fresh


def test_what_is_only_likely_takes_no_pass_of_its_own(encoder: FixedShapeEncoder) -> None:
    few, many = ["Leave is approved by the lead."], [f"{n} {'word ' * 150}" for n in range(60)]
    foresees, before = MaxSimReranker(encoder), encoder.forward_passes
    foresees.foresee(few, many)
    assert encoder.forward_passes - before <= 2 and 1 < len(foresees._cache) < len(many)


def test_beside_others_nothing_is_read_that_may_not_be_needed(encoder: FixedShapeEncoder) -> None:
    class Beside(FixedShapeEncoder):
        asked_by_one = False

    beside = Beside.__new__(Beside)
    beside.__dict__.update(encoder.__dict__)
    foresees = MaxSimReranker(beside)
    foresees.foresee(["Leave is approved."], ["Leave is long."])
    assert list(foresees._cache) == ["Leave is approved."]


def test_the_fingerprint_follows_the_encoder(encoder: FixedShapeEncoder) -> None:
    assert encoder.fingerprint in MaxSimReranker(encoder).fingerprint
