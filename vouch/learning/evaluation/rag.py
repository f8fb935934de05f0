"""Answers measured by what they were written from: faithfulness, answer relevance, context precision and recall.

The four are those of Ragas (Es et al. 2023, arXiv 2309.15217), with the two
on the context as its documentation defines them; docs/evaluation.md says what
is counted here, and in what it differs.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from vouch.learning.collections.asked import Asked
from vouch.learning.collections.golden import GoldenQuestion
from vouch.learning.statistics.told_shares import told_all

Alternatives = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RagCase:
    """`passages`: those that the writer was given, in its order. `known`: quotations that answer, with alternatives."""

    question: GoldenQuestion
    statements: tuple[str, ...]
    passages: tuple[str, ...]
    known: tuple[Alternatives, ...]


@dataclass(frozen=True, slots=True)
class RagJudged:
    """In the order of the case: whether the passages hold a statement, a passage is of use, and the passages hold any
    alternative of what is known. `relevance`: of the answer to the question, from 0 to 1; 0 without an answer."""

    supported: tuple[bool, ...]
    useful: tuple[bool, ...]
    held: tuple[bool, ...]
    relevance: float


class RagJudge(Protocol):
    @property
    def name(self) -> str: ...

    def judge(self, case: RagCase) -> RagJudged:
        """Raises ModelDown where its model gives nothing that can be used."""
        ...


def rag_case(question: GoldenQuestion, asked: Asked) -> RagCase:
    """Of a declined question there is no statement, whatever is said instead."""
    answer = asked.answer
    held = {one.chunk_id: one for one in asked.final}
    passages = [held[one.chunk_id].text for one in answer.evidence if one.chunk_id in held]
    passages += dict.fromkeys(one.quote for one in answer.citations if one.origin == "external")
    said = [] if answer.action == "declined" else [one.text for one in answer.sentences]
    known = tuple(tuple(one.text for one in alternatives) for alternatives in question.gold)
    return RagCase(question, tuple(said), tuple(passages), known)


def rag_figures(rows: Iterable[tuple[RagCase, RagJudged | None]]) -> dict[str, Any]:
    """Over all questions and by kind; None: the judge gave nothing, and the question counts for nothing."""
    every = list(rows)
    judged = [(case, one) for case, one in every if one is not None]
    kinds: dict[str, list[tuple[RagCase, RagJudged]]] = {}
    for case, one in judged:
        kinds.setdefault(case.question.kind or "all", []).append((case, one))
    return {**_figures(judged), "not_judged": len(every) - len(judged),
            "kinds": {kind: _figures(some) for kind, some in sorted(kinds.items())}}


def average_precision(useful: Sequence[bool]) -> float:
    """The mean of the precision at each place that is of use; 0 where none is."""
    at = [sum(useful[:place]) / place for place, one in enumerate(useful, 1) if one]
    return sum(at) / len(at) if at else 0.0


def recall(question: GoldenQuestion, held: Sequence[bool]) -> float:
    """The share that is held of what a question needs; where one is enough, whether any is."""
    if not held:
        return 0.0
    return sum(held) / len(held) if question.needs_all else float(any(held))


def _figures(rows: Sequence[tuple[RagCase, RagJudged]]) -> dict[str, Any]:
    said = [one for case, one in rows if case.statements]
    there = [(case, one) for case, one in rows if case.question.answerable and case.known]
    return {
        "questions": len(rows), "answers": len(said), "with known quotations": len(there),
        **told_all({
            "faithfulness": [sum(one.supported) / len(one.supported) for one in said],
            "answer relevance": [one.relevance for one in said],
            "context precision": [average_precision(one.useful) for _, one in there],
            "context recall": [recall(case.question, one.held) for case, one in there],
        }),
    }
