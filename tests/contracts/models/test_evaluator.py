"""What every evaluator promises: the Evaluator port, over evidence features."""

import random
from dataclasses import replace

import pytest

from vouch.errors import VouchError
from vouch.learning.collections.collection import text_passage
from vouch.learning.models.evaluator_model import SHIPPED, UNJUDGED, load_evaluator
from vouch.ports.models import Evaluator
from vouch.retrieval.evidence_features import EVIDENCE_FEATURES
from vouch.values.candidate import Candidate

SHARES = set(EVIDENCE_FEATURES) - {"number_wanted", "name_wanted"}


@pytest.fixture(params=[SHIPPED, UNJUDGED], ids=["with a judge", "without one"])
def evaluator(request: pytest.FixtureRequest) -> Evaluator:
    return load_evaluator(request.param)


def drawn(seed: int, count: int = 12) -> list[Candidate]:
    draw = random.Random(seed)
    return [
        Candidate(
            text_passage(n, "", "text"),
            features={f: draw.random() if f in SHARES else draw.choice((-1.0, 0.0, 1.0)) for f in EVIDENCE_FEATURES},
        )
        for n in range(count)
    ]


def test_thresholds_are_ordered_shares(evaluator: Evaluator) -> None:
    lower, upper = evaluator.thresholds
    assert 0 <= lower <= upper <= 1


@pytest.mark.parametrize("seed", range(5))
def test_one_probability_per_candidate_whatever_stands_beside_it(evaluator: Evaluator, seed: int) -> None:
    candidates = drawn(seed)
    together = evaluator.probabilities("q", candidates)
    assert all(0 <= p <= 1 for p in together)
    assert together == [evaluator.probabilities("q", [c])[0] for c in candidates]
    assert evaluator.probabilities("q", candidates[::-1]) == together[::-1]
    assert evaluator.probabilities("q", []) == []


def test_a_candidate_without_features_is_refused(evaluator: Evaluator) -> None:
    with pytest.raises(VouchError):
        evaluator.probabilities("q", [Candidate(text_passage(0, "", "text"))])
    broken = [replace(c, features={**c.features, "maxsim_lead": float("nan")}) for c in drawn(1, 1)]
    with pytest.raises(VouchError):
        evaluator.probabilities("q", broken)


def test_better_evidence_is_more_likely(evaluator: Evaluator) -> None:
    worst = dict.fromkeys(EVIDENCE_FEATURES, 0.0) | {"largest_gap": 1.0, "maxsim": 0.2, "maxsim_lead": -0.1,
                                                    "judge": -5.0}
    best = worst | {"largest_gap": 0.0, "maxsim": 0.8, "cosine": 0.8, "coverage": 1.0, "window_coverage": 1.0,
                    "bm25_share": 0.7, "phrases": 0.6, "numbers": 1.0, "names": 1.0, "maxsim_lead": 0.2, "judge": 3.0}
    passage = text_passage(0, "", "text")
    low, high = evaluator.probabilities("q", [Candidate(passage, features=worst), Candidate(passage, features=best)])
    lower, upper = evaluator.thresholds
    assert low < lower <= upper <= high
