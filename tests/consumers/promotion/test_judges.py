"""A company's own judge serves with the evaluator that was trained with it, from one moment on, or not at all."""

import json
import os
import random
import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest
from learning_scene.promoted_process import QUESTION, Process, evaluator
from model_fakes.cross_encoder_model import random_judge

from services.models.registry import ModelService
from services.wiring.models import open_models
from vouch.adapters.models.scorers.cross_encoder import CrossEncoderReranker, cross_encoder_weights
from vouch.adapters.models.scorers.judge import SHIPPED, WEIGHTS
from vouch.adapters.models.scorers.kept_cross_encoders import kept_folder
from vouch.errors import ModelDown, Usage
from vouch.learning.models.cross_encoder_model import CrossEncoderModel
from vouch.learning.models.evaluator_model import SHIPPED as EVALUATOR
from vouch.learning.models.evaluator_model import load_evaluator
from vouch.settings import read_settings

pytestmark = [pytest.mark.integration, pytest.mark.model, pytest.mark.usefixtures("quick_disk")]
SHIPPED_JUDGE = load_evaluator().judged_with


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return random_judge(tmp_path_factory.mktemp("judges") / "trained")


@pytest.fixture
def folder(tmp_path: Path, trained: Path) -> Path:
    return shutil.copytree(trained, tmp_path / "judge")


def pair(registry: ModelService, folder: Path) -> tuple[str, str]:
    """A judge, and an evaluator that was trained with it."""
    return registry.add(folder, "judge").name, evaluator(registry, 0.02, judge=cross_encoder_weights(folder))


def serving(registry: ModelService) -> list[str | None]:
    return [registry.ledger.models.pointer(kind).model for kind in ("reranker", "judge", "evaluator")]


def test_a_judge_is_promoted_live_named_by_answers_and_goes_back_with_its_evaluator(
    process: Process, registry: ModelService, folder: Path
) -> None:
    """The folder that was registered is not needed any more: a copy serves."""
    before = process.ask()
    assert before.read_by == SHIPPED_JUDGE == cross_encoder_weights(SHIPPED)
    name, weighs = pair(registry, folder)
    assert name.startswith("judge-")
    shutil.rmtree(folder)
    assert [pointer.kind for pointer in registry.promote(name, "ana", beside=weighs)] == ["judge", "evaluator"]
    after = process.ask()
    assert (after.reranked_by, after.read_by, after.judged_by) == ("maxsim", name, weighs)
    assert after.verdict and before.verdict and after.verdict.scores != before.verdict.scores, "another model read them"
    registry.rollback("judge", "ana")
    again = process.ask()
    assert (again.read_by, again.judged_by) == (before.read_by, before.judged_by)
    assert serving(registry) == [None, None, None]


def test_an_evaluator_takes_its_judge_along_and_goes_back_with_the_former_one(
    process: Process, registry: ModelService, folder: Path
) -> None:
    name, weighs = pair(registry, folder)
    assert [pointer.kind for pointer in registry.promote(weighs, "ana")] == ["evaluator", "judge"]
    assert serving(registry) == [None, name, weighs]
    shipped = evaluator(registry, 0.01)
    registry.promote(shipped, "ana")
    assert serving(registry) == [None, None, shipped]
    answer = process.ask()
    assert (answer.read_by, answer.judged_by) == (SHIPPED_JUDGE, shipped)
    registry.rollback("evaluator", "ana")
    assert serving(registry) == [None, name, weighs]
    assert process.ask().read_by == name


def test_thresholds_of_another_judge_are_refused_with_the_cure(registry: ModelService, folder: Path) -> None:
    name = registry.add(folder, "judge").name
    with pytest.raises(Usage, match="another judge") as refused:
        registry.promote(name, "ana")
    assert "VOUCH_EVALUATOR__JUDGE=FOLDER vouch train evaluator" in refused.value.cure
    shipped = evaluator(registry, 0.0)
    with pytest.raises(Usage, match="another judge"):
        registry.promote(name, "ana", beside=shipped)
    unknown = evaluator(registry, 0.1, judge="cross-encoder:" + "0" * 32)
    with pytest.raises(Usage, match="another judge") as refused:
        registry.promote(unknown, "ana")
    assert "vouch models add FOLDER --kind judge" in refused.value.cure
    _, weighs = pair(registry, folder)
    with pytest.raises(Usage) as refused:
        registry.promote(name, "ana")
    assert f"vouch models promote {name} --with {weighs}" in refused.value.cure
    assert serving(registry) == [None, None, None]
    assert registry.show(name)["together"] == [weighs] and name in registry.show(weighs)["together"]


def written(file: Path, folder: Path, **change: float) -> Path:
    """An evaluator that was trained with this judge, as `vouch train evaluator` writes it."""
    body = json.loads(EVALUATOR.read_text(encoding="utf-8"))
    body["fingerprints"]["judge"] = cross_encoder_weights(folder)
    file.write_text(json.dumps(body | change))
    return file


def test_gates_look_at_an_evaluator_together_with_its_judge(
    home: Path, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    golden = tmp_path / "golden.jsonl"
    golden.write_text(json.dumps({"id": "g1", "question": QUESTION, "answerable": True, "quotes": [
        "The travel rule allows 4 days."], "quote_paths": ["travel.md"]}) + "\n")
    monkeypatch.setenv("VOUCH_TRAINING__GOLDEN", str(golden))
    registry = open_models(read_settings())
    with pytest.raises(Usage, match="the judge that it was trained with is not registered") as missing:
        registry.add(written(tmp_path / "e.json", folder))
    assert missing.value.cure == "first: vouch models add FOLDER --kind judge"
    registry.add(folder, "judge")
    shy = registry.add(written(tmp_path / "shy.json", folder, offset=-50.0))
    assert shy.state == "refused" and (shy.reason or "").startswith("golden questions: -")
    with pytest.raises(Usage, match="is refused: golden questions"):
        registry.promote(shy.name, "ana")
    fair = registry.add(written(tmp_path / "fair.json", folder, offset=50.0))
    gates = {gate["name"]: gate for gate in fair.report["gates"]}
    assert fair.state == "candidate" and gates.keys() == {"golden questions", "two worlds"}
    assert all(gate["passed"] for gate in gates.values())
    assert int(gates["two worlds"]["told"].split()[0]) > 0


def test_planted_a_judge_that_remembers_another_world_is_refused(
    registry: ModelService, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(CrossEncoderReranker, "scores", lambda _, pairs: [random.random() for _ in pairs])
    registry.add(folder, "judge")
    found = registry.add(written(tmp_path / "e.json", folder))
    assert found.state == "refused" and (found.reason or "").startswith("two worlds: ")


def test_a_copy_that_changed_serves_nobody(process: Process, registry: ModelService, folder: Path) -> None:
    name, weighs = pair(registry, folder)
    model = CrossEncoderModel.model_validate(registry.ledger.models.get(name).body)
    card = kept_folder(process.parts.storage.home, model) / "judge.json"
    whole = card.read_bytes()
    card.write_bytes(whole + b" ")
    with pytest.raises(ModelDown, match="has changed"):
        registry.promote(name, "ana", beside=weighs)
    card.write_bytes(whole)
    registry.promote(name, "ana", beside=weighs)
    card.unlink()
    answer = process.ask()
    assert answer.read_by == f"{SHIPPED_JUDGE} (the registered model {name} cannot be used)"
    assert answer.judged_by == f"{load_evaluator().fingerprint} (the registered model {weighs} cannot be used)"
    card.write_bytes(whole)
    process.now += 60.0
    assert process.ask().read_by == name, "it is tried again a minute later"


def test_whoever_moves_a_pointer_past_the_service_what_fits_serves(
    process: Process, registry: ModelService, folder: Path
) -> None:
    name, weighs = pair(registry, folder)
    models = registry.ledger.models
    models.move("judge", name, expected=0, reason="test", by="ana", at=datetime.now(UTC))
    answer = process.ask()
    assert answer.read_by == f"{SHIPPED_JUDGE} (the registered model {name} cannot be used)"
    assert answer.judged_by == load_evaluator().fingerprint
    models.move("judge", None, expected=1, reason="test", by="ana", at=datetime.now(UTC))
    models.move("evaluator", weighs, expected=0, reason="test", by="ana", at=datetime.now(UTC))
    answer = process.ask()
    assert (answer.read_by, weighs in answer.judged_by) == (SHIPPED_JUDGE, True)
    assert answer.judged_by == f"{load_evaluator().fingerprint} (the registered model {weighs} cannot be used)"


def test_a_judge_of_the_settings_wins(
    registry: ModelService, folder: Path, monkeypatch: pytest.MonkeyPatch, home: Path
) -> None:
    from composition.model_registry.registry import Registry

    name, weighs = pair(registry, folder)
    registry.promote(name, "ana", beside=weighs)
    assert Registry(read_settings(), registry.ledger.models)().scorers().read_by == name
    monkeypatch.setenv("VOUCH_EVALUATOR__JUDGE", str(SHIPPED))
    scorers = Registry(read_settings(), registry.ledger.models)().scorers()
    assert scorers.read_by == SHIPPED_JUDGE and weighs in scorers.judge.name


def test_retired_its_copy_is_deleted_unless_it_may_still_serve_in_another_place(
    registry: ModelService, folder: Path, home: Path
) -> None:
    name, weighs = pair(registry, folder)
    reranker = registry.add(folder).name
    kept = kept_folder(home, CrossEncoderModel.model_validate(registry.ledger.models.get(name).body))
    registry.promote(name, "ana", beside=weighs)
    with pytest.raises(Usage, match="serves"):
        registry.retire(name, "ana")
    registry.rollback("judge", "ana")
    registry.retire(name, "ana")
    assert kept.is_dir(), "a reranker of the same weights is a candidate"
    registry.retire(reranker, "ana")
    assert not kept.exists() and kept.parent.is_dir()
    with pytest.raises(Usage, match="which is retired"):
        registry.add(folder, "judge")


@pytest.mark.parametrize("wrong", [float("nan"), float("inf"), 1e9])
def test_weights_that_are_none_are_refused(registry: ModelService, folder: Path, home: Path, wrong: float) -> None:
    from safetensors.torch import load_file, save_file

    tensors = load_file(folder / WEIGHTS)
    tensors["figures.bias"].fill_(wrong)
    save_file(tensors, folder / WEIGHTS)
    with pytest.raises(ModelDown, match=r"figures\.bias holds a weight"):
        registry.add(folder, "judge")
    assert registry.ledger.models.list() == [] and not (home / "rerankers").exists()


def test_half_a_folder_is_refused(registry: ModelService, folder: Path) -> None:
    weights = (folder / WEIGHTS).read_bytes()
    (folder / WEIGHTS).write_bytes(weights[: len(weights) // 2])
    with pytest.raises(ModelDown, match="cannot be loaded"):
        registry.add(folder, "judge")
    assert registry.ledger.models.list() == []


@pytest.mark.parametrize("part", ["/elsewhere/model.safetensors", "../model.safetensors", "weights.bin", 7])
def test_weights_outside_of_the_folder_are_refused(registry: ModelService, folder: Path, part: object) -> None:
    """They would be in no fingerprint and in no copy, and whoever changes them would change what serves."""
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": {"classifier.bias": part}}))
    with pytest.raises(ModelDown, match="names weights that are no"):
        registry.add(folder, "judge")


@pytest.mark.parametrize("odd", ["folder", "link", "pipe"])
def test_what_is_no_file_is_refused(registry: ModelService, folder: Path, odd: str) -> None:
    place = folder / "extra.json"
    if odd == "folder":
        place.mkdir()
    elif odd == "link":
        place.symlink_to(folder / "nowhere.json")
    else:
        os.mkfifo(place)
    with pytest.raises(ModelDown, match="is no file"):
        registry.add(folder, "judge")


def test_the_same_numbers_about_two_judges_are_two_models(
    registry: ModelService, folder: Path, tmp_path: Path
) -> None:
    other = shutil.copytree(folder, tmp_path / "other")
    (other / "vocab.txt").write_text("another vocabulary")
    assert cross_encoder_weights(other) != cross_encoder_weights(folder)
    first, second = (evaluator(registry, 0.02, judge=cross_encoder_weights(one)) for one in (folder, other))
    assert first != second and first == evaluator(registry, 0.02, judge=cross_encoder_weights(folder))
    registry.retire(first, "ana")
    assert evaluator(registry, 0.02, judge=cross_encoder_weights(other)) == second, "the other one is not barred"


def test_a_pair_is_not_compared_with_itself(
    home: Path, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_models(read_settings()).add(folder, "judge")
    file = written(tmp_path / "e.json", folder)
    monkeypatch.setenv("VOUCH_EVALUATOR__JUDGE", str(folder))
    monkeypatch.setenv("VOUCH_EVALUATOR__MODEL", str(file))
    with pytest.raises(Usage, match="named by settings"):
        open_models(read_settings()).add(file)
