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
    kept = Path(found["report"])
    assert "weeks of paid leave" not in (kept / "report.json").read_text() + (kept / "report.md").read_text()
    first, second = map(json.loads, out.read_text().splitlines())
    assert (first["id"], first["quoted"], second["answer"]["action"]) == ("a", True, "declined")
    assert "answerable" in vouch("evaluate", "answers", file, "--reader", "h=group:staff", "--limit", "1")[1]
    for words, told in ((("--reader", "h"), "CORPUS=TAG"), (("--reader", "h=group:nobody"), "group:nobody")):
        code, _, err = vouch("evaluate", "answers", file, *words)
        assert code in (2, 3) and told in err
    code, told, _ = vouch("evaluate", "answers", file, "--json")       # the public may read nothing here
    assert json.loads(told)["answerable"]["declined"] == 1
