"""The control limits: exact odds for few values, no alarm for equal models, and worse ones found in stated time."""

import itertools
import math
from collections.abc import Callable, Mapping
from statistics import NormalDist

import numpy as np
import pytest

from vouch.errors import Usage
from vouch.learning.promotion.control import FIGURES, Figure, Floats, compare, lower_limit, wealth

Values = Mapping[Figure, Floats]
Alarm = Callable[[Values, Values], int | None]
FALSE_ALARMS, TOLERANCE = 0.01, 0.02                        # the defaults of the settings
GOOD = {"votes": 0.75, "answers": 0.88, "confidence": 0.60, "citations": 0.85}
WORSE = {"votes": 0.60, "answers": 0.80, "confidence": 0.52, "citations": 0.77}
VOTED = 0.2                             # share of the answers that somebody votes on


def drawn(random: np.random.Generator, means: Mapping[str, float], answers: int) -> Values:
    """What simulated readers leave behind, answer by answer."""
    def flags(mean: float, number: int) -> Floats:
        return (random.random(number) < mean).astype(float)

    sure = means["confidence"]
    return {
        "votes": flags(means["votes"], int(answers * VOTED)), "answers": flags(means["answers"], answers),
        "confidence": random.beta(8 * sure, 8 * (1 - sure), answers), "citations": flags(means["citations"], answers),
    }


def sequential(before: Values, since: Values) -> int | None:
    """After how many questions there is an alarm."""
    limits = compare(before, since, false_alarms=FALSE_ALARMS, tolerance=TOLERANCE)
    crossed = [limit.crossed / (VOTED if limit.figure == "votes" else 1) for limit in limits if limit.crossed]
    return math.ceil(min(crossed)) if crossed else None


def looked_at_often(before: Values, since: Values) -> int | None:
    """The planted bug: a z-test made for one look at all values, at the same error, looked at after each value."""
    limit = NormalDist().inv_cdf(1 - FALSE_ALARMS / len(FIGURES))
    found = []
    for figure in FIGURES:
        former, new = before[figure], since[figure]
        number = np.arange(1, len(new) + 1)
        error = np.sqrt(former.var() * (1 / len(former) + 1 / number))
        above = np.flatnonzero((former.mean() - np.cumsum(new) / number > limit * error) & (number >= 30))
        found += [int(above[0]) + 1] if len(above) else []
    return min(found, default=None)


def alarms(of: Alarm, means: Mapping[str, float], runs: int, answers: int, baseline: int = 1000) -> list[int | None]:
    """One of `runs` each: how many questions until an alarm; seeds are 0, 1, 2 …"""
    found = []
    for seed in range(runs):
        random = np.random.default_rng(seed)
        found.append(of(drawn(random, GOOD, baseline), drawn(random, means, answers)))
    return found


@pytest.mark.parametrize("bound", [0.1, 0.5, 0.93])
def test_bets_are_fair_for_few_values_and_seldom_win_much(bound: float) -> None:
    """Against all sequences of twelve values, each with its own chance."""
    mean, reached = np.zeros(12), {0.2: 0.0, 0.05: 0.0, 0.01: 0.0}
    for bits in itertools.product((0.0, 1.0), repeat=12):
        chance = math.prod(bound if bit else 1 - bound for bit in bits)
        path = np.exp(wealth(np.array(bits), bound))
        mean += chance * path
        for error in reached:
            reached[error] += chance * (path.max() >= 1 / error)
    assert np.allclose(mean, 1.0)                           # nobody can win on average, after however many values
    assert all(chance <= error for error, chance in reached.items()), reached


def test_a_lower_limit_is_above_the_mean_as_seldom_as_it_says() -> None:
    random = np.random.default_rng(11)
    missed = sum(lower_limit((random.random(200) < 0.7).astype(float), 0.05) > 0.7 for _ in range(200))
    print(f"seed 11: {missed} of 200 lower limits were above the mean")
    assert missed <= 10


def test_a_lower_limit_comes_near_with_more_values_and_says_nothing_of_none() -> None:
    assert lower_limit(np.array([]), 0.01) == 0.0
    assert lower_limit(np.zeros(100), 0.01) < 1e-9
    few, many = (lower_limit(np.tile([1.0, 1.0, 0.0, 1.0], n), 0.01) for n in (10, 1000))
    assert 0.4 < few < 0.65
    assert 0.7 < many < 0.75


def test_only_worse_is_an_alarm() -> None:
    random = np.random.default_rng(3)
    before = drawn(random, WORSE, 500)
    limits = compare(before, drawn(random, GOOD, 3000), false_alarms=0.5)
    assert [limit.figure for limit in limits] == list(FIGURES)
    assert all(limit.crossed is None for limit in limits)


def test_figures_without_values_or_not_asked_for_are_left_out() -> None:
    random = np.random.default_rng(4)
    before, since = dict(drawn(random, GOOD, 50)), dict(drawn(random, GOOD, 50))
    since["votes"] = np.array([])
    limits = compare(before, since, false_alarms=0.01, figures=("votes", "answers"))
    assert [limit.figure for limit in limits] == ["answers"]


def test_few_former_answers_bear_no_alarm_that_they_cannot_prove() -> None:
    """Three votes up say no more than that the mean is above .09; none, or votes down alone, say nothing."""
    before, since = ({figure: np.full(n, v) for figure in FIGURES} for n, v in ((3, 1.0), (5000, 0.1)))
    assert all(limit.crossed is None for limit in compare(before, since, false_alarms=0.01))
    zeros = {figure: np.zeros(5000) for figure in FIGURES}
    assert all(limit.crossed is None for limit in compare(zeros, zeros, false_alarms=0.01))


def test_values_that_are_no_shares_are_refused() -> None:
    wrong = {figure: np.array([0.5, math.nan]) for figure in FIGURES}
    with pytest.raises(Usage):
        compare(wrong, wrong, false_alarms=0.01)


@pytest.mark.slow
def test_equal_models_raise_no_alarm_however_often_one_looks() -> None:
    """50 runs of 3,000 answers, looked at after each; a test made for one look does not pass this."""
    ours, bug = alarms(sequential, GOOD, 50, 3000), alarms(looked_at_often, GOOD, 50, 3000)
    counts = [sum(one is not None for one in found) for found in (ours, bug)]
    print(f"seeds 0-49: {counts[0]} of 50 equal models had an alarm; {counts[1]} with a test for one look")
    assert counts[0] == 0
    assert counts[1] >= 3


@pytest.mark.slow
def test_a_worse_model_is_found_within_stated_numbers_of_questions() -> None:
    """Votes .75 → .60, declines .12 → .20, confidence .60 → .52, citations .85 → .77; 1,000 former answers."""
    found = [one if one is not None else math.inf for one in alarms(sequential, WORSE, 50, 3000)]
    median, most = np.median(found), np.quantile(found, 0.9, method="higher")
    print(f"seeds 0-49: found after {median:.0f} questions (median), {most:.0f} (90th percentile)")
    assert median <= 300
    assert most <= 600
