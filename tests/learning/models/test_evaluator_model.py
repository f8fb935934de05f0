"""A model file is data to distrust: every number is checked, and nothing wrong is half loaded."""

import json
import math
from pathlib import Path
from typing import Any

import pytest
from model_fakes.broken_fields import BROKEN

from vouch.errors import BadInput
from vouch.learning.models.evaluator_model import SHIPPED, UNJUDGED, EvaluatorModel, load_evaluator
from vouch.learning.models.model_file import write_model
from vouch.retrieval.evidence_features import EVIDENCE_FEATURES, EVIDENCE_SCHEMA


@pytest.fixture
def content() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(SHIPPED.read_text())
    return found


def written(path: Path, content: object) -> Path:
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def test_the_shipped_model_says_what_it_is(content: dict[str, Any]) -> None:
    model = load_evaluator()
    assert model.feature_schema == EVIDENCE_SCHEMA
    assert 0 < model.lower < model.upper < 1
    assert model.data and model.trained_on and model.threshold_rule
    assert set(model.fingerprints) >= {"encoder", "analyser"}
    assert model.judged_with and content["kind"] == "logistic-evidence"


def test_the_shipped_models_meet_their_promises() -> None:
    held_out = load_evaluator().figures["held out"]
    assert float(held_out["auc"]) >= 0.80 and float(held_out["ece"]) <= 0.05    # type: ignore[arg-type]
    figures = load_evaluator(UNJUDGED).figures["openqa test"]
    assert float(figures["auc"]) >= 0.70 and float(figures["ece"]) <= 0.05      # type: ignore[arg-type]
    assert float(figures["accuracy"]) > float(figures["majority"])              # type: ignore[arg-type]


def test_saving_and_loading_changes_nothing(tmp_path: Path) -> None:
    model = load_evaluator()
    write_model(model, tmp_path / "model.json")
    again = load_evaluator(tmp_path / "model.json")
    assert again == model and again.fingerprint == model.fingerprint
    assert [p.name for p in tmp_path.iterdir()] == ["model.json"]


def test_the_probability_is_the_formula() -> None:
    model = EvaluatorModel.model_validate({
        "feature_schema": EVIDENCE_SCHEMA, "bias": 0.1, "slope": 2.0, "offset": -0.3, "lower": 0.2, "upper": 0.6,
        "terms": {"maxsim": {"mean": 0.5, "scale": 0.25, "weight": 1.5},
                  "cosine": {"mean": 0.4, "scale": 0.2, "weight": 1.0, "unless": "cosine_missing"}},
    })
    row = {"maxsim": 0.75, "cosine": 0.0, "cosine_missing": 0.0}
    z = 2.0 * (0.1 + 1.5 * 1.0 + 1.0 * -2.0) - 0.3
    assert model.probabilities_of([row]) == [pytest.approx(1 / (1 + math.exp(-z)))]
    z = 2.0 * (0.1 + 1.5) - 0.3                        # an unknown cosine weighs nothing
    assert model.probabilities_of([row | {"cosine_missing": 1.0}]) == [pytest.approx(1 / (1 + math.exp(-z)))]


def test_the_fingerprint_follows_what_decides(content: dict[str, Any]) -> None:
    model = EvaluatorModel.model_validate(content)
    assert EvaluatorModel.model_validate(content | {"seed": 7, "figures": {}}).fingerprint == model.fingerprint
    assert EvaluatorModel.model_validate(content | {"lower": 0.01}).fingerprint != model.fingerprint
    nudged = content | {"offset": content["offset"] + 1e-9}
    assert EvaluatorModel.model_validate(nudged).fingerprint != model.fingerprint


@pytest.mark.parametrize(("change", "says"), [
    ({"lower": 0.9, "upper": 0.1}, "lower threshold"),
    ({"lower": -0.1}, "lower"),
    ({"upper": 1.1}, "upper"),
    ({"slope": 0}, "slope"),
    ({"bias": 1e9}, "bias"),
    ({"feature_schema": EVIDENCE_SCHEMA + 1}, "feature schema"),
    ({"kind": "pickle"}, "kind"),
    ({"terms": {}}, "no features"),
    ({"terms": {"wishes": {"mean": 0, "scale": 1, "weight": 1}}}, "wishes"),
    ({"terms": {"maxsim": {"mean": 0, "scale": 1, "weight": 1, "unless": "wishes"}}}, "wishes"),
    ({"terms": {"maxsim": {"mean": 0, "scale": 0, "weight": 1}}}, "scale"),
    ({"terms": {"maxsim": {"mean": 0, "scale": 1, "weight": 99}}}, "weight"),
    ({"terms": {"maxsim": {"mean": 0, "scale": 1}}}, "weight"),
    ({"threshold_rule": "a" * 900_000}, "threshold_rule"),
    *BROKEN,
])
def test_a_wrong_value_is_refused_by_name(
    tmp_path: Path, content: dict[str, Any], change: dict[str, Any], says: str
) -> None:
    with pytest.raises(BadInput, match=says):
        load_evaluator(written(tmp_path / "m.json", content | change))


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", '"x"', "null"])
def test_numbers_that_are_none_are_refused(tmp_path: Path, content: dict[str, Any], number: str) -> None:
    text = json.dumps(content | {"offset": 123456.0}).replace("123456.0", number)
    with pytest.raises(BadInput):
        load_evaluator(written(tmp_path / "m.json", text))


@pytest.mark.parametrize("text", ["", "{", "[]", "\x00\x01"])
def test_files_that_are_no_model_are_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(BadInput, match=r"m\.json"):
        load_evaluator(written(tmp_path / "m.json", text))
    with pytest.raises(BadInput, match="cannot be read"):
        load_evaluator(tmp_path / "nothing.json")


def test_every_feature_it_weighs_is_described() -> None:
    assert set(load_evaluator().terms) <= set(EVIDENCE_FEATURES)


def test_the_model_card_shows_the_figures_of_the_file() -> None:
    card = (Path(__file__).resolve().parents[3] / "docs" / "models" / "evaluator.md").read_text(encoding="utf-8")
    shown: list[object] = []
    for model in (load_evaluator(), load_evaluator(UNJUDGED)):
        shown += [model.lower, model.upper, *model.terms]
        for figures_ in model.figures.values():
            shown += [v for value in figures_.values() for v in (value if isinstance(value, list) else [value])]
    missing = [value for value in shown if str(value) not in card]
    assert not missing, "run the training again and copy its figures"
