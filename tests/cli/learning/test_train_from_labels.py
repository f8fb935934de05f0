"""vouch train fusion learns from what people did with answers, and says what comes next."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from learning_scene.answered_ledger import fill
from machines.ledger_place import new_ledger

pytestmark = [pytest.mark.model, pytest.mark.slow]


def test_from_votes_to_a_model_that_serves(vouch: Any, home: Path, tmp_path: Path) -> None:
    ledger = new_ledger(home / "ledger.sqlite")
    fill(SimpleNamespace(ledger=ledger), 300, 5)
    ledger.close()
    code, told, err = vouch("train", "fusion")
    assert code == 0 and "against reciprocal ranks" in told and "not passed" not in told, err
    shadow, promote = (line.removeprefix("next: ") for line in told.splitlines() if line.startswith("next: "))
    page = Path(next(line for line in told.splitlines() if line.startswith("its report: "))[len("its report: "):])
    assert page.read_text().startswith("# fusion-") and (page.parent / "gains.svg").read_text().startswith("<svg")

    out = tmp_path / "fusion.json"
    again = json.loads(vouch("train", "fusion", "--json", "--out", out)[1])
    assert not again["new"] and again["state"] == "candidate" and shadow.endswith(again["name"])
    assert json.loads(out.read_text())["terms"]
    assert vouch(*shadow.split()[1:])[0] == 0
    assert json.loads(vouch("train", "fusion", "--json")[1])["next"] == [promote]
    assert vouch(*promote.split()[1:], "--early")[0] == 0
    serving = json.loads(vouch("train", "fusion", "--json")[1])
    assert serving["next"] == [] and serving["name"] == again["name"] and not serving["new"]
    assert serving["figures"]["reciprocal ranks"]["gain"] > 0.1


def test_it_goes_on_by_itself_where_the_setting_lets_it(
    vouch: Any, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = new_ledger(home / "ledger.sqlite")
    fill(SimpleNamespace(ledger=ledger), 300, 5)
    ledger.close()
    monkeypatch.setenv("VOUCH_TRAINING__PROMOTE", "automatic")
    code, told, err = vouch("train", "fusion")
    assert code == 0 and "shadows; a later training promotes it" in told and "next:" not in told, err
    again = vouch("train", "fusion")[1]
    assert "and does not serve yet: " in again and " of 100 answers" in again
    monkeypatch.setenv("VOUCH_TRAINING__PROMOTE", "by-hand")
    assert "next: vouch models promote" in vouch("train", "fusion")[1]


def test_too_few_are_refused_and_kept(vouch: Any, home: Path) -> None:
    ledger = new_ledger(home / "ledger.sqlite")
    fill(SimpleNamespace(ledger=ledger), 30, 6, people=3)
    ledger.close()
    code, told, _ = vouch("train", "fusion")
    assert code == 0 and "refused: questions: " in told and "askers: 3, at least 5 needed" in told
    assert "next:" not in told
    [row] = map(json.loads, vouch("models", "list", "--json")[1].splitlines())
    assert row["state"] == "refused"
