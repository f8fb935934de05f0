"""vouch models with a judge: added from a folder, promoted with its evaluator, and told by every command."""

import json
from pathlib import Path
from typing import Any

import pytest
from model_fakes.cross_encoder_model import random_judge

from vouch.adapters.models.scorers.cross_encoder import cross_encoder_weights
from vouch.learning.models.evaluator_model import SHIPPED

pytestmark = pytest.mark.model


def rows(out: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in out.splitlines()]


def test_it_goes_through_its_life(vouch: Any, home: Path, tmp_path: Path) -> None:
    folder, file = random_judge(tmp_path / "judge"), tmp_path / "evaluator.json"
    model = json.loads(SHIPPED.read_text(encoding="utf-8"))
    model["fingerprints"]["judge"] = cross_encoder_weights(folder)
    file.write_text(json.dumps(model | {"lower": 0.02}))
    checks = {row["check"]: row for row in rows(vouch("doctor", "--json")[1])}
    assert checks["judge"]["found"].endswith("as it comes with vouch")
    out = vouch("models", "add", folder, "--kind", "judge")[1]
    assert "next: vouch models promote judge-" in out and out.endswith("--with EVALUATOR\n")
    (name,) = [row["name"] for row in rows(vouch("models", "list", "--kind", "judge", "--json")[1])]
    weighs = json.loads(vouch("models", "add", file, "--json")[1])["name"]
    code, _, err = vouch("models", "promote", name)
    assert code == 2 and f"vouch models promote {name} --with {weighs}" in err
    code, out, err = vouch("models", "promote", name, "--with", weighs, "--by", "ana", "--json")
    assert code == 0, err
    assert [(row["kind"], row["model"]) for row in rows(out)] == [("judge", name), ("evaluator", weighs)]
    checks = {row["check"]: row for row in rows(vouch("doctor", "--json")[1])}
    assert all(checks[kind]["sound"] for kind in ("reranker", "judge", "evaluator"))
    assert checks["judge"]["found"].startswith(f"{name}, promoted by ana on ")
    out = vouch("models", "show", name)[1]
    assert f"made for     {weighs}" in out and "at present   serves" in out and "MB" in out
    code, _, err = vouch("models", "retire", name, "--yes")
    assert code == 2 and "first: vouch models rollback judge" in err
    (config,) = (home / "rerankers").glob("*/config.json")
    config.write_text(config.read_text() + " ")
    checks = {row["check"]: row for row in rows(vouch("doctor", "--json")[1])}
    assert not checks["judge"]["sound"] and "has changed" in checks["judge"]["found"]
    assert not checks["evaluator"]["sound"] and "another judge" in checks["evaluator"]["found"]
    out = vouch("models", "rollback", "judge")[1]
    assert "judge: what comes with vouch serves" in out and "evaluator: what comes with vouch serves" in out
    assert vouch("models", "retire", name, "--yes")[0] == 0 and not list((home / "rerankers").glob("*/"))
    other = random_judge(tmp_path / "other")
    (other / "judge.json").write_text((other / "judge.json").read_text().replace('"rank"', '"steps": 7, "rank"'))
    second = json.loads(vouch("models", "add", other, "--kind", "judge", "--json")[1])["name"]
    assert "test pairs, steps" in vouch("models", "diff", name, second)[1]
