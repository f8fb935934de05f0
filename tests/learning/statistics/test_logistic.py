"""The fit is what Newton's method finds, and what serves does without the library that fits."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from vouch.learning.statistics.logistic import CERTAIN, fit, newton_step, platt, sigmoid


def newton(rows: np.ndarray, targets: np.ndarray, l2: float, weights: np.ndarray) -> np.ndarray:
    """The same maximum, by iteratively reweighted least squares on fractional targets as they are."""
    design = np.hstack([rows, np.ones((len(rows), 1))])
    penalty = np.append(np.full(rows.shape[1], l2), 0.0)
    found = np.zeros(design.shape[1])
    for _ in range(100):
        p = sigmoid(design @ found)
        slope = design.T @ (weights * (targets - p)) - penalty * found
        curve = (design * (weights * p * (1 - p))[:, None]).T @ design + np.diag(penalty)
        step = np.linalg.solve(curve, slope)
        step *= min(1.0, 5.0 / max(float(np.abs(step).max()), 1e-12))
        found += step
        if float(np.abs(step).max()) < 1e-9:
            break
    return found


@settings(max_examples=40, deadline=None)
@example(seed=212, l2=0.1, fractional=False, unit=1e-3)      # little is known of its bias
@given(seed=st.integers(0, 10_000), l2=st.sampled_from([0.1, 1.0, 3.0]), fractional=st.booleans(),
       unit=st.sampled_from([1e-3, 1.0, 20.0]))
def test_it_is_what_newtons_method_finds(seed: int, l2: float, fractional: bool, unit: float) -> None:
    random = np.random.default_rng(seed)
    rows = random.normal(size=(int(random.integers(20, 400)), int(random.integers(1, 12))))
    rows = np.hstack([rows, rows[:, :1] + 0.01 * random.normal(size=(len(rows), 1))])       # two that say the same
    targets = (random.random(len(rows)) < sigmoid(2 * rows[:, 0] - 1)).astype(float)
    targets[:2] = 0, 1
    if fractional:
        targets = np.clip(0.8 * targets + 0.2 * random.random(len(rows)), 0, 1)
    weights = unit * random.exponential(size=len(rows))
    weights[2:] *= random.random(len(rows) - 2) < 0.7
    found = fit(rows, targets, l2=l2, weights=weights)
    assert found == pytest.approx(newton(rows, targets, l2, weights), abs=5e-6)


def test_the_options_matter() -> None:
    """Else equality with the other method would say little."""
    random = np.random.default_rng(1)
    rows = random.normal(size=(200, 3))
    targets = (random.random(200) < sigmoid(rows[:, 0] + 1)).astype(float)
    weights = np.where(targets > 0, 1.0, 5.0)
    plain = fit(rows, targets, l2=1.0)
    assert np.abs(fit(rows, targets, l2=30.0) - plain).max() > 0.1
    assert np.abs(fit(rows, targets, l2=1.0, weights=weights) - plain).max() > 0.1
    assert np.abs(fit(rows, 0.25 + targets / 2, l2=1.0) - plain).max() > 0.1
    share = targets.mean()              # the bias is free
    assert abs(fit(rows, targets, l2=1e6)[-1] - np.log(share / (1 - share))) < 1e-3


def test_a_step_from_nearby_squares_the_error_and_from_the_result_goes_nowhere() -> None:
    random = np.random.default_rng(5)
    rows = random.normal(size=(500, 3))
    targets = sigmoid(2 * rows[:, 0] - 1)
    found = fit(rows, targets, l2=1.0)
    assert newton_step(rows, targets, found, l2=1.0) == pytest.approx(found, abs=1e-8)
    for far in (0.1, 0.01, 0.001):
        step = newton_step(rows, targets, found + far, l2=1.0)
        assert np.abs(step - found).max() < 3 * far**2


def test_a_step_on_what_is_all_of_one_kind_stays_finite() -> None:
    rows, targets = np.array([[1.0], [-1.0]]), np.ones(2)
    found = fit(rows, targets, l2=1.0)
    for _ in range(100):
        found = newton_step(rows, targets, found, l2=1.0)
    assert np.isfinite(found).all() and sigmoid(rows @ found[:-1] + found[-1]).min() > 0.999


def test_separable_data_stays_finite() -> None:
    rows = np.array([[-1.0], [1.0]])
    found = fit(rows, np.array([0.0, 1.0]), l2=0.1)
    assert np.isfinite(found).all() and found[0] > 0


@pytest.mark.parametrize(("target", "bias"), [(0.0, -CERTAIN), (1.0, CERTAIN)])
def test_what_is_all_of_one_kind_tells_no_row_from_another(target: float, bias: float) -> None:
    rows = np.array([[1.0, 2.0], [3.0, -4.0], [0.0, 1.0]])
    targets, weights = np.array([target, target, 1 - target]), np.array([1.0, 1.0, 0.0])
    assert fit(rows, targets, l2=1.0, weights=weights).tolist() == [0, 0, bias]


def test_platt_scaling_recovers_the_scale() -> None:
    random = np.random.default_rng(0)
    scores = random.normal(size=20_000) * 2
    labels = (random.random(20_000) < sigmoid(0.5 * scores + 1)).astype(float)
    slope, offset = platt(scores, labels)
    assert abs(slope - 0.5) < 0.03 and abs(offset - 1) < 0.05


def test_sigmoid_never_overflows() -> None:
    assert sigmoid(np.array([-1e6, 0.0, 1e6])).tolist() == [0.0, 0.5, 1.0]


@pytest.mark.slow
def test_what_serves_takes_numpy_alone() -> None:
    code = (
        "import sys\n"
        "import consumers.wiring, services.wiring.answering, services.wiring.models\n"
        "import composition.model_registry.registry\n"
        "from homes.small_world import EVERYBODY, small_world\n"
        "from model_fakes.fusion_models import everything\n"
        "from vouch.learning.models.evaluator_model import load_evaluator\n"
        "from vouch.learning.models.fusion_model import LearnedFusion\n"
        "from vouch.retrieval.question.query import form_query\n"
        "from vouch.retrieval.ranking import Ranking, rank\n"
        "world = small_world()\n"
        "parts = world.components\n"
        "fusion, query = LearnedFusion(everything(), parts.analyser), form_query('How many weeks?', parts.analyser)\n"
        "assert rank(world.index.view(EVERYBODY), query, parts.ranking_models, Ranking(fusion=fusion)).fused\n"
        "load_evaluator()\n"
        "assert not {'sklearn', 'scipy'} & set(sys.modules), set(sys.modules) & {'sklearn', 'scipy'}\n"
    )
    path = {"PYTHONPATH": "tests"}
    subprocess.run([sys.executable, "-c", code], check=True, env=path, timeout=120)
