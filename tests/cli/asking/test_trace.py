"""vouch trace: how an answer was made, for whoever asked."""

import json
from pathlib import Path
from typing import Any

import pytest

from cli.asking.trace import _tell, _tell_recipe, _tell_steps


@pytest.mark.model
@pytest.mark.slow
def test_whoever_asked_sees_how_an_answer_was_made_and_nobody_else_does(vouch: Any, tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "keys.md").write_text("# Keys\n\nThe signing keys are rotated every ninety days by the engineers.\n")
    (docs / "leave.md").write_text("# Leave\n\nEverybody has thirty days of paid leave in a year.\n")
    access = tmp_path / "access.yaml"
    access.write_text("rules:\n  - match: '**'\n    allow: [public]\n")
    vouch("source", "add", "c", "--kind", "folder", "--path", docs, "--access", access)
    vouch("ingest")
    answer = json.loads(vouch("ask", "How often are the signing keys rotated?", "--json")[1])
    code, out, _ = vouch("trace", answer["id"][:12])
    assert code == 0 and "c:keys.md" in out and "rerank" in out and "cited" in out, out
    row = json.loads(vouch("trace", answer["id"], "--json")[1])
    assert row["whole"] and row["candidates"][0]["fused_of"] and row["candidates"][0]["judged_of"]
    added = row["candidates"][0]["fused_of"]
    assert sum(one["adds"] for one in added) == pytest.approx(row["candidates"][0]["fused_score"])
    for named, person in ((answer["id"], "user:ben"), (answer["id"], "group:engineers"), ("0" * 32, "public")):
        code, out, told = vouch("trace", named, "--as", person)
        assert code != 0 and out == "" and "there is no" in told
    asked_by_ben = json.loads(vouch("ask", "How often are the signing keys rotated?", "--as", "user:ben", "--json")[1])
    for words in ((asked_by_ben["id"],), ("0" * 32,), (asked_by_ben["id"], "--replay")):
        code, out, told = vouch("trace", *words)
        assert code == 3 and out == "" and "try: say who asked the question: --as user:NAME" in told, words
    code, out, told = vouch("trace", answer["id"], "--replay")
    assert code != 0 and out == "" and "no further steps" in told
    code, out, told = vouch("trace", answer["id"], "--index-version", "1")
    assert code != 0 and out == "" and "--replay" in told
    two = json.loads(vouch("ask", "How often are signing keys rotated and how long is paid leave?", "--steps", "2",
                           "--json")[1])
    for version in ((), ("--index-version", "1")):
        code, out, _ = vouch("trace", two["id"], "--replay", *version)
        assert code == 0 and "no difference" in out, out
    code, out, told = vouch("trace", two["id"], "--replay", "--index-version", "77")
    assert code == 3 and out == "" and "there is no version 77" in told and "vouch versions list" in told, told
    access.write_text("rules:\n  - match: '**'\n    allow: []\n")
    code, out, told = vouch("trace", two["id"], "--replay")
    assert code != 0 and out == "" and "may not read it any more" in told
    code, out, told = vouch("trace", answer["id"])
    assert code != 0 and out == "" and "may not read it any more" in told


def test_why_an_order_could_not_be_used_is_told_and_how_another_ended_it(capsys: pytest.CaptureFixture[str]) -> None:
    _tell_steps({"stopped": "stop", "orders": [
        {"step": 1, "by": "m", "thought": "", "error": "order not valid", "problem": "args.query is missing"},
        {"step": 1, "by": "rules", "thought": "nothing\nis left", "error": "", "ends": "stop"},
        {"step": 1, "by": "old", "thought": "", "error": "TimedOut"},
    ]})
    assert capsys.readouterr().out.splitlines() == [
        "no further step: there was nothing more to try",
        "before step 1 an order by m could not be used: order not valid (args.query is missing)",
        "before step 1 an order by rules ended it (stop): nothing\\nis left",
        "before step 1 an order by old could not be used: TimedOut",
    ]


def test_what_a_recipe_searched_for_is_told_with_who_made_it(capsys: pytest.CaptureFixture[str]) -> None:
    made = {"step": "augment", "by": "rules (no language model is set)", "said": ["weeks leave", "leave of\nparents"]}
    _tell_recipe({"recipe": "guided", "recipe_steps": [made]})
    assert capsys.readouterr().out.splitlines() == [
        "searched by the recipe guided",
        "augment by rules (no language model is set): weeks leave; leave of\\nparents",
    ]
    _tell_recipe({"recipe": ""})
    assert capsys.readouterr().out == ""


def test_thresholds_have_the_digits_that_tell_them_from_the_best_passage(capsys: pytest.CaptureFixture[str]) -> None:
    verdict = {"kind": "ambiguous", "scores": [0.1, 0.618], "thresholds": {"lower": 0.174, "upper": 0.6203},
               "reason": "the best passage reaches 0.618, between 0.174 and 0.620"}
    row = {"question": "q", "understood_as": "", "action": "declined", "reason": "", "verdict": verdict,
           "index_version": 1, "fused_by": "", "reranked_by": "", "judged_by": "", "model": "none", "timings": [],
           "candidates": [], "whole": True}
    _tell(row)
    assert "(ambiguous from 0.174, correct from 0.620)" in capsys.readouterr().out
    _tell(row | {"verdict": {name: verdict[name] for name in ("kind", "thresholds")}, "partial": True, "whole": False})
    assert "evidence ambiguous\n" in capsys.readouterr().out
    _tell(row | {"verdict": verdict | {"scores": []}})
    told = capsys.readouterr().out
    assert "(ambiguous from 0.17, correct from 0.62)" in told and "change places" not in told
    _tell(row | {"swapped": [2, 3]})
    assert "A draw let the passages at places 2 and 3 change places." in capsys.readouterr().out
