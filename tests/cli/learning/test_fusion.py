"""A fusion is learned from questions on the served documents, explains itself, and never stands in the way."""

import json
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.model, pytest.mark.slow]
PLACES = ("Oslo", "Lima", "Cairo", "Quito", "Turin", "Delhi", "Perth", "Tunis", "Seoul", "Dakar")
THINGS = {"parking": "cars", "lunch": "meals", "visitors": "guests", "printing": "pages"}
HOURS = ("opens", "closes", "is cleaned", "is checked")


@pytest.fixture
def handbook(vouch: Any, tmp_path: Path) -> Path:
    """40 documents of four rules each, read by staff; the file of 160 questions on them."""
    docs, rows = tmp_path / "docs", []
    docs.mkdir()
    for place in PLACES:
        for thing, of in THINGS.items():
            lines = [f"In {place} the {of} desk for {thing} {what} at {number + 6} every day."
                     for number, what in enumerate(HOURS)]
            (docs / f"{place}-{thing}.md").write_text(f"# {thing} in {place}\n\n" + "\n\n".join(lines) + "\n")
            rows += [{"id": f"{place}{thing}{n}", "corpus": "h", "answerable": True,
                      "question": f"At what time is it that the {thing} desk {what} in {place}?",
                      "quotes": [lines[n]], "quote_paths": [f"{place}-{thing}.md"]} for n, what in enumerate(HOURS)]
    (docs / "access.yaml").write_text('rules:\n  - {match: "**", allow: ["group:staff"]}\n')
    (tmp_path / "directory.yaml").write_text("people:\n  ana@acme.test: {groups: [staff]}\ngroups:\n  staff: {}\n")
    assert vouch("directory", "load", tmp_path / "directory.yaml")[0] == 0
    assert vouch("source", "add", "docs", "--kind", "folder", "--path", docs)[0] == 0
    assert vouch("ingest")[0] == 0
    file = tmp_path / "asked.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)))
    return file


def test_it_is_learned_used_and_explained(vouch: Any, handbook: Path, tmp_path: Path) -> None:
    out = tmp_path / "fusion.json"
    few = tmp_path / "few.jsonl"
    few.write_text("\n".join(handbook.read_text().splitlines()[:8]))
    train = ("train", "fusion", "--reader", "h=group:staff", "--out", out, "--questions")
    code, told, err = vouch(*train, few)
    assert code == 0 and "it is not to serve" in told and "were held out" in told, err
    code, told, err = vouch(*train, handbook, "--json")
    found = json.loads(told)
    assert code == 0 and found["refused"] == "" and found["trained"] + found["held_out"] == 160, err
    assert found["gain_interval"][0] >= -0.01

    chosen = {"VOUCH_FUSION__MODEL": str(out)}
    words = ("search", "guests desk Lima opens", "--as", "group:staff", "--top", "3")
    plain = json.loads(vouch(*words, "--json")[1])
    assert plain["fused_by"] == "reciprocal ranks" and "why" not in plain["results"][0]
    learned = json.loads(vouch(*words, "--explain", "--json", **chosen)[1])
    assert learned["fused_by"].startswith("fusion:") and learned["results"][0]["path"] == "Lima-visitors.md"
    for result in learned["results"]:
        assert result["scores"]["fused"] == pytest.approx(sum(part["adds"] for part in result["why"]))
        adds = [abs(part["adds"]) for part in result["why"]]
        assert adds == sorted(adds, reverse=True)
        terms = json.loads(out.read_text())["terms"]
        assert {part["feature"]: part["weight"] for part in result["why"]} == {
            name: term["weight"] for name, term in terms.items()}
        for part in result["why"]:
            mean, scale = terms[part["feature"]]["mean"], terms[part["feature"]]["scale"]
            assert (part["mean"], part["deviation"]) == (mean, scale)
            away = min(max((part["value"] - mean) / scale, -3), 3)
            assert part["adds"] == pytest.approx(part["weight"] * away)
    told = vouch(*words, "--explain", **chosen)[1]
    assert f"fused by {learned['fused_by']}" in told and "bm25_share" in told
    assert f"bm25_share = {_part(learned, 'bm25_share')['value']:.6g}, mean " in told
    assert "total: the fused score" in told
    told = vouch(*words, "--explain")[1]
    assert "fused by reciprocal ranks" in told and "bm25_rank = 1" in told and "weight" not in told
    answer = vouch("ask", "When does the visitors desk in Lima open?", "--as", "group:staff", "--json", **chosen)[1]
    assert json.loads(answer)["fused_by"] == learned["fused_by"]


def _part(found: Any, feature: str) -> Any:
    return next(part for part in found["results"][0]["why"] if part["feature"] == feature)


def test_one_that_cannot_be_used_stands_in_nobodys_way(vouch: Any, handbook: Path, tmp_path: Path) -> None:
    broken = {"VOUCH_FUSION__MODEL": str(tmp_path / "nothing.json")}
    words = ("search", "guests desk Lima", "--as", "group:staff", "--json")
    found = json.loads(vouch(*words, **broken)[1])
    assert found["fused_by"] == "reciprocal ranks (the learned fusion of the settings cannot be used)"
    assert found["results"] == json.loads(vouch(*words)[1])["results"]
    code, told, _ = vouch("doctor", "--json", **broken)
    [check] = [row for row in map(json.loads, told.splitlines()) if row["check"] == "fusion"]
    assert code != 0 and not check["sound"]
    assert "cannot be read" in check["found"] and "vouch train fusion" in check["cure"]


def test_a_place_that_is_no_file_is_refused_before_the_work(vouch: Any, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    commands = ("fusion", "--questions", "x.jsonl"), ("evaluator", "--passages", "x.jsonl", "--squad", "x.json")
    for out, says in ((tmp_path, "is a folder"), (tmp_path / "file" / "f.json", "there is no folder")):
        for words in commands:
            code, _, err = vouch("train", *words, "--out", out)
            assert code == 2 and says in err, err


@pytest.mark.parametrize(("words", "says"), [
    ((), "nothing to learn from"),
    (("--beir", "x"), "belong together"),
    (("--questions", "x.jsonl", "--reader", "x"), "CORPUS=TAG"),
])
def test_what_is_missing_is_said_at_once(vouch: Any, words: tuple[str, ...], says: str) -> None:
    code, _, err = vouch("train", "fusion", "--out", "f.json", *words)
    assert code == 2 and says in err
