"""A reranker and the evaluator that was trained with it serve from one moment on, or neither does."""

from pathlib import Path

import pytest
from learning_scene.promoted_process import Process, evaluator
from model_fakes.cross_encoder_model import random_cross_encoder

from services.models.registry import ModelService
from vouch.adapters.models.scorers.cross_encoder import cross_encoder_weights
from vouch.adapters.models.scorers.kept_cross_encoders import kept_folder
from vouch.errors import Usage
from vouch.learning.models.cross_encoder_model import CrossEncoderModel

pytestmark = [pytest.mark.integration, pytest.mark.model, pytest.mark.usefixtures("quick_disk")]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return random_cross_encoder(tmp_path / "cross")


def test_a_pair_is_promoted_live_and_goes_back_together(
    process: Process, registry: ModelService, folder: Path
) -> None:
    """The folder that was registered is not needed any more: a copy serves."""
    weights = cross_encoder_weights(folder)
    before = process.ask()
    assert before.reranked_by == "maxsim"
    name, judge = registry.add(folder).name, evaluator(registry, 0.0, weights)
    for file in folder.iterdir():
        file.unlink()
    kinds = [pointer.kind for pointer in registry.promote(name, "ana", beside=judge)]
    assert kinds == ["reranker", "evaluator"]
    after = process.ask()
    assert (after.reranked_by, after.judged_by) == (name, judge)
    assert after.confidence != before.confidence, "another model read the passages"
    registry.rollback("evaluator", "ana")
    again = process.ask()
    assert (again.reranked_by, again.judged_by) == (before.reranked_by, before.judged_by)
    assert registry.ledger.models.pointer("reranker").model is None


def test_one_without_the_other_is_refused_with_the_cure(registry: ModelService, folder: Path) -> None:
    name = registry.add(folder).name
    with pytest.raises(Usage, match="cannot serve with the evaluator") as refused:
        registry.promote(name, "ana")
    assert "vouch train evaluator" in refused.value.cure
    judge = evaluator(registry, 0.0, cross_encoder_weights(folder))
    for first, other in ((name, judge), (judge, name)):
        with pytest.raises(Usage, match="another reranker") as refused:
            registry.promote(first, "ana")
        assert f"vouch models promote {first} --with {other}" in refused.value.cure
    unfit = evaluator(registry, 0.1)
    with pytest.raises(Usage, match="another reranker"):
        registry.promote(name, "ana", beside=unfit)
    assert registry.ledger.models.pointers() == {}
    registry.promote(judge, "ana", beside=name)
    with pytest.raises(Usage) as refused:
        registry.promote(unfit, "ana")
    assert f"vouch models promote {unfit} --with maxsim" in refused.value.cure
    registry.promote(unfit, "ana", beside="maxsim")
    assert registry.ledger.models.pointer("reranker").model is None


def test_a_copy_that_changed_or_is_gone_serves_nobody(
    process: Process, registry: ModelService, folder: Path
) -> None:
    model = CrossEncoderModel.model_validate(registry.add(folder).body)
    judge = evaluator(registry, 0.0, model.weights)
    name = registry.ledger.models.list("reranker")[0].name
    kept = kept_folder(process.parts.storage.home, model)
    config = (kept / "config.json").read_bytes()
    (kept / "config.json").write_bytes(config + b" ")
    with pytest.raises(Exception, match="has changed"):
        registry.promote(name, "ana", beside=judge)
    (kept / "config.json").write_bytes(config)
    registry.promote(name, "ana", beside=judge)
    (kept / "config.json").unlink()
    answer = process.ask()
    assert answer.reranked_by == f"maxsim (the registered model {name} cannot be used)"
    assert answer.judged_by.startswith("evaluator:") and judge in answer.judged_by
    (kept / "config.json").write_bytes(config)
    process.now += 60.0
    assert process.ask().reranked_by == name, "it is tried again a minute later"


@pytest.fixture
def summed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VOUCH_ANSWERING__CONFIDENCE", "sum")


@pytest.mark.usefixtures("summed")
@pytest.mark.parametrize("words", [("travel",)])
def test_what_answers_instead_is_as_sure_as_where_nothing_is_registered(
    process: Process, registry: ModelService, folder: Path
) -> None:
    """What an answer calls its reranker may hold a reason; its scores mean the same."""
    before = process.ask()
    model = CrossEncoderModel.model_validate(registry.add(folder).body)
    name = registry.ledger.models.list("reranker")[0].name
    registry.promote(name, "ana", beside=evaluator(registry, 0.0, model.weights))
    (kept_folder(process.parts.storage.home, model) / "config.json").unlink()
    after = process.ask()
    assert after.reranked_by == f"maxsim (the registered model {name} cannot be used)"
    assert before.verdict and after.verdict and after.verdict.scores == before.verdict.scores
    assert after.confidence == before.confidence
