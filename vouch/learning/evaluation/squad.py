"""SQuAD 2.0 asked openly: each question over all paragraphs at once, as over documents that nobody chose for it."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from vouch.errors import BadInput
from vouch.learning.collections.asked import Asked, told_spans
from vouch.learning.collections.labeled import Reading
from vouch.learning.evaluation.answer_words import exact, holds, overlap
from vouch.learning.evaluator.evaluator_figures import risk_coverage
from vouch.learning.statistics.metrics import first_place, told_all, told_auc, told_recall

DEPTHS = (1, 3, 5, 20)


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """`answers`: none where the paragraph does not answer it. `path`: of its paragraph's document."""

    id: str
    text: str
    path: str
    answers: tuple[str, ...]


def paragraph_id(number: int) -> str:
    """Of the paragraph that comes so many after the first."""
    return f"paragraph-{number:06d}"


def open_questions(readings: Sequence[Reading], limit: int | None, seed: int) -> list[OpenQuestion]:
    """Those of all paragraphs, or `limit` of them drawn by the seed, in their order. Raises BadInput without any."""
    every = [
        OpenQuestion(f"{number}-{index}", text, f"{paragraph_id(number)}.md", answers)
        for number, reading in enumerate(readings) for index, (text, answers) in enumerate(reading.questions)
    ]
    if not every:
        raise BadInput("there is no question", cure="give a file in the layout of SQuAD")
    if limit is None or limit >= len(every):
        return every
    drawn = random.Random(seed).sample(range(len(every)), limit)  # noqa: S311 - a sample, no secret
    return [every[index] for index in sorted(drawn)]


def squad_figures(questions: Sequence[OpenQuestion], asked: Sequence[Asked]) -> dict[str, Any]:
    """`figures` and `risk_coverage`.

    What is quoted is the first quotation, as SQuAD knows one answer a
    question; what was declined is no answer. `answered` takes what was given
    as certain alone for an answer, `shown` whatever was shown. `holds`: a
    known answer stands in anything that is quoted.
    """
    rows = list(zip(questions, asked, strict=True))
    there = [(q, a) for q, a in rows if q.answers]
    absent = [(q, a) for q, a in rows if not q.answers]
    best = [a.best for a in asked]
    shown = [(q, a) for q, a in rows if a.quotes]
    return {
        "figures": {
            "questions": len(rows), "answerable": len(there), "unanswerable": len(absent),
            "retrieval": {name: _retrieval(kind) for name, kind in (("answerable", there), ("unanswerable", absent))
                          if kind},
            "answered": _answers(rows, certain=True), "shown": _answers(rows, certain=False),
            "holds": told_all({"answerable": [holds(" ".join(a.quotes), q.answers) for q, a in there]}),
            "abstention": {
                **told_auc([bool(q.answers) for q in questions], best),
                **told_all({"declined of unanswerable": [not a.quotes for _, a in absent],
                            "declined of answerable": [not a.quotes for _, a in there]}),
            },
            "spans": told_spans(a.spans for a in asked),
        },
        "risk_coverage": risk_coverage([holds(" ".join(a.quotes), q.answers) for q, a in shown],
                                       [a.best for _, a in shown], len(rows)),
    }  # fmt: skip


def _retrieval(rows: Sequence[tuple[OpenQuestion, Asked]]) -> dict[str, Any]:
    """Of the question's own paragraph, which ranks by the best of its passages; others do not count twice either."""
    orders = {"fused": [(q, a.fused) for q, a in rows], "final": [(q, a.final) for q, a in rows]}
    return {
        name: told_recall([
            first_place(path == q.path for path in dict.fromkeys(p.path for p in passages)) for q, passages in order
        ], DEPTHS)
        for name, order in orders.items()
    }


def _answers(rows: Sequence[tuple[OpenQuestion, Asked]], *, certain: bool) -> dict[str, Any]:
    given = [(q, _given(a, certain=certain)) for q, a in rows]
    return {
        name: told_all({"EM": [exact(text, q.answers) for q, text in some],
                        "F1": [overlap(text, q.answers) for q, text in some]})
        for name, some in (("all", given), ("answerable", [(q, t) for q, t in given if q.answers]),
                           ("unanswerable", [(q, t) for q, t in given if not q.answers])) if some
    }  # fmt: skip


def _given(asked: Asked, *, certain: bool) -> str:
    return asked.quotes[0] if asked.quotes and (not certain or asked.answer.action == "answered") else ""
