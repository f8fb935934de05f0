"""Answers measured by what they were written from, and a judge of that without a language model.

The four are those of Ragas (Es et al. 2023, arXiv 2309.15217), with the two
on the context as its documentation defines them; docs/evaluation.md says what
is counted here, and in what it differs.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from vouch.answering.verification.citations import LEAST_CLOSENESS
from vouch.answering.verification.numbers import unsupported
from vouch.documents.chunk import plain
from vouch.learning.collections.asked import Asked
from vouch.learning.collections.golden import GoldenQuestion, holds_half
from vouch.learning.statistics.metrics import told_all
from vouch.ports.models import Reranker

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
    answered = [judged for case, judged in rows if case.statements]
    there = [(case, judged) for case, judged in rows if case.question.answerable and case.known]
    return {
        "questions": len(rows), "answers": len(answered), "with known quotations": len(there),
        **told_all({
            "faithfulness": [sum(judged.supported) / len(judged.supported) for judged in answered],
            "answer relevance": [judged.relevance for judged in answered],
            "context precision": [average_precision(judged.useful) for _, judged in there],
            "context recall": [recall(case.question, judged.held) for case, judged in there],
        }),
    }


class OfflineRagJudge:
    """Implements RagJudge: by words, by token vectors, and by a judge of question and passage where there is one.

    A passage holds a statement that stands in it, or that it is close to and
    has every number of. Of what is known half is enough, in one piece.
    """

    name = "offline"

    def __init__(self, closeness: Reranker, judge: Reranker | None) -> None:
        """`closeness` gives cosines, `judge` log-odds that a passage answers a question."""
        self._closeness, self._judge = closeness, judge

    def judge(self, case: RagCase) -> RagJudged:
        known = [text for alternatives in case.known for text in alternatives]
        near = self._near([*dict.fromkeys([*case.statements, *known])], case.passages)
        holds = {text: [close or holds_half(text, one) for one, close in zip(case.passages, near[text], strict=True)]
                 for text in known}
        return RagJudged(
            tuple(any(near[text]) for text in case.statements),
            tuple(any(holds[text][n] for text in known) for n in range(len(case.passages))),
            tuple(any(any(holds[text]) for text in alternatives) for alternatives in case.known),
            self._relevance(case.question.text, " ".join(case.statements)),
        )

    def _near(self, texts: Sequence[str], passages: Sequence[str]) -> dict[str, list[bool]]:
        """By text, whether each passage holds it. All pairs are scored in one call."""
        scores = self._closeness.scores([(plain(text), plain(one)) for text in texts for one in passages])
        wide = len(passages)
        return {text: [_holds(text, *pair) for pair in zip(passages, scores[n * wide : (n + 1) * wide], strict=True)]
                for n, text in enumerate(texts)}

    def _relevance(self, question: str, answer: str) -> float:
        if not answer:
            return 0.0
        [score] = (self._judge or self._closeness).scores([(question, plain(answer))])
        if self._judge is None:
            return min(max(score, 0.0), 1.0)
        return 1.0 / (1.0 + math.exp(-max(-50.0, min(50.0, score))))


def _holds(text: str, passage: str, closeness: float) -> bool:
    there = " ".join(plain(text).split()) in " ".join(plain(passage).split())
    return there or (closeness >= LEAST_CLOSENESS and not unsupported(text, passage))
