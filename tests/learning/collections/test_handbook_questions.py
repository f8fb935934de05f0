"""The questions about handbooks: each names a section that is there and words in it, and makes twins of one passage."""

import os
import sys
from collections import defaultdict
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[3] / "benchmarks" / "handbooks"
DATA = os.environ.get("VOUCH_DATA", "")
pytestmark = [pytest.mark.data, pytest.mark.skipif(not DATA, reason="VOUCH_DATA names no folder with the data sets")]


def test_every_question_is_of_a_section_and_twins_share_its_passage(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(FOLDER), *sys.path])
    from pairs import PART, pairs, questions, sections

    asked, texts = questions(), sections(Path(DATA))
    rows = [row for rows in asked.values() for row in rows]
    assert len(rows) == 7488 and len({(row["section"], row["question"]) for row in rows}) == len(rows)
    answers = {
        (row["question"], f"{row['repo']}/{row['path']}"): texts[key]["text"][slice(*row["answer"])]
        for key, rows in asked.items() for row in rows if row["answer"]
    }
    twins = defaultdict(list)
    for one in pairs(asked, texts):
        if one["label"]:
            words = answers[one["question"], one["group"]]
            assert words.strip() and words in one["passage"]
            assert len(one["passage"]) <= max(PART, len(words)) + PART // 4
        if "pair" in one:
            twins[one["group"], one["pair"]].append(one)
    assert len(twins) > 1000
    for two in twins.values():
        assert sorted(one["label"] for one in two) == [0, 1] and len({one["passage"] for one in two}) == 1
