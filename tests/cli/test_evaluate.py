"""`vouch evaluate retrieval` over a folder small enough to know the answer."""

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
        assert all(found["stages"][stage]["recall@100"] == 1 for stage in ("dense", "fused"))
        assert found["stages"][stages[-1]]["mrr@10"] == 1
