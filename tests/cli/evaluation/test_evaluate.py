"""`vouch evaluate` over documents so few that the right figures are known."""

import json
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.model, pytest.mark.slow]


def test_each_stage_is_measured_and_the_reranker_only_if_wanted(vouch: Any, tmp_path: Path) -> None:
    texts = {"d1": "Parents get twelve weeks of paid leave in every year.",
             "d2": "Book flights through the portal and keep the receipts.",
             "d3": "Lost badges are reported to the front desk at once."}
    rows = [{"_id": name, "title": "", "text": text} for name, text in texts.items()]
    asked = [{"_id": "q1", "text": "How long is parental leave?"},
             {"_id": "q2", "text": "Where do I report a lost badge?"}]
    for name, content in (("corpus", rows), ("queries", asked)):
        (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, content)))
    (tmp_path / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\nq2\td3\t1\n")
    fused = ["lexical", "dense", "fused"]
    for words, stages in (((), [*fused, "reranked"]), (("--no-rerank",), fused)):
        code, out, err = vouch("evaluate", "retrieval", tmp_path, "--qrels", tmp_path / "test.tsv", "--json", *words)
        assert code == 0, err
        found = json.loads(out)
        assert list(found["stages"]) == stages and (found["documents"], found["queries"]) == (3, 2)
        kept = Path(found.pop("report"))
        assert json.loads((kept / "report.json").read_text())["figures"] == found
        assert {file.name for file in kept.iterdir()} == {"report.json", "report.md", "stages.svg"}
        assert all(found["stages"][stage]["recall@100"] == 1 for stage in ("dense", "fused"))
        assert found["stages"][stages[-1]]["mrr@10"] == 1
    own = tmp_path / "own.toml"
    own.write_text('about = "Words."\n[facts]\nsteps = [{step = "retrieve", engine = "words"},'
                   '{step = "fuse", keep = 1}]')
    words = ("evaluate", "retrieval", tmp_path, "--qrels", tmp_path / "test.tsv", "--recipes", f"default,guided,{own}")
    code, out, err = vouch(*words, "--json")
    assert code == 0, err
    found = json.loads(out)
    assert list(found["recipes"]) == ["default", "guided", "own"] and str(tmp_path) not in json.dumps(found["recipes"])
    assert found["recipes"]["default"]["mrr@10"] == 1 and found["recipes"]["own"]["passages"] == 1
    assert found["recipes"]["guided"]["made_by"] == {
        step: {"rules (no language model is set)": 2} for step in ("augment", "guided_rerank")}
    told = vouch(*words)[1]
    assert "guided, augment: by rules (no language model is set) (2)" in told and "recall@100" in told
    assert vouch("evaluate", "retrieval", tmp_path, "--qrels", tmp_path / "test.tsv", "--recipes", "guidde")[0] == 2


def test_answers_are_graded_for_the_readers_of_their_corpus(vouch: Any, tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "leave.md").write_text("# Parental leave\n\nParents get twelve weeks of paid leave in every year.\n")
    (docs / "access.yaml").write_text('rules:\n  - {match: "**", allow: ["group:staff"]}\n')
    (tmp_path / "directory.yaml").write_text("people:\n  ana@acme.test: {groups: [staff]}\ngroups:\n  staff: {}\n")
    assert vouch("directory", "load", tmp_path / "directory.yaml")[0] == 0
    assert vouch("source", "add", "docs", "--kind", "folder", "--path", docs)[0] == 0
    assert vouch("ingest")[0] == 0
    gold = {"quotes": ["Parents get twelve weeks of paid leave"], "quote_paths": ["leave.md"]}
    rows = [{"id": "a", "question": "How many weeks of paid leave do parents get?", "answerable": True, **gold},
            {"id": "b", "question": "Who won the chess tournament?", "answerable": False}]
    file, out = tmp_path / "questions.jsonl", tmp_path / "grades.jsonl"
    file.write_text("\n".join(json.dumps({**row, "corpus": "h"}) for row in rows))
    code, told, err = vouch("evaluate", "answers", file, "--reader", "h=group:staff", "--out", out, "--json")
    assert code == 0, err
    found = json.loads(told)
    assert found["answerable"]["shown"] == 1 and found["unanswerable"]["declined"] == 1 and found["auc"] == 1
    assert found["retrieval"]["final"]["R@1"] == found["retrieval"]["fused"]["R@1"] == 1
    assert found["spans"]["quoted"] >= 1 and found["spans"]["found"] == 1
    kept = Path(found["report"])
    assert "weeks of paid leave" not in (kept / "report.json").read_text() + (kept / "report.md").read_text()
    made_with = json.loads((kept / "report.json").read_text())["made_with"]
    assert made_with["seed"] == 0 and made_with["hardware"]["cores"] >= 1 and made_with["versions"]["torch"]
    assert made_with["settings"]["retrieval.rerank"] == 20 and str(tmp_path) not in json.dumps(made_with)
    first, second = map(json.loads, out.read_text().splitlines())
    assert (first["id"], first["quoted"], second["answer"]["action"]) == ("a", True, "declined")
    assert "answerable" in vouch("evaluate", "answers", file, "--reader", "h=group:staff", "--limit", "1")[1]
    for words, told in ((("--reader", "h"), "CORPUS=TAG"), (("--reader", "g=group:staff"), "there are h"),
                        (("--reader", "h=group:nobody"), "group:nobody")):
        code, _, err = vouch("evaluate", "answers", file, *words)
        assert code in (2, 3) and told in err
    code, told, _ = vouch("evaluate", "answers", file, "--json", "--failures")      # the public may read nothing here
    found = json.loads(told)
    assert found["answerable"]["declined"] == 1
    [failure] = found["failures"]
    assert (failure["id"], failure["wrong"], failure["shown"]) == ("a", "declined", [])
    assert failure["expected"] == [{"path": "leave.md", "quote": "Parents get twelve weeks of paid leave"}]
    kept = Path(found["report"])
    assert "weeks of paid leave" not in (kept / "report.json").read_text() + (kept / "report.md").read_text()
    assert "a: How many weeks" in vouch("evaluate", "answers", file, "--failures")[1]


def test_answers_are_compared_with_a_file_of_others_and_with_other_settings(vouch: Any, tmp_path: Path) -> None:
    docs, file, out = tmp_path / "docs", tmp_path / "questions.jsonl", tmp_path / "grades.jsonl"
    docs.mkdir()
    (docs / "leave.md").write_text("# Parental leave\n\nParents get twelve weeks of paid leave in every year.\n")
    (docs / "access.yaml").write_text('rules:\n  - {match: "**", allow: [public]}\n')
    assert vouch("source", "add", "docs", "--kind", "folder", "--path", docs)[0] == 0 and vouch("ingest")[0] == 0
    gold = {"quotes": ["Parents get twelve weeks of paid leave"], "quote_paths": ["leave.md"]}
    rows = [{"id": "a", "question": "How many weeks of paid leave do parents get?", "answerable": True, **gold},
            {"id": "b", "question": "Who won the chess tournament?", "answerable": False}]
    file.write_text("\n".join(map(json.dumps, rows)))
    assert vouch("evaluate", "answers", file, "--out", out, "--json")[0] == 0
    same = json.loads(vouch("evaluate", "answers", file, "--against", out, "--json")[1])["against"]
    assert same["questions"] == 2 and same["answerable"]["shown"]["difference"] == 0 == same["auc"]["difference"]
    worse = [json.loads(line) for line in out.read_text().splitlines()]
    worse[0]["quoted"], worse[0]["places"] = False, {"fused": 7, "final": None}
    out.write_text("\n".join(map(json.dumps, worse)))
    code, told, err = vouch("evaluate", "answers", file, "--against", out)
    assert code == 0, err
    assert "answerable: shown" in told and "+1.000" in told and "quoted spans found in their source" in told
    (tmp_path / "other.toml").write_text("[retrieval]\nrerank = 1\ntop = 5\n")
    found = json.loads(vouch("evaluate", "answers", file, "--against", tmp_path / "other.toml", "--json")[1])
    assert found["against"]["answerable"]["questions"] == 1
    for text, expected in (("[chunking]\ntokens = 64\n", "over the index that is served"), ("rerank", "cannot be read"),
                           ("[retrieval]\nrerank = 0\n", "RETRIEVAL")):
        (tmp_path / "other.toml").write_text(text)
        code, _, err = vouch("evaluate", "answers", file, "--against", tmp_path / "other.toml")
        assert code != 0 and expected in err, err
    out.write_text('{"id": "a"}')
    assert "is missing" in vouch("evaluate", "answers", file, "--against", out)[2]


def test_each_fold_is_answered_with_thresholds_that_the_others_made(vouch: Any, tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    things = ("ladder", "projector", "bicycle", "kettle", "scanner", "badge", "parcel", "laptop", "telephone", "drill")
    rows: list[dict[str, Any]] = []
    for number, thing in enumerate(things):
        sentence = f"The {thing} is kept in room {number + 20} of the annex."
        (docs / f"{thing}.md").write_text(f"# Where the {thing} is\n\n{sentence}\n")
        rows += [{"question": f"Where is the {thing} kept?", "answerable": True, "quotes": [sentence],
                  "quote_paths": [f"{thing}.md"]},
                 {"question": f"Who repaired the {thing} in spring?", "answerable": False}]
    (docs / "access.yaml").write_text('rules:\n  - {match: "**", allow: [public]}\n')
    assert vouch("source", "add", "docs", "--kind", "folder", "--path", docs)[0] == 0
    assert vouch("ingest")[0] == 0
    file = tmp_path / "questions.jsonl"
    file.write_text("\n".join(json.dumps({"id": str(n), **row}) for n, row in enumerate(rows)))
    out = tmp_path / "grades.jsonl"
    code, told, err = vouch("evaluate", "answers", file, "--folds", "--out", out, "--json")
    assert code == 0, err
    found = json.loads(told)
    assert len(found["folds"]) == 5 and len({str(fold) for fold in found["folds"]}) > 1
    assert all(0 <= fold["lower"] <= fold["upper"] <= 1 for fold in found["folds"])
    assert (found["answerable"]["questions"], found["unanswerable"]["questions"]) == (10, 10)
    assert sorted(int(json.loads(line)["id"]) for line in out.read_text().splitlines()) == list(range(20))
    assert found["answerable"]["shown"] == 1 and found["auc"] > 0.9, found
    code, _, err = vouch("evaluate", "answers", file, "--folds", "--limit", "1")
    assert code == 5 and "too few" in err and "more questions in the file" in err


def test_answers_are_measured_by_what_they_were_written_from(vouch: Any, tmp_path: Path) -> None:
    docs, file = tmp_path / "docs", tmp_path / "questions.jsonl"
    docs.mkdir()
    (docs / "leave.md").write_text("# Parental leave\n\nParents get twelve weeks of paid leave in every year.\n")
    (docs / "access.yaml").write_text('rules:\n  - {match: "**", allow: [public]}\n')
    assert vouch("source", "add", "docs", "--kind", "folder", "--path", docs)[0] == 0 and vouch("ingest")[0] == 0
    gold = {"quotes": ["Parents get twelve weeks of paid leave"], "quote_paths": ["leave.md"]}
    rows = [{"id": "a", "question": "How many weeks of paid leave do parents get?", "answerable": True, **gold},
            {"id": "b", "question": "Who won the chess tournament?", "answerable": False}]
    file.write_text("\n".join(map(json.dumps, rows)))
    code, out, err = vouch("evaluate", "rag", file, "--json")
    assert code == 0, err
    found = json.loads(out)
    assert found["judged by"] == "offline" and (found["questions"], found["answers"], found["not_judged"]) == (2, 1, 0)
    assert found["faithfulness"] == found["context precision"] == found["context recall"] == 1.0
    assert 0.5 < found["answer relevance"] <= 1.0
    kept = (Path(found["report"]) / "report.md").read_text()
    assert "faithfulness" in kept and "twelve weeks" not in kept and (Path(found["report"]) / "shares.svg").exists()
    assert "context recall" in vouch("evaluate", "rag", file, "--limit", 1)[1]
    code, _, err = vouch("evaluate", "rag", file, "--judge", "language-model")
    assert code == 2 and "VOUCH_WRITER__KIND=openai" in err
