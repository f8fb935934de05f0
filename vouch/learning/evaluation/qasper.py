"""QASPER: questions on scientific papers, with the passages of the paper that answer them (Dasigi et al. 2021).

Evidence is compared by ROUGE-L in two definitions. A: of each passage that
was retrieved the highest figure over the known pieces, then the mean over
passages. B: of each known piece the highest over passages, then the mean over
pieces. A rewards one short exact passage, B finding all; k is how many
passages were taken.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from vouch.learning.collections.asked import Asked, told_spans
from vouch.learning.evaluation.answer_words import holds, overlap, rouge_l, rouge_words
from vouch.learning.statistics.metrics import told_all
from vouch.values.candidate import Passage

DEPTHS = (1, 3, 5)
BOUNDS = (0.7, 0.5, 0.3)
Stem = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class PaperQuestion:
    """`path`: of its paper's document; `answers`, `evidence`: known ones, in the paper's words."""

    id: str
    text: str
    path: str
    answers: tuple[str, ...]
    evidence: tuple[str, ...]


def evidence_scores(passages: Sequence[str], pieces: Sequence[str], stem: Stem) -> tuple[float, float]:
    """By definition A and by definition B; 0 without passages."""
    if not passages or not pieces:
        return 0.0, 0.0
    known = [rouge_words(piece, stem) for piece in pieces]
    rows = [[rouge_l(words, piece) for piece in known] for words in (rouge_words(text, stem) for text in passages)]
    return (sum(max(row) for row in rows) / len(rows),
            sum(max(column) for column in zip(*rows, strict=True)) / len(known))


def qasper_figures(questions: Sequence[PaperQuestion], asked: Sequence[Asked], stem: Stem) -> dict[str, Any]:
    """Of one way of asking: in the question's own paper, or over all papers."""
    rows = list(zip(questions, asked, strict=True))
    known = [(q, a) for q, a in rows if q.evidence]
    figures: dict[str, Any] = {"questions": len(rows)}
    for name, passages in (("retrieved", _final), ("quoted", _quoted)):
        depths = DEPTHS if name == "retrieved" else (0,)
        for k in depths:
            scored = [evidence_scores(passages(a, k), q.evidence, stem) for q, a in known]
            figures[f"{name} k={k}" if k else name] = _evidence(scored)
    most = max(DEPTHS)
    figures |= told_all({f"passages at k={most}": [len(a.final[:most]) for _, a in rows]})
    if by := _made_by(asked):
        figures["made_by"] = by
    answered = [(q.answers, a.quotes) for q, a in rows if q.answers]
    figures["answer"] = told_all({
        "F1 of the first quotation": [overlap(quotes[0] if quotes else "", answers) for answers, quotes in answered],
        "accuracy by containment": [holds(" ".join(quotes), answers) for answers, quotes in answered],
        "declined": [a.answer.action == "declined" for _, a in rows],
    })  # fmt: skip
    figures["paper"] = told_all({
        f"R@{k}": [any(p.path == q.path for p in a.final[:k]) for q, a in rows] for k in DEPTHS
    })
    figures["spans"] = told_spans(a.spans for a in asked)
    return figures


def _evidence(scored: Sequence[tuple[float, float]]) -> dict[str, Any]:
    """Counts are of questions, by definition A."""
    return {
        **told_all({"A": [a for a, _ in scored], "B": [b for _, b in scored]}),
        **{f"A over {bound}": sum(a > bound for a, _ in scored) for bound in BOUNDS},
    }


def _made_by(asked: Sequence[Asked]) -> dict[str, dict[str, int]]:
    """By step of the recipe, how many questions who suggested words to search by."""
    by: dict[str, Counter[str]] = {}
    for one in asked:
        for step in one.answer.recipe_steps:
            by.setdefault(step.step, Counter())[step.by] += 1
    return {step: dict(counts) for step, counts in by.items()}


def _final(asked: Asked, k: int) -> list[str]:
    passages: Sequence[Passage] = asked.final[:k]
    return [one.text for one in passages]


def _quoted(asked: Asked, _: int) -> list[str]:
    return asked.quotes
