"""What `vouch train agent` says where there is nothing to train on. No model is loaded."""

import json
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def asked(tmp_path: Path) -> Path:
    file = tmp_path / "asked.jsonl"
    file.write_text(json.dumps({"question": "Who leads it?", "answerable": False}) + "\n")
    return file


def test_without_questions_that_say_something_it_ends_at_once(vouch: Any, asked: Path, tmp_path: Path) -> None:
    code, _, err = vouch("train", "agent", asked)
    assert code == 2 and "no questions to train on" in err, err
    code, _, err = vouch("train", "agent", asked, "--well", "0.2", "--badly", "0.6")
    assert code == 2 and "thresholds" in err, err
    code, _, err = vouch("train", "agent", asked, "--out", tmp_path)
    assert code == 2 and "is a folder" in err, err
    code, _, err = vouch("train", "agent", tmp_path / "none.jsonl")
    assert code != 0 and "none.jsonl" in err, err


def test_an_agent_of_a_file_is_added_shown_promoted_and_rolled_back(vouch: Any, tmp_path: Path) -> None:
    from vouch.correction.planning.planners import Actor
    from vouch.learning.models.agent_model import model_of
    from vouch.learning.models.model_file import write_model

    write_model(model_of(Actor(follows=True, steps=3)), tmp_path / "agent.json")
    code, out, err = vouch("models", "add", tmp_path / "agent.json", "--json")
    name = json.loads(out)["name"]
    assert code == 0 and name.startswith("agent-"), err
    assert vouch("models", "promote", name, "--by", "ana")[0] == 0
    assert "follows" in vouch("models", "show", name)[1]
    [check] = [row for row in map(json.loads, vouch("doctor", "--json")[1].splitlines()) if row["check"] == "agent"]
    assert check["sound"] and check["found"].startswith(f"{name}, promoted by ana")
    assert vouch("models", "rollback", "agent", "--by", "ana")[0] == 0
    assert json.loads(vouch("models", "list", "--kind", "agent", "--json")[1])["serves"] is False
