"""vouch models: what may serve is registered, compared, promoted and taken back, and each refusal says what to do."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy
from model_fakes.fusion_models import model_of

from composition.models import encoder_weights
from vouch.adapters.ledger import open_ledger
from vouch.learning.models.evaluator_model import SHIPPED, load_evaluator
from vouch.learning.models.fusion_model import FusionTerm
from vouch.learning.models.model_file import write_model
from vouch.settings import Settings

FITTING = encoder_weights(Settings())


def file(folder: Path, name: str, encoder: str = FITTING, refused: str = "", **weights: float) -> Path:
    model = model_of(weights or {"bm25_share": 1.0}, encoder).model_copy(update={"refused": refused})
    write_model(model, folder / name)
    return folder / name


@pytest.fixture
def registered(vouch: Any, tmp_path: Path) -> list[str]:
    """Two fusions and an evaluator."""
    files = [file(tmp_path, "a.json"), file(tmp_path, "b.json", bm25_share=0.5, sem_rrf=-1.0), SHIPPED]
    names = []
    for one in files:
        code, out, err = vouch("models", "add", one, "--json")
        assert code == 0, err
        names.append(json.loads(out)["name"])
    return names


def listed(vouch: Any, *words: str, **env: str) -> dict[str, dict[str, Any]]:
    code, out, err = vouch("models", "list", "--json", *words, **env)
    assert code == 0, err
    return {row["name"]: row for row in map(json.loads, out.splitlines())}


def test_a_model_goes_through_its_life(vouch: Any, registered: list[str]) -> None:
    one, other, judge = registered
    assert set(listed(vouch)) == {*registered} and set(listed(vouch, "--kind", "evaluator")) == {judge}
    code, _, err = vouch("models", "promote", one)
    assert code == 2 and f"vouch models shadow {one}" in err and "--early" in err
    assert vouch("models", "shadow", one)[0] == 0 and listed(vouch)[one]["shadow_since"]
    since = listed(vouch)[one]["shadow_since"]
    code, out, _ = vouch("models", "shadow", one)
    assert code == 0 and f"{one} shadows since 2" in out and "nothing changed" in out
    assert listed(vouch)[one]["shadow_since"] == since, "what it has been seen to do still counts"
    assert json.loads(vouch("models", "shadow", one, "--json")[1])["new"] is False
    assert vouch("models", "shadow", other)[0] == 0 and listed(vouch)[one]["shadow_since"] is None
    assert vouch("models", "shadow", one)[0] == 0
    code, _, err = vouch("models", "promote", one)
    assert code == 2 and "0 of 100 answers" in err
    out = vouch("models", "show", one)[1]
    assert "without --early: 0 of 100 answers, and less than 168 hours" in out
    for words in (("promote", one, "--early"), ("rollback", "fusion")):
        code, _, err = vouch("models", *words, "--reason", " ")
        assert code == 2 and "the reason is empty" in err
    code, _, err = vouch("models", "retire", one, "--yes")
    assert code == 2 and "shadows" in err
    assert vouch("models", "promote", one, "--early", "--by", "ana")[0] == 0
    assert vouch("models", "promote", other, "--early")[0] == 0
    code, out, _ = vouch("models", "rollback", "fusion", "--json")
    assert code == 0 and json.loads(out) == {"kind": "fusion", "model": one, "instead": ""}
    row = listed(vouch)[one]
    assert row["current"] and row["serves"]
    code, _, err = vouch("models", "retire", one, "--yes")
    assert code == 2 and "vouch models rollback fusion" in err
    code, _, err = vouch("models", "retire", other)
    assert code == 2 and "--yes" in err and listed(vouch)[other]["state"] == "candidate"
    assert vouch("models", "retire", other, "--yes", "--by", "ana")[0] == 0
    code, _, err = vouch("models", "promote", other, "--early")
    assert code == 2 and "is retired: by ana" in err
    out = vouch("models", "show", one)[1]
    assert "at present   serves" in out and f"fusion:{one[-8:]}" in out
    assert "shadow until" in out and "beside reciprocal ranks" in out
    *_, kept = json.loads(vouch("models", "show", one, "--json")[1])["shadows"]
    assert kept["answers"] == 0 and kept["until"]
    assert "by ana: promoted" in out and "rolled back" in out and "bm25_share  1.0" in out
    moves = json.loads(vouch("models", "show", one, "--json")[1])["moves"]
    assert [(m["former"], m["model"]) for m in moves] == [(None, one), (one, other), (other, one)]
    assert moves[0]["by"] == "ana" and moves[1]["by"]


def test_what_may_not_serve_is_shown_whole_with_its_reason_once(vouch: Any, tmp_path: Path) -> None:
    why = "held out: 3, at least 50 needed; " * 4
    code, out, err = vouch("models", "add", file(tmp_path, "c.json", refused=why.strip()), "--json")
    assert code == 0, err
    name = json.loads(out)["name"]
    out = vouch("models", "show", name)[1]
    assert out.count("held out: 3") == 4 and f"fusion:{name[-8:]}" in out and "bm25_share  1.0" in out
    assert "cannot be used" not in out
    line = next(line for line in vouch("models", "list")[1].splitlines() if name in line)
    assert "held out: 3" in line and line.endswith("…") and len(line) < 160
    assert listed(vouch)[name]["reason"] == why.strip(), "whole for programs"
    other = json.loads(vouch("models", "add", file(tmp_path, "d.json", bm25_share=0.5), "--json")[1])["name"]
    assert vouch("models", "retire", other, "--yes", "--by", "ana")[0] == 0
    row = json.loads(vouch("models", "show", other, "--json")[1])
    assert row["fingerprint"].startswith("fusion:") and row["weights"] == {"bm25_share": 0.5} and row["unfit"] == ""


def test_two_are_shown_side_by_side(vouch: Any, registered: list[str]) -> None:
    one, other, judge = registered
    row = json.loads(vouch("models", "diff", one, other, "--json")[1])
    assert row["weights"] == [{"name": "bm25_share", "first": 1.0, "second": 0.5},
                              {"name": "sem_rrf", "first": None, "second": -1.0}]
    assert "bm25_share" in vouch("models", "diff", one, other)[1]
    code, _, err = vouch("models", "diff", one, judge)
    assert code == 2 and "of the kind evaluator" in err
    assert vouch("models", "diff", judge, judge)[0] == 0
    code, _, err = vouch("models", "show", "nothing")
    assert code == 3 and "vouch models list" in err


def test_what_differs_fits_a_page_and_the_rest_comes_on_demand(vouch: Any, registered: list[str]) -> None:
    one, other, judge = registered
    out = vouch("models", "diff", one, other)[1]
    assert "bm25_share  1" in out and max(map(len, out.splitlines())) <= 100
    assert vouch("models", "diff", judge, judge)[1].splitlines() == ["no weights differ", "no figures differ"]
    out = vouch("models", "diff", judge, judge, "--all")[1]
    assert "held out, ece" in out and str(load_evaluator().figures["held out"]["ece"]) in out
    assert max(map(len, out.splitlines())) <= 100
    code, _, err = vouch("models", "show", one[:-1] + "x")
    assert code == 3 and f"there is {one}" in err
    out = vouch("models", "list")[1]
    assert f"AUC {load_evaluator().figures['held out']['auc']:.3f}" in out and max(map(len, out.splitlines())) <= 100


def test_a_row_that_cannot_be_read_is_listed_and_can_be_retired(vouch: Any, registered: list[str]) -> None:
    one, *_ = registered
    with open_ledger(Path(os.environ["VOUCH_HOME"]) / "ledger.sqlite").models._database.write("models") as connection:
        connection.execute(sqlalchemy.text("UPDATE models SET body = '{' WHERE name = :name"), {"name": one})
    assert "cannot be read" in listed(vouch)[one]["reason"]
    code, _, err = vouch("models", "show", one)
    assert code == 8 and f"vouch models retire {one}" in err
    assert vouch("models", "retire", one, "--yes")[0] == 0 and listed(vouch)[one]["state"] == "retired"


def test_what_its_gate_refused_is_kept_and_never_serves(vouch: Any, tmp_path: Path) -> None:
    code, out, _ = vouch("models", "add", file(tmp_path, "c.json", refused="it may be worse"))
    assert code == 0 and "can never serve: it may be worse" in out
    [name] = listed(vouch)
    for words in (("promote", name, "--early"), ("shadow", name)):
        code, _, err = vouch("models", *words)
        assert code == 2 and "refused: it may be worse" in err and "vouch models list" in err


def test_gates_look_at_the_model_of_a_file(vouch: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file may come from anywhere; only weights that were rounded pass, and no score may tell two worlds apart."""
    model = model_of({"bm25_share": 1.0}, FITTING)
    odd = model.model_copy(update={"terms": {"bm25_share": FusionTerm(mean=0.123456, scale=1.0, weight=1.0)}})
    write_model(odd, tmp_path / "odd.json")
    code, out, _ = vouch("models", "add", tmp_path / "odd.json")
    assert code == 0 and "can never serve: weights" in out
    monkeypatch.setattr("flows.training.retraining.world_differences", lambda *_: (1, 10))
    code, out, _ = vouch("models", "add", file(tmp_path, "leaks.json"))
    assert code == 0 and "can never serve: two worlds" in out
    assert {row["state"] for row in listed(vouch).values()} == {"refused"}
    gates = [json.loads(vouch("models", "show", name, "--json")[1])["report"]["gates"] for name in listed(vouch)]
    assert [[gate["name"] for gate in found if not gate["passed"]] for found in gates] == [["weights"], ["two worlds"]]


@pytest.mark.parametrize(("text", "says"), [
    ("{}", "kind is missing"), ("no JSON", "is not JSON"), ('{"kind": "other"}', "kind"),
    ('{"kind": "logistic-fusion", "feature_schema": 2, "terms": {}}', "terms"),
    ('{"kind": "logistic-fusion", "feature_schema": 1, "terms": {"bm25_share": {"mean": 0, "scale": 1, "weight": 1}}}',
     "feature schema 1"),
])
def test_a_file_that_is_no_model_is_refused(vouch: Any, tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / "m.json").write_text(text)
    code, _, err = vouch("models", "add", tmp_path / "m.json")
    assert code == 5 and says in err
    assert listed(vouch) == {}


def test_one_of_another_encoder_is_refused(vouch: Any, tmp_path: Path) -> None:
    code, _, err = vouch("models", "add", file(tmp_path, "m.json", encoder="other"))
    assert code == 2 and "another encoder" in err and listed(vouch) == {}


def test_the_file_of_the_settings_wins_and_that_is_said(vouch: Any, registered: list[str], tmp_path: Path) -> None:
    one = registered[0]
    assert vouch("models", "promote", one, "--early")[0] == 0
    chosen = {"VOUCH_FUSION__MODEL": str(file(tmp_path, "own.json", sem_rrf=1.0))}
    row = listed(vouch, **chosen)[one]
    assert row["current"] and not row["serves"] and row["instead"].endswith("own.json")
    out = vouch("models", "list", **chosen)[1]
    assert "own.json as fusion" in out
    out = vouch("models", "promote", registered[1], "--early", **chosen)[1]
    assert "own.json wins" in out


def checks(vouch: Any, **env: str) -> dict[str, dict[str, Any]]:
    return {row["check"]: row for row in map(json.loads, vouch("doctor", "--json", **env)[1].splitlines())}


def test_doctor_names_what_serves_and_what_cannot(vouch: Any, registered: list[str], tmp_path: Path) -> None:
    found = checks(vouch)
    assert found["fusion"]["found"].startswith("reciprocal ranks") and "comes with vouch" in found["evaluator"]["found"]
    one, _, judge = registered
    assert vouch("models", "promote", one, "--early", "--by", "ana")[0] == 0
    assert vouch("models", "promote", judge, "--by", "ana", "--reason", "fits us")[0] == 0
    found = checks(vouch)
    assert found["fusion"]["found"].startswith(f"{one}, promoted by ana on ")
    assert found["evaluator"]["found"].startswith(f"{judge}, fits us by ana on ")
    found = checks(vouch, VOUCH_ENCODER__MODEL=str(tmp_path / "other"))
    assert not found["fusion"]["sound"] and found["fusion"]["cure"] == "vouch models rollback fusion"
