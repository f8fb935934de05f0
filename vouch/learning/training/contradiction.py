"""Who contradicts by votes what all others teach: whoever does has no part in a fit.

Caps bound what one person weighs, and no number of people: a fifth of all who
vote a lot against the truth would turn a fit round. So the votes of each are
held against an order that was learned from others, with the fifth of people
who did most bounded to BESIDE. Where somebody's votes up fall on what stands
low in that order, and those down on what stands high, over many questions and
by more than chance explains, nothing that they did counts.
"""

import hashlib
import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from vouch.access import PUBLIC
from vouch.learning.labels.label import Label
from vouch.learning.training.label_places import Row, features_of, has_features

Floats = NDArray[np.float64]
Scores = Callable[[Floats], Floats]     # of rows of features
Learn = Callable[[frozenset[str]], Scores | None]
"""An order from the labels of all but these people; None where they tell nothing."""

BESIDE = 0.25                           # of a fit that others are held against, the most of its loudest fifth
MOST = 0.25                             # of the voters: where more contradict the rest, nobody can tell who is right
FEWEST = 5                              # voters, without whom nobody is held against others
OFF = 1000.0                            # standard errors
FOLDS = 5
ROUNDS = 4
WHY = "of people whose votes contradict all others"


@dataclass(frozen=True)
class Shown:
    """What stood before people, a row for each passage of an answer: `starts` is where each answer's rows begin."""

    row_of: Mapping[tuple[str, str], int]               # by answer and passage
    places: NDArray[np.int64]
    cited: NDArray[np.bool_]
    starts: NDArray[np.int64]
    matrix: Floats

    def heights(self, order: Scores) -> Floats:
        """The share of its answer's others that each stands above, less the mean of what was cited at its place.

        Of what was cited, since a vote on an answer falls on that, and stands higher than what was not: who only votes
        down what is bad would seem to contradict.
        """
        scores, found = order(self.matrix), np.zeros(len(self.matrix))
        for first, last in pairwise([*self.starts.tolist(), len(scores)]):
            mine = scores[first:last]
            above = (mine[:, None] > mine).sum(axis=1) + ((mine[:, None] == mine).sum(axis=1) - 1) / 2
            found[first:last] = above / (last - first - 1)
        counted = self.cited.astype(np.float64)
        mean = np.bincount(self.places, found * counted) / np.maximum(np.bincount(self.places, counted), 1)
        return np.asarray(found - mean[self.places])


def shown(recorded: Mapping[str, Sequence[Row]]) -> Shown:
    """Of answers that showed two passages or more; where one stood is its number among what the writer was given."""
    row_of, places, cited = dict[tuple[str, str], int](), list[int](), list[bool]()
    starts, rows = list[int](), list[tuple[float, ...]]()
    for name in sorted(recorded):
        mine = {str(row["chunk_id"]): row for row in recorded[name]
                if row.get("shown") is not None and has_features(row)}
        if len(mine) < 2:
            continue
        starts.append(len(rows))
        for chunk_id, row in sorted(mine.items()):
            row_of[name, chunk_id] = len(rows)
            places.append(int(row["shown"]))
            cited.append(bool(row.get("cited")))
            rows.append(features_of(row))
    return Shown(row_of, np.array(places, dtype=np.int64), np.array(cited, dtype=np.bool_),
                 np.array(starts, dtype=np.int64), np.array(rows))


def contradicting(
    labels: Sequence[Label], recorded: Mapping[str, Sequence[Row]], learn: Learn, limit: float
) -> frozenset[str]:
    """Who votes against what others teach by more than `limit` standard errors; nobody of more than MOST of all.

    Whoever is found is left out, and the others are looked at once more, until nobody is. The public is many people: it
    is bounded, and not left out for what one of them says.
    """
    if limit >= OFF:
        return frozenset()
    answers = {label.answer_id for label in labels}     # of others, which readers may not know of, nothing counts
    stood = shown({name: rows for name, rows in recorded.items() if name in answers})
    votes = [label for label in labels
             if label.source == "vote" and label.person not in (None, PUBLIC)
             and (label.answer_id, label.chunk_id) in stood.row_of]
    people, found = {str(vote.person) for vote in votes}, frozenset[str]()
    if len(people) < FEWEST:
        return found
    for _ in range(ROUNDS):
        agrees = agreement([vote for vote in votes if vote.person not in found], stood, learn, found)
        worse = {person for person, by in agrees.items() if by < -limit}
        found |= worse
        if len(found) > MOST * len(people):
            return frozenset()
        if not worse:
            break
    return found


def agreement(votes: Sequence[Label], stood: Shown, learn: Learn, without: frozenset[str]) -> dict[str, float]:
    """By person, in standard errors, how far above chance their votes agree with a fit on other people's.

    A vote up agrees as far as its passage stands higher than what is at its place does on average, one down as far as
    it stands lower. Votes on one question are one, so that errors are of questions.
    """
    found: dict[str, float] = {}
    for fold in range(FOLDS):
        mine = [vote for vote in votes if _fold(str(vote.person)) == fold]
        order = learn(without | {str(vote.person) for vote in mine}) if mine else None
        if order is not None:
            found |= _agreement(mine, stood, stood.heights(order))
    return found


def _agreement(votes: Sequence[Label], stood: Shown, heights: Floats) -> dict[str, float]:
    sums: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for vote in votes:
        height = float(heights[stood.row_of[str(vote.answer_id), vote.chunk_id]])
        sums[str(vote.person)][vote.question_key] += height if vote.relevance > 0 else -height
    return {person: _errors(list(by_question.values())) for person, by_question in sorted(sums.items())}


def _errors(sums: Sequence[float]) -> float:
    """How many standard errors their total is from 0: of n questions sqrt(n) at most."""
    error = math.sqrt(math.fsum(one * one for one in sums))
    return math.fsum(sums) / error if error > 0 else 0.0


def _fold(person: str) -> int:
    return hashlib.sha256(person.encode()).digest()[0] % FOLDS
