"""The home's copies of rerankers and judges: of models that may serve, and whole, whoever adds them meanwhile."""

import os
import shutil
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from model_fakes.cross_encoder_model import random_cross_encoder

from services.models.registry import ModelService
from vouch.adapters.models import folder as folders
from vouch.adapters.models.scorers import kept_cross_encoders
from vouch.adapters.models.scorers.cross_encoder import cross_encoder_weights
from vouch.errors import ModelDown, Usage

pytestmark = [pytest.mark.integration, pytest.mark.model, pytest.mark.usefixtures("quick_disk")]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return random_cross_encoder(tmp_path_factory.mktemp("models") / "cross")


@pytest.fixture
def folder(tmp_path: Path, made: Path) -> Path:
    return shutil.copytree(made, tmp_path / "cross")


def copies(home: Path) -> list[str]:
    return sorted(one.name for one in (home / "rerankers").iterdir() if one.is_dir())


def whole(home: Path, folder: Path) -> bool:
    name = cross_encoder_weights(folder).rpartition(":")[2]
    return copies(home) == [name] and cross_encoder_weights(home / "rerankers" / name).endswith(name)


def test_a_retired_model_leaves_no_copy_when_it_is_added_again(
    registry: ModelService, folder: Path, home: Path
) -> None:
    name = registry.add(folder).name
    assert whole(home, folder)
    registry.retire(name, "ana")
    assert copies(home) == []
    with pytest.raises(Usage, match=f"these are the weights of {name}, which is retired"):
        registry.add(folder)
    assert copies(home) == []


def test_one_that_was_retired_while_another_adds_it_is_refused(
    registry: ModelService, folder: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, load = registry.add(folder).name, kept_cross_encoders.load_cross_encoder

    def retired_meanwhile(*where: Any) -> Any:
        registry.retire(name, "ana")
        return load(*where)

    monkeypatch.setattr(kept_cross_encoders, "load_cross_encoder", retired_meanwhile)
    with pytest.raises(Usage, match="which is retired"):
        registry.add(folder)
    assert copies(home) == []


def test_what_interrupted_adds_left_is_swept_and_what_is_young_stays(
    registry: ModelService, folder: Path, home: Path
) -> None:
    for draft in (".new-old", ".new-young"):
        (home / "rerankers" / draft).mkdir(parents=True)
        (home / "rerankers" / draft / "model.safetensors").write_bytes(b"half")
    os.utime(home / "rerankers" / ".new-old", (time.time() - 7200,) * 2)
    registry.add(folder)
    assert copies(home) == [".new-young", cross_encoder_weights(folder).rpartition(":")[2]]


def test_two_who_add_one_folder_find_one_model_and_nobody_takes_the_others_copy_away(
    registry: ModelService, folder: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copied, delete, lost = shutil.copyfile, shutil.rmtree, list[Path]()

    def slowly(*where: Any) -> Any:
        time.sleep(0.1)
        return copied(*where)

    def noted(place: Path, **how: Any) -> None:
        if (place / "tokenizer.json").exists() and cross_encoder_weights(place) == cross_encoder_weights(folder):
            lost.append(place)
        delete(place, **how)

    monkeypatch.setattr(shutil, "copyfile", slowly)
    monkeypatch.setattr(shutil, "rmtree", noted)
    with ThreadPoolExecutor(2) as both:
        names = {one.name for one in both.map(registry.add, [folder, folder])}
    assert len(names) == 1 == len(registry.ledger.models.list()) and whole(home, folder)
    assert lost == []


@pytest.mark.parametrize("when", ["counted", "read", "copied"])
def test_a_file_that_vanishes_meanwhile_is_told_and_nothing_is_kept(
    registry: ModelService, folder: Path, home: Path, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    load = kept_cross_encoders.load_cross_encoder

    def gone(*_: object) -> None:
        raise FileNotFoundError(2, "No such file or directory", "model.safetensors")

    def loaded(place: Path, *how: Any) -> Any:
        model = load(place, *how)
        monkeypatch.setattr("safetensors.torch.load_file", gone)
        return model

    with monkeypatch.context() as patch:
        if when == "counted":
            patch.setattr(folders, "_sha256", gone)
        elif when == "copied":
            patch.setattr(shutil, "copyfile", gone)
        else:
            patch.setattr(kept_cross_encoders, "load_cross_encoder", loaded)
        with pytest.raises(ModelDown) as told:
            registry.add(folder)
        assert str(folder) in told.value.cause and told.value.cure
        monkeypatch.undo()
    assert registry.ledger.models.list() == []
    assert not (home / "rerankers").exists() or copies(home) == []
