"""Judges answers by what they were written from, without a language model."""

import math
from collections.abc import Sequence

from vouch.answering.numbers import unsupported
from vouch.answering.support import LEAST_CLOSENESS
from vouch.documents.chunk import plain
from vouch.learning.collections.golden import holds_half
from vouch.learning.evaluation.rag import RagCase, RagJudged
from vouch.ports.reranker import Reranker


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
