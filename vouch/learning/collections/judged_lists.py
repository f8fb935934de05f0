"""Candidate lists with labels: what an evaluator learns from, is calibrated on and judged by.

`given`: an openqa question with the passages that came with it. The other
kinds are searched as served, among the paragraphs of SQuAD: `present` as it
is, `near` with the answering paragraph hidden, `absent` with its whole
article hidden, `off_topic` for an openqa question, which nothing there
answers.
"""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from vouch.batches import batches
from vouch.learning.collections.collection import Collection, text_passage
from vouch.learning.collections.labeled import LabeledQuestion, Reading, TrainingData
from vouch.learning.statistics.splits import Split, split_of, united
from vouch.ports.models import Analyser, Encoder, Reranker
from vouch.values.candidate import Candidate

Kind = Literal["given", "present", "near", "absent", "off_topic"]
Progress = Callable[[str, int, int], None]
_AT_ONCE = 40                           # given lists described together, to fill the encoder's batches
_SAMPLE: Mapping[Split, int] = {"train": 250, "calibration": 120, "test": 120}


@dataclass(frozen=True, slots=True)
class JudgedList:
    """Features and labels (1: holds the answer) of the candidates of one question."""

    kind: Kind
    split: Split
    features: tuple[Mapping[str, float], ...]
    labels: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Scorers:
    encoder: Encoder
    reranker: Reranker
    analyser: Analyser
    weights: str = ""                   # which model the encoder is
    reranked_with: str = ""             # which one the reranker is

    def collection(self, texts: Sequence[tuple[str, str]]) -> Collection:
        """Of (title, text)."""
        passages = [text_passage(n, title, text) for n, (title, text) in enumerate(texts)]
        return Collection(passages, self.encoder, self.reranker, self.analyser)


def openqa_splits(questions: Sequence[LabeledQuestion]) -> list[Split]:
    """By question and titles together: questions that share an article are never parted."""
    names = united([f"question: {q.question}", *(p.title for p in q.passages)] for q in questions)
    return [split_of(name) for name in names]


def given_lists(
    questions: Sequence[LabeledQuestion], scorers: Scorers, progress: Progress, *, only: Sequence[int] | None = None
) -> Iterator[JudgedList]:
    """The lists of `questions` (or of those at the positions `only`), statistics from all of their passages."""
    splits = openqa_splits(questions)
    wanted = range(len(questions)) if only is None else only
    texts = dict.fromkeys((p.title, p.text) for i in wanted for p in questions[i].passages)
    ids = {text: f"{n:08d}" for n, text in enumerate(texts)}
    progress("passages", 0, len(texts))
    collection = scorers.collection(list(texts))
    for done, some in enumerate(batches(wanted, _AT_ONCE)):
        progress("given lists", done * _AT_ONCE, len(wanted))
        chosen = [questions[i] for i in some]
        lists = collection.given([(q.question, [ids[p.title, p.text] for p in q.passages]) for q in chosen])
        for i, question, candidates in zip(some, chosen, lists, strict=True):
            yield _judged("given", splits[i], candidates, [p.has_answer for p in question.passages])


def served_lists(data: TrainingData, scorers: Scorers, seed: int, progress: Progress) -> Iterator[JudgedList]:
    """A seeded sample per split and kind."""
    draw = random.Random(seed)  # noqa: S311 - a sample, no secret
    collection = scorers.collection([(r.title, r.text) for r in data.squad])
    splits = openqa_splits(data.openqa)
    for split, size in _SAMPLE.items():
        asked = [(n, q) for n, r in enumerate(data.squad) if split_of(r.title) == split for q, a in r.questions if a]
        strangers = [q.question for q, s in zip(data.openqa, splits, strict=True) if s == split]
        for done, (row, question) in enumerate(draw.sample(asked, min(size, len(asked)))):
            progress(f"served lists, {split}", done, size)
            own = f"{row:08d}"
            yield _served("present", split, collection.judged(question), own)
            yield _served("absent", split, collection.judged(question, hidden=_article(data.squad, row)), own)
            if split != "train":
                yield _served("near", split, collection.judged(question, hidden=[own]), own)
        if split != "train":
            for question in draw.sample(strangers, min(size, len(strangers))):
                yield _served("off_topic", split, collection.judged(question), "")


def _article(readings: Sequence[Reading], row: int) -> list[str]:
    return [f"{n:08d}" for n, reading in enumerate(readings) if reading.title == readings[row].title]


def _served(kind: Kind, split: Split, candidates: Sequence[Candidate], own: str) -> JudgedList:
    return _judged(kind, split, candidates, [c.chunk_id == own for c in candidates])


def _judged(kind: Kind, split: Split, candidates: Sequence[Candidate], labels: Sequence[bool]) -> JudgedList:
    return JudgedList(kind, split, tuple(c.features for c in candidates), tuple(map(float, labels)))
