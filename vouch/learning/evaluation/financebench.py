"""FinanceBench: questions on pages of company filings (Islam et al. 2023), with and without the right one named."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from vouch.learning.collections.asked import Asked, told_spans
from vouch.learning.evaluation.answer_words import is_number, says
from vouch.learning.statistics.metrics import first_place, told_all, told_recall

DEPTHS = (1, 5, 10, 50)


@dataclass(frozen=True, slots=True)
class FilingQuestion:
    """`pages`: paths of the pages that hold the evidence, below the folder of the filing."""

    id: str
    text: str
    filing: str
    answer: str
    pages: frozenset[str]


def financebench_figures(questions: Sequence[FilingQuestion], asked: Sequence[Asked]) -> dict[str, Any]:
    """A page ranks by the best of its passages; that all answers are there is known, so a decline is a refusal."""
    rows = list(zip(questions, asked, strict=True))
    pages = [(q, list(dict.fromkeys(p.path for p in a.final))) for q, a in rows]
    figured = [(q, a) for q, a in rows if is_number(q.answer)]
    return {
        "questions": len(rows),
        "page": told_recall([first_place(path in q.pages for path in paths) for q, paths in pages], DEPTHS),
        "filing": told_recall([first_place(path.startswith(f"{q.filing}/") for path in paths) for q, paths in pages],
                              DEPTHS),
        "number answers": {
            "questions": len(figured),
            **told_all({"quoted": [says(" ".join(a.quotes), q.answer) for q, a in figured]}),
        },
        "refused": told_all({"declined": [a.answer.action == "declined" for _, a in rows],
                             "given as certain": [a.answer.action == "answered" for _, a in rows]}),
        "spans": told_spans(a.spans for a in asked),
    }  # fmt: skip
