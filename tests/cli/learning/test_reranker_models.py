"""vouch models with a reranker: added from a folder, promoted with its evaluator, and told by every command."""

import json
from pathlib import Path
from typing import Any

import pytest
from model_fakes.cross_encoder_model import random_cross_encoder

from vouch.adapters.models.scorers.cross_encoder import cross_encoder_weights
from vouch.learning.models.evaluator_model import SHIPPED

pytestmark = pytest.mark.model


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return random_cross_encoder(tmp_path_factory.mktemp("models") / "cross")


@pytest.fixture
def pair(vouch: Any, folder: Path, tmp_path: Path) -> tuple[str, str]:
    """A reranker, and an evaluator that was trained with it."""
    model = json.loads(SHIPPED.read_text(encoding="utf-8"))
    model["fingerprints"]["reranked_with"] = cross_encoder_weights(folder)
    (tmp_path / "e.json").write_text(json.dumps(model | {"lower": 0.1}))
    names = [json.loads(vouch("models", "add", place, "--json")[1])["name"] for place in (folder, tmp_path / "e.json")]
    return names[0], names[1]


def rows(out: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in out.splitlines()]


def test_it_goes_through_its_life(vouch: Any, pair: tuple[str, str]) -> None:
    name, judge = pair
    assert [row["kind"] for row in rows(vouch("models", "list", "--kind", "reranker", "--json")[1])] == ["reranker"]
    code, _, err = vouch("models", "promote", name)
    assert code == 2 and f"vouch models promote {name} --with {judge}" in err
    code, _, err = vouch("models", "shadow", name)
    assert code == 2 and "only a fusion can shadow" in err
    code, out, err = vouch("models", "promote", name, "--with", judge, "--by", "ana", "--json")
    assert code == 0, err
    assert [(row["kind"], row["model"]) for row in rows(out)] == [("reranker", name), ("evaluator", judge)]
    checks = {row["check"]: row for row in rows(vouch("doctor", "--json")[1])}
    assert checks["reranker"]["found"].startswith(f"{name}, promoted by ana on ")
    assert checks["evaluator"]["found"].startswith(f"{judge}, promoted by ana on ")
    out = vouch("models", "show", name)[1]
    assert f"made for     {judge}" in out and "cross-encoder:" in out and "at present   serves" in out
    out = vouch("models", "rollback", "reranker")[1]
    assert "reranker: what comes with vouch serves" in out and "evaluator: what comes with vouch serves" in out
    assert vouch("models", "retire", name, "--yes")[0] == 0
    code, _, err = vouch("models", "promote", judge, "--with", name)
    assert code == 2 and "is retired" in err


def test_doctor_says_that_a_changed_copy_does_not_serve(vouch: Any, home: Path, pair: tuple[str, str]) -> None:
    name, judge = pair
    assert vouch("models", "promote", judge, "--with", name)[0] == 0
    (config,) = (home / "rerankers").glob("*/config.json")
    config.write_text(config.read_text() + " ")
    checks = {row["check"]: row for row in rows(vouch("doctor", "--json")[1])}
    assert not checks["reranker"]["sound"] and "has changed" in checks["reranker"]["found"]
    assert checks["reranker"]["cure"] == "vouch models rollback reranker"
    assert not checks["evaluator"]["sound"] and "another reranker" in checks["evaluator"]["found"]
    out = vouch("models", "show", name)[1]
    assert "has changed" in out


def test_a_folder_that_is_no_reranker_is_refused(vouch: Any, tmp_path: Path, folder: Path) -> None:
    (tmp_path / "empty").mkdir()
    code, _, err = vouch("models", "add", tmp_path / "empty")
    assert code == 5 and "holds no cross-encoder" in err
    code, _, err = vouch("models", "add", random_cross_encoder(tmp_path / "three", 3))
    assert code == 10 and "3 labels" in err
    assert vouch("models", "list", "--json")[1] == ""


def test_added_again_it_is_the_same_and_retired_it_does_not_come_back(vouch: Any, folder: Path) -> None:
    name = json.loads(vouch("models", "add", folder, "--json")[1])["name"]
    assert json.loads(vouch("models", "add", folder, "--json")[1])["name"] == name
    assert vouch("models", "retire", name, "--yes", "--by", "ana")[0] == 0
    code, _, err = vouch("models", "add", folder)
    assert code == 2 and f"these are the weights of {name}, which is retired: by ana" in err
