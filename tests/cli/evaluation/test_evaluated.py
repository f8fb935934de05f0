"""What `vouch evaluate` says of figures, without a model that makes them."""

from pathlib import Path
from typing import Any

import pytest

FIGURES: dict[str, Any] = {
    "judged by": "offline", "asked_by_others": 0, "questions": 3, "answers": 2, "with known quotations": 2,
    "faithfulness": 0.75, "faithfulness_interval": [0.5, 1.0], "not_judged": 0,
    "kinds": {"fact": {"questions": 2, "answers": 2, "faithfulness": 0.75, "faithfulness_interval": [0.5, 1.0]},
              "none": {"questions": 1, "answers": 0}},
}
GRADED: dict[str, Any] = {
    "answerable": {"questions": 4, **{name: value for key, share in (("cited", 0.0), ("shown", 0.0), ("declined", 1.0))
                                      for name, value in ((key, share), (f"{key}_interval", [share, share]))}},
    "kinds": {}, "spans": {"quoted": 0, "not_found": 0}, "asked_by_others": 0,
}


def measured(monkeypatch: pytest.MonkeyPatch, what: str, figures: dict[str, Any]) -> None:
    monkeypatch.setattr(what, lambda *given: (figures, Path("report")))


def test_figures_of_rag_have_names_for_people_and_a_column_for_each_kind(
    vouch: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    measured(monkeypatch, "cli.wiring.evaluation.rag.evaluate_rag", FIGURES)
    code, out, _ = vouch("evaluate", "rag", "questions.jsonl")
    assert code == 0 and "not_judged" not in out and "kinds," not in out
    lines = out.splitlines()
    assert lines[1].split() == ["figure", "all", "fact", "none"]
    [held] = [line for line in lines if line.startswith("faithfulness: statements that the passages hold")]
    assert held.count("0.750 (0.500-1.000)") == 2 and any(line.split()[-3:] == ["2", "2", "0"] for line in lines)


@pytest.mark.parametrize(("command", "place", "figures", "none_missed"), [
    ("answers", "cli.wiring.evaluation.served.evaluate_answers", GRADED,
     {"answerable": GRADED["answerable"] | {"declined": 0.0}}),
    ("rag", "cli.wiring.evaluation.rag.evaluate_rag", FIGURES, {"answers": 3}),
])
def test_that_only_the_public_asked_is_told_where_answers_are_missing(
    vouch: Any, monkeypatch: pytest.MonkeyPatch, command: str, place: str, figures: dict[str, Any],
    none_missed: dict[str, Any],
) -> None:  # fmt: skip
    for changes, told in (({}, True), ({"asked_by_others": 1}, False), (none_missed, False)):
        measured(monkeypatch, place, figures | changes)
        code, _, err = vouch("evaluate", command, "questions.jsonl")
        assert code == 0 and ("--reader CORPUS=TAG" in err and "asked by public" in err) == told, (changes, err)


def test_each_question_that_went_wrong_is_listed_if_wanted(vouch: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = {"title": "Pay", "section": [], "source": "docs", "path": "pay.md", "lines": [3, 4], "page": None,
             "quote": "The head of sales\nearns much."}
    weeks = {"path": "leave.md", "quote": "Parents get twelve weeks."}
    common = {"reason": "", "all_needed": False, "place": None}
    failures = [
        {"id": "a", "question": "How long is leave?", "wrong": "answered", "shown": [shown], "expected": [weeks],
         **common, "place": 4},
        {"id": "b", "question": "And twins?", "wrong": "declined", "shown": [], "expected": [weeks, weeks],
         **common, "reason": "nothing fits"},
        {"id": "c", "question": "Who won?", "wrong": "answered", "shown": [shown], "expected": [], **common},
    ]
    for command, place in (("answers", "evaluate_answers"), ("golden", "evaluate_golden")):
        measured(monkeypatch, f"cli.wiring.evaluation.served.{place}", GRADED | {"failures": failures})
        named = ["questions.jsonl"] if command == "answers" else []
        code, out, _ = vouch("evaluate", command, *named, "--failures")
        assert code == 0
        assert out.partition("3 questions went wrong:\n\n")[2].partition("report:")[0].splitlines()[:14] == [
            "a: How long is leave?",
            "  wrong: answered with something else",
            '  shown: Pay (docs:pay.md, lines 3-4): "The head of sales earns much."',
            '  expected: leave.md: "Parents get twelve weeks."',
            "  found: in passage 4 of the final order",
            "",
            "b: And twins?",
            "  wrong: declined, though a document answers it: nothing fits",
            "  shown: nothing",
            '  expected one of: leave.md: "Parents get twelve weeks."',
            '  expected one of: leave.md: "Parents get twelve weeks."',
            "  found: in no passage",
            "",
            "c: Who won?",
        ]
        assert "answered, though no document is known to answer it" in out and "expected: to be declined" in out
        assert "went wrong" not in vouch("evaluate", command, *named)[1]
        measured(monkeypatch, f"cli.wiring.evaluation.served.{place}", GRADED | {"failures": []})
        assert "no question went wrong" in vouch("evaluate", command, *named, "--failures")[1]
