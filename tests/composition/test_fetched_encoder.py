"""An encoder of the settings by name: taken from the home, or a word on how it gets there."""

from pathlib import Path

import pytest
from model_fakes.onnx_model import tiny_archive

from composition.models import encoder_weights, load_evaluator, model_folder
from vouch.adapters.models.fetching import known as known_models
from vouch.adapters.models.fetching.convert import convert
from vouch.adapters.models.fetching.known import fetched_folder
from vouch.errors import ModelDown, Usage
from vouch.settings import Settings
from vouch.settings.models import EncoderSettings


def test_a_name_means_the_fetched_model_and_a_folder_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    known, archive, _ = tiny_archive(tmp_path)
    monkeypatch.setattr(known_models, "KNOWN", {known.name: known})
    settings = Settings(home=tmp_path, encoder=EncoderSettings(model=known.name))
    with pytest.raises(ModelDown, match="was not fetched") as refused:
        encoder_weights(settings)
    assert refused.value.cure == "vouch models fetch tiny"
    fetched_folder(tmp_path, known.name).parent.mkdir()
    convert(archive, known, fetched_folder(tmp_path, known.name))
    by_folder = Settings(home=tmp_path, encoder=EncoderSettings(model=str(tmp_path / "models" / "tiny")))
    assert model_folder(settings) == model_folder(by_folder) == tmp_path / "models" / "tiny"
    with pytest.raises(Usage, match="was trained with another encoder"):
        load_evaluator(settings)
