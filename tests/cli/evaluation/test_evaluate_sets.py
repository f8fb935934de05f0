"""`vouch evaluate` on public data sets: small ones in their layout, and a part of the real ones."""

import gzip
import json
import os
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from flows.shared.home_files.evaluation_reports import evaluation

pytestmark = [pytest.mark.model, pytest.mark.slow]
DATA = os.environ.get("VOUCH_DATA", "")
needs_data = pytest.mark.skipif(not DATA, reason="VOUCH_DATA names no folder with the data sets")

PARAGRAPHS = (
    ("Parents get twelve weeks of paid leave in every year, and may take them in parts.",
     [("How many weeks of paid leave do parents get?", ["twelve weeks", "twelve"]),
      ("How many weeks do uncles get?", [])]),
    ("Book flights through the travel portal and keep the receipts for ninety days.",
     [("Where are flights booked?", ["the travel portal"])]),
)


def squad_layout(path: Path) -> Path:
    paragraphs = [
        {"context": context, "qas": [
            {"question": question, "is_impossible": not answers, "answers": [{"text": one} for one in answers]}
            for question, answers in asked
        ]}
        for context, asked in PARAGRAPHS
    ]
    path.write_text(json.dumps({"data": [{"title": "Handbook", "paragraphs": paragraphs}]}))
    return path


def lines(path: Path, *rows: object) -> Path:
    path.write_text("\n".join(map(json.dumps, rows)))
    return path


def measured(vouch: Any, home: Path, *words: object) -> dict[str, Any]:
    """The figures, which the home keeps too."""
    code, out, err = vouch("evaluate", *words, "--json")
    assert code == 0, err
    found: dict[str, Any] = json.loads(out)
    kept = evaluation(home, Path(found.pop("report")).name)
    assert kept["figures"] == found and kept["made_with"]["hardware"] and list(home.glob("evaluate-*")) == []
    return found


def test_questions_of_squad_are_asked_over_all_paragraphs(vouch: Any, home: Path, tmp_path: Path) -> None:
    file = squad_layout(tmp_path / "squad.json")
    found = measured(vouch, home, "squad", file)
    assert (found["paragraphs"], found["answerable"], found["unanswerable"]) == (2, 2, 1)
    assert found["retrieval"]["answerable"]["final"]["R@1"] == 1 == found["holds"]["answerable"]
    assert found["spans"]["quoted"] > 0 == found["spans"]["not_found"]
    assert measured(vouch, home, "squad", file, "--limit", 1, "--seed", 3)["questions"] == 1
    told = vouch("evaluate", "squad", file, "--limit", 2)[1]
    assert "retrieval, " in told and "R@20" in told and " to " in told and "evaluations" in told
    assert vouch("evaluate", "squad", lines(tmp_path / "none.json", {"data": []}))[0] != 0


@needs_data
@pytest.mark.data
def test_real_paragraphs_are_found_for_their_questions(vouch: Any, home: Path) -> None:
    found = measured(vouch, home, "squad", Path(DATA) / "squad2" / "dev.json.gz", "--limit", 12)
    assert found["paragraphs"] == 329 and found["spans"]["not_found"] == 0
    assert found["retrieval"]["answerable"]["final"]["R@20"] >= 0.8


def two_papers(folder: Path) -> tuple[Path, Path]:
    papers = lines(folder / "papers.jsonl", *(
        {"paper_id": f"p{n}", "title": "Paper", "full_text": text} for n, (text, _) in enumerate(PARAGRAPHS)
    ))
    questions = lines(folder / "questions.jsonl", *(
        {"qid": f"q{n}", "paper_id": f"p{n}", "question": asked[0][0], "answer": asked[0][1], "evidence": [text]}
        for n, (text, asked) in enumerate(PARAGRAPHS)
    ))
    return papers, questions


def test_questions_on_papers_are_asked_inside_their_own_and_over_all(vouch: Any, home: Path, tmp_path: Path) -> None:
    papers, questions = two_papers(tmp_path)
    found = measured(vouch, home, "qasper", papers, questions)
    own, every = found["own paper"], found["all papers"]
    assert own["retrieved k=1"]["A over 0.7"] == 2 == every["questions"]
    assert own["paper"]["R@1"] == 1 and own["retrieved k=5"]["A"] == own["retrieved k=1"]["A"]    # no other passage
    assert every["retrieved k=3"]["A"] < own["retrieved k=3"]["A"] and own["answer"]["accuracy by containment"] == 1
    assert "own paper, retrieved k=1, A over 0.7" in vouch("evaluate", "qasper", papers, questions, "--limit", 1)[1]


def test_recipes_are_compared_on_papers_and_it_is_told_who_worded(vouch: Any, home: Path, tmp_path: Path) -> None:
    papers, questions = two_papers(tmp_path)
    recipes = measured(vouch, home, "qasper", papers, questions, "--recipes", "default,retrieve,guided")["recipes"]
    assert recipes["default"]["own paper"]["retrieved k=1"]["A over 0.7"] == 2
    assert recipes["retrieve"]["own paper"]["paper"]["R@1"] == 1 and "made_by" not in recipes["retrieve"]["own paper"]
    assert recipes["guided"]["own paper"]["made_by"]["guided_rerank"] == {"rules (no language model is set)": 2}
    told = vouch("evaluate", "qasper", papers, questions, "--recipes", "retrieve,guided")[1]
    assert "own paper, ROUGE-L A, k=5" in told and "guided, guided_rerank: by rules" in told


@needs_data
@pytest.mark.data
def test_evidence_of_real_papers_is_measured(vouch: Any, home: Path, tmp_path: Path) -> None:
    with gzip.open(Path(DATA) / "qasper" / "papers.jsonl.gz", "rt", encoding="utf-8") as file:
        papers = [json.loads(line) for line in islice(file, 2)]
    rows = map(json.loads, (Path(DATA) / "qasper" / "questions.jsonl").read_text(encoding="utf-8").splitlines())
    questions = [row for row in rows if row["paper_id"] in {paper["paper_id"] for paper in papers}]
    found = measured(vouch, home, "qasper", lines(tmp_path / "p", *papers), lines(tmp_path / "q", *questions))
    assert found["own paper"]["paper"]["R@1"] == 1 and found["own paper"]["spans"]["not_found"] == 0
    assert 0 < found["own paper"]["retrieved k=5"]["A"] < 1


def test_the_evaluator_is_measured_by_group(vouch: Any, home: Path, tmp_path: Path) -> None:
    rows = [{"question": asked[0][0], "passage": text, "label": int(mine == n), "kind": f"kind {mine}"}
            for n, (text, _) in enumerate(PARAGRAPHS) for mine, (_, asked) in enumerate(PARAGRAPHS)]
    pairs = lines(tmp_path / "pairs.jsonl", *rows)
    found = measured(vouch, home, "evaluator", pairs)
    assert found["n"] == 4 and {name: one["n"] for name, one in found["groups"].items()} == {"kind 0": 2, "kind 1": 2}
    assert "groups" not in measured(vouch, home, "evaluator", pairs, "--by", "topic")


def test_questions_on_filings_are_asked_with_and_without_their_filing(vouch: Any, home: Path, tmp_path: Path) -> None:
    pages = lines(tmp_path / "pages.jsonl", *(
        {"doc_name": f"{name}_2018", "page": page, "text": f"{name} spent {amount} crowns on {what} in every year."}
        for name, first in (("ACME", 1000), ("BOLT", 2000))
        for page, (what, amount) in enumerate((("machines", first + 577), ("travel", first + 12)))
    ))
    questions = lines(tmp_path / "questions.jsonl", {
        "financebench_id": "1", "question": "How many crowns were spent on machines?", "answer": "$1,577.00",
        "doc_name": "ACME_2018", "evidence": [{"doc_name": "ACME_2018", "evidence_page_num": 0}],
    })
    found = measured(vouch, home, "financebench", pages, questions)
    assert found["pages"] == 4 and found["own filing"]["page"]["R@1"] == 1 == found["own filing"]["filing"]["R@1"]
    assert found["own filing"]["number answers"]["quoted"] == 1 and found["all filings"]["page"]["R@5"] == 1
