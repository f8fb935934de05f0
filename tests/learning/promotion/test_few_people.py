"""A few people who act together, by all that they say before and after a promotion: they put no good model back.

What is simulated is who asks and votes in which order; the values count in turns, as those of a ledger do.
"""

from collections.abc import Iterator, Mapping
from itertools import islice

import numpy as np
import pytest

from vouch.learning.promotion import control
from vouch.learning.promotion.control import Figure, Floats, compare, in_turns

Row = tuple[str, float]
PEOPLE, TOGETHER = 43, 3                # of whom so many act together
SEEDS = range(20)
ANSWERS = 3000
GOOD = {"votes": 0.75, "answers": 0.88, "confidence": 0.60, "citations": 0.85}
WORSE = {"votes": 0.60, "answers": 0.80, "confidence": 0.52, "citations": 0.77}
VOTED = 0.2                             # share of the answers that people vote on; those who act together on each


def said(random: np.random.Generator, means: Mapping[str, float], answers: int, together: float | None) -> Iterator[
    dict[Figure, Row]
]:
    """By answer what was seen; `together`: what the few vote."""
    for _ in range(answers):
        number = int(random.integers(PEOPLE))
        who, sure = f"p{number}", means["confidence"]
        row: dict[Figure, Row] = {
            "answers": (who, float(random.random() < means["answers"])),
            "confidence": (who, float(random.beta(8 * sure, 8 * (1 - sure)))),
            "citations": (who, float(random.random() < means["citations"])),
        }
        if together is not None and number < TOGETHER:
            row["votes"] = (who, together)
        elif random.random() < VOTED:
            row["votes"] = (who, float(random.random() < means["votes"]))
        yield row


def counted(rows: list[dict[Figure, Row]], most: int) -> dict[Figure, Floats]:
    found: dict[Figure, Floats] = {}
    for figure in control.FIGURES:
        values = [row[figure] for row in rows if figure in row]
        found[figure] = np.array([value for _, value in islice(in_turns(values, lambda one: one[0], 25), most)])
    return found


def alarm(seed: int, means: Mapping[str, float], *, few: bool) -> str:
    """The figure that crossed its limit; empty: none."""
    random = np.random.default_rng(seed)
    before = counted(list(said(random, GOOD, 6000, 1.0 if few else None)), 1000)
    since = counted(list(said(random, means, ANSWERS, 0.0 if few else None)), ANSWERS)
    return next((limit.figure for limit in compare(before, since, false_alarms=0.01, tolerance=0.02)
                 if limit.crossed and min(limit.values_before, limit.values_since) >= 50), "")


@pytest.mark.slow
def test_three_of_43_who_like_all_before_and_nothing_after_put_no_good_model_back(
    monkeypatch: pytest.MonkeyPatch
) -> None:
    found = [alarm(seed, GOOD, few=True) for seed in SEEDS]
    monkeypatch.setattr(control, "is_turn", lambda came, counted, length: counted * control.SHARE <= length)
    bug = [alarm(seed, GOOD, few=True) for seed in SEEDS]
    counts = [sum(map(bool, one)) for one in (found, bug)]
    print(f"seeds 0 to {len(SEEDS) - 1}: {counts[0]} of {len(SEEDS)} good models put back by three of {PEOPLE}; "
          f"{counts[1]} where each counts once in ten values")
    assert counts[0] == 0
    assert counts[1] >= len(SEEDS) // 2


@pytest.mark.slow
def test_they_keep_no_worse_model_either_and_equal_ones_stay() -> None:
    worse = [alarm(seed, WORSE, few=False) for seed in SEEDS]
    equal = [alarm(seed, GOOD, few=False) for seed in SEEDS]
    print(f"{sum(map(bool, worse))} of {len(SEEDS)} worse models found, {sum(map(bool, equal))} equal ones")
    assert all(worse) and not any(equal)
