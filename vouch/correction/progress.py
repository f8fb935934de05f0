"""Progress: who waits is told how far a question is, in few stages, and each sentence of its answer."""

import time
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from vouch.answering.verification.citations import Citation, Sentence
from vouch.messages import QuestionAsked, QuestionProgress, Stage, StageDone


class Listener(Protocol):
    """Told within the work, so it returns at once and raises nothing."""

    def stage(self, name: str) -> None:
        """A stage begins, such as `retrieve` or `write`."""
        ...

    def counted(self, name: str, number: int) -> None:
        """What a stage has come to. It depends on nothing that the question's readers may not read."""
        ...

    def over(self) -> None:
        """Nothing more comes: the answer is on its way."""
        ...

    def sentence(self, sentence: Sentence, citations: Sequence[Citation]) -> None:
        """It holds, by these citations, which its readers may read at this moment.

        If the documents or rules change meanwhile the answer is made again, and may not have it any more.
        """
        ...


TOLD_AS: Mapping[str, Stage] = {
    "retrieve": "retrieve", "fuse": "retrieve", "expand": "retrieve", "rerank": "rerank", "evaluate": "evaluate",
    "outside": "web", "refine": "refine", "pack": "refine", "write": "cite", "verify": "cite",
}  # fmt: skip
"""What each stage of the loop is told as."""


class Course:
    """A Listener of one try to answer a question: tells the whole course at the beginning of each stage.

    What `tell` does it does at once, and it raises nothing. One thread works it.
    """

    def __init__(
        self, question: QuestionAsked, begun_at: datetime, tell: Callable[[QuestionProgress], object],
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:  # fmt: skip
        self._question, self._begun_at, self._tell, self._monotonic = question, begun_at, tell, monotonic
        self._number = 0
        self._done: list[StageDone] = []
        self._stage: Stage | None = None
        self._count: int | None = None
        self._since = monotonic()

    def stage(self, name: str) -> None:
        """A second `retrieve` begins anew: the first is forgotten."""
        told = TOLD_AS.get(name)
        if name == "retrieve":
            self._done, self._stage = [], None
        if told is not None and told != self._stage:
            self._next(told)

    def over(self) -> None:
        if self._stage is not None:
            self._next(None)

    def _next(self, told: Stage | None) -> None:
        now = self._monotonic()
        if self._stage is not None:
            ms = max(0, round((now - self._since) * 1000))
            self._done.append(StageDone(stage=self._stage, count=self._count, ms=ms))
        self._stage, self._count, self._since = told, None, now
        self._number += 1
        self._tell(QuestionProgress(
            question_id=self._question.id, surface=self._question.surface, begun_at=self._begun_at,
            number=self._number, done=tuple(self._done), stage=told,
        ))  # fmt: skip

    def counted(self, name: str, number: int) -> None:
        if TOLD_AS.get(name) == self._stage:
            self._count = number

    def sentence(self, sentence: Sentence, citations: Sequence[Citation]) -> None:
        """Words are no part of it."""
