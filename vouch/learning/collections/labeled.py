"""Labeled data, as read from data sets: questions with passages that do or do not hold the answer."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LabeledPassage:
    title: str
    text: str
    has_answer: bool


@dataclass(frozen=True, slots=True)
class LabeledQuestion:
    """A question, the answers that count as right, and the passages some search engine found for it."""

    question: str
    answers: tuple[str, ...]
    passages: tuple[LabeledPassage, ...]


@dataclass(frozen=True, slots=True)
class Reading:
    """A paragraph of an article and the questions on it: (question, answers); no answers, not answerable."""

    title: str
    text: str
    questions: tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True, slots=True)
class TrainingData:
    openqa: tuple[LabeledQuestion, ...]
    squad: tuple[Reading, ...]
