"""Labeled data as read from data sets, and the pairs with twins that a judge is trained on.

Twins are two questions with one passage, of which it answers one, or two
passages with one question: what tells them apart is the answer, not the topic.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from vouch.errors import BadInput
from vouch.learning.statistics.splits import Split, split_of


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


TWINS, OTHERS = 12, 8                   # of a batch: pairs of twins, and single rows, half of them answers
_FEW = 20                               # fewer pairs of twins would be learned by heart, and measure nothing
ROWS = 2 * TWINS + OTHERS


@dataclass(frozen=True, slots=True)
class JudgedPair:
    """`group`: what it is split by, such as its article. `twin` is the same for both of two twins, else empty.

    `place`: the first character of the passage's words that answer, and the one behind them, where they are known.
    """

    question: str
    passage: str
    answers: bool
    title: str = ""
    group: str = ""
    twin: str = ""
    place: tuple[int, int] | None = None


Row = tuple[str, str]                   # a question and the text it is judged with


@dataclass(frozen=True, slots=True)
class Drawn:
    """Rows with their labels; `places` are characters of a row's text."""

    rows: tuple[Row, ...]
    labels: tuple[float, ...]
    places: tuple[tuple[int, int] | None, ...]

    def __add__(self, other: "Drawn") -> "Drawn":
        return Drawn(self.rows + other.rows, self.labels + other.labels, self.places + other.places)


def in_split(pairs: Sequence[JudgedPair], split: Split) -> list[JudgedPair]:
    """By group; without one by the passage, so that twins stay together."""
    return [pair for pair in pairs if split_of(pair.group or pair.passage) == split]


class Batches:
    """Batches drawn by seed and number, so that a run that is resumed goes on as if it had not stopped."""

    def __init__(self, pairs: Sequence[JudgedPair], seed: int) -> None:
        """Raises BadInput unless some passages answer and some do not."""
        twins = _twins(pairs)
        self._twins = twins if len(twins) >= _FEW else []
        self._right = [pair for pair in pairs if pair.answers]
        self._wrong = [pair for pair in pairs if not pair.answers]
        self._single = [pair for pair in self._wrong if not pair.twin] or self._wrong
        self._seed = seed
        if not self._right or not self._wrong:
            raise BadInput("a judge learns from passages that answer and from others that do not",
                           cure="give pairs of both labels, of several groups")

    @property
    def has_twins(self) -> bool:
        return bool(self._twins)

    def draw(self, number: int) -> Drawn:
        """32 rows. With twins, rows 0 and 1, 2 and 3, ... to 23 are an answer and its twin.

        A title stands before the passage half of the time.
        """
        random = np.random.default_rng([self._seed, number])
        drawn: list[JudgedPair] = []
        if self._twins:
            drawn += [twin for i in random.integers(0, len(self._twins), TWINS) for twin in self._twins[i]]
        half = (ROWS - len(drawn)) // 2
        for pool in (self._right, self._single):
            drawn += [pool[i] for i in random.integers(0, len(pool), half)]
        titled = random.random(len(drawn)) < 0.5
        rows = tuple(row_of(pair, titled=bool(t)) for pair, t in zip(drawn, titled, strict=True))
        return Drawn(rows, tuple(float(pair.answers) for pair in drawn),
                     tuple(_place(pair, row) for pair, row in zip(drawn, rows, strict=True)))


def row_of(pair: JudgedPair, *, titled: bool = True) -> Row:
    """As the reranker is given a passage: its title comes before it."""
    return pair.question, f"{pair.title}\n{pair.passage}" if titled and pair.title else pair.passage


def _place(pair: JudgedPair, row: Row) -> tuple[int, int] | None:
    """In the text of the row, which ends with the passage."""
    if pair.place is None or not pair.answers:
        return None
    before = len(row[1]) - len(pair.passage)
    return pair.place[0] + before, pair.place[1] + before


def near_misses(pairs: Sequence[JudgedPair], most: int, seed: int) -> list[JudgedPair]:
    """At most so many, drawn, of twins with one passage if there are enough: what a judge is chosen by."""
    twins = [both for both in _twins(pairs) if both[0].passage == both[1].passage]
    hard = [one for both in twins for one in both] if len(twins) >= _FEW else list(pairs)
    if len(hard) <= most:
        return hard
    drawn = np.random.default_rng(seed).permutation(len(hard))[:most]
    return [hard[i] for i in sorted(drawn)]


def _twins(pairs: Sequence[JudgedPair]) -> list[tuple[JudgedPair, JudgedPair]]:
    """Of a pair that is there twice there are two."""
    found = []
    for _, both in groupby(sorted((pair for pair in pairs if pair.twin), key=_key), key=_key):
        halves: tuple[list[JudgedPair], list[JudgedPair]] = ([], [])
        for pair in both:
            halves[not pair.answers].append(pair)
        found += list(zip(*halves, strict=False))
    return found


def _key(pair: JudgedPair) -> tuple[str, str]:
    return pair.group, pair.twin
