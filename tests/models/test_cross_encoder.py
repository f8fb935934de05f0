"""A cross-encoder's scores are the model's own, whatever is asked beside, and nothing is guessed about its folder."""

import json
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from model_fakes.cross_encoder_model import random_cross_encoder

from composition.models import load_evaluator, load_reranker
from vouch.adapters.models.scorers import cross_encoder
from vouch.adapters.models.scorers.cross_encoder import cross_encoder_weights, load_cross_encoder
from vouch.errors import ModelDown, Usage
from vouch.learning.models.evaluator_model import SHIPPED
from vouch.settings import Settings

pytestmark = pytest.mark.model
QUESTION = "How many weeks of leave are there?"
PASSAGES = ["Parents get twelve weeks.", "The office opens at nine.", "leave " * 700, "x"]


def own_score(folder: Path, question: str, passage: str) -> float:
    """By transformers' own tokenizer and forward pass, for the pair alone."""
    import torch  # seconds, for every run that collects this file
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(str(folder))
    model = AutoModelForSequenceClassification.from_pretrained(str(folder)).eval()
    given = tokenizer(question, passage, truncation="only_second", max_length=511, return_tensors="pt")
    with torch.inference_mode():
        logits = model(**given).logits[0].tolist()
    return logits[0] if len(logits) == 1 else logits[1] - logits[0]


@pytest.mark.parametrize("labels", [1, 2])
def test_scores_are_those_of_the_model_itself(tmp_path: Path, labels: int) -> None:
    folder = random_cross_encoder(tmp_path / "model", labels)
    scores = load_cross_encoder(folder, dtype="float32").scores([(QUESTION, text) for text in PASSAGES])
    assert np.ptp(scores) > 0.01                            # else any order would do
    np.testing.assert_allclose(scores, [own_score(folder, QUESTION, text) for text in PASSAGES], atol=2e-4)


def test_one_is_loaded_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else one changes the type of numbers that another is made with."""
    folder, load = random_cross_encoder(tmp_path / "model"), cross_encoder._classifier
    loading, most = list[int](), list[int]()

    def slowly(*where: Any) -> Any:
        loading.append(1)
        most.append(len(loading))
        time.sleep(0.2)
        try:
            return load(*where)
        finally:
            loading.pop()

    monkeypatch.setattr(cross_encoder, "_classifier", slowly)
    with ThreadPoolExecutor(2) as both:
        list(both.map(load_cross_encoder, [folder, folder]))
    assert most == [1, 1]


def test_what_is_no_such_model_is_refused_with_a_cure(tmp_path: Path) -> None:
    with pytest.raises(ModelDown, match="3 labels"):
        load_cross_encoder(random_cross_encoder(tmp_path / "three", 3))
    with pytest.raises(ModelDown, match=r"tokenizer\.json"):
        load_cross_encoder(tmp_path / "nothing")
    broken = random_cross_encoder(tmp_path / "broken")
    (broken / "model.safetensors").write_bytes(b"no tensors")
    with pytest.raises(ModelDown, match="cannot be loaded") as refused:
        load_cross_encoder(broken)
    assert "VOUCH_RERANKER__MODEL" in refused.value.cure


def test_the_setting_chooses_it_and_wants_an_evaluator_trained_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = random_cross_encoder(tmp_path / "model")
    monkeypatch.setenv("VOUCH_RERANKER__MODEL", str(folder))
    assert load_reranker(Settings()) is load_reranker(Settings())
    assert load_reranker(Settings()).fingerprint.startswith("cross-encoder:")
    with pytest.raises(Usage, match="trained with another reranker") as refused:
        load_evaluator(Settings())
    assert "vouch train evaluator" in refused.value.cure
    model = json.loads(SHIPPED.read_text(encoding="utf-8"))
    model["fingerprints"]["reranked_with"] = cross_encoder_weights(folder)
    trained = tmp_path / "evaluator.json"
    trained.write_text(json.dumps(model), encoding="utf-8")
    monkeypatch.setenv("VOUCH_EVALUATOR__MODEL", str(trained))
    assert load_evaluator(Settings()).thresholds[0] > 0
    monkeypatch.delenv("VOUCH_RERANKER__MODEL")
    with pytest.raises(Usage, match="trained with another reranker"):
        load_evaluator(Settings())
