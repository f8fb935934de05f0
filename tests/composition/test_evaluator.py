"""The evaluator of the settings goes with their encoder, or nothing is answered."""

import json
import shutil
from pathlib import Path

import pytest

from composition.models import load_evaluator
from vouch.adapters.models.folder import default_model_dir
from vouch.errors import BadInput, ModelDown, Usage
from vouch.learning.models.evaluator_model import SHIPPED
from vouch.settings import Settings
from vouch.settings.models import EvaluatorSettings


def test_the_one_that_comes_along_goes_with_the_encoder_that_comes_along() -> None:
    assert load_evaluator(Settings()).thresholds[0] > 0


def test_another_encoder_or_an_unknown_one_is_refused_with_a_cure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "model"
    shutil.copytree(default_model_dir(), other)
    monkeypatch.setenv("VOUCH_ENCODER__MODEL", str(other))
    assert load_evaluator(Settings()).fingerprints["weights"]       # the same model in another place
    config = other / "config.json"
    config.write_text(json.dumps(json.loads(config.read_text()) | {"layer_norm_eps": 1e-6}))
    with pytest.raises(Usage, match="was trained with another encoder") as refused:
        load_evaluator(Settings())
    assert "VOUCH_EVALUATOR__MODEL" in refused.value.cure
    monkeypatch.delenv("VOUCH_ENCODER__MODEL")
    file = tmp_path / "evaluator.json"
    monkeypatch.setenv("VOUCH_EVALUATOR__MODEL", str(file))
    with pytest.raises(BadInput, match="cannot be read"):
        load_evaluator(Settings())
    model = json.loads(SHIPPED.read_text())
    file.write_text(json.dumps(model))
    assert load_evaluator(Settings()).fingerprint
    del model["fingerprints"]["weights"]
    file.write_text(json.dumps(model))
    with pytest.raises(Usage, match="does not say which encoder"):
        load_evaluator(Settings())


def test_a_folder_that_holds_no_judge_is_told_with_the_setting_that_names_it(tmp_path: Path) -> None:
    settings = Settings(evaluator=EvaluatorSettings(judge=str(tmp_path)))
    with pytest.raises(ModelDown) as told:
        load_evaluator(settings)
    assert "VOUCH_EVALUATOR__JUDGE" in told.value.cure and str(tmp_path) in told.value.cause
