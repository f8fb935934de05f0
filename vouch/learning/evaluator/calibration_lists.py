"""What an evaluator is calibrated by: questions with the scores of their passages, and what is known of those.

Only judgments and votes count. A citation says what this very evaluator
thought, and would confirm it in whatever it thinks.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from vouch.learning.evaluator.calibration import HOLDS, ScoredList
from vouch.learning.evaluator.scored_passages import Places, ScoredPassages
from vouch.learning.labels.judgments import outranking
from vouch.learning.labels.label import Label, Source

Weigh = Callable[[Sequence[Label]], Sequence[Label]]
SOURCES: tuple[Source, ...] = ("judged", "vote")
_Known = Mapping[int, Sequence[Label]]  # by place of a passage the labels on it, each with the part it has there


def labeled_scores(
    labels: Iterable[Label], places: Places, groups: Mapping[str, str], weigh: Weigh
) -> tuple[list[ScoredList], list[Label]]:
    """One list for each question and audience, or several where its answers had other scores; and the labels behind
    them.

    `places` has each label, `groups` is by text of the question. An outcome counts as the labels of the passage that
    tells it, all those of a question one at most, once `weigh` has capped what each person holds of all outcomes.
    """
    by_question: dict[str, list[Label]] = defaultdict(list)
    for label in sorted(labels, key=lambda one: one.key):
        if label.weight > 0:
            by_question[label.question_key].append(label)
    lists, behind, used = list[ScoredList](), list[list[Label]](), list[Label]()
    for key, some in sorted(by_question.items()):
        heard = _heard_of(some, places)
        used += heard
        found = sorted(_placed(heard, places).items(), key=lambda told: repr(told[0]))
        made = [_scored(passages, known, groups[some[0].question], key) for passages, known in found]
        told = [[] if one.telling is None else known[one.telling] for one, (_, known) in zip(made, found, strict=True)]
        lists += made
        behind += _outcomes(told)
    return [replace(one, counts=counts) for one, counts in zip(lists, _counts(behind, weigh), strict=True)], used


def _heard_of(labels: Sequence[Label], places: Places) -> list[Label]:
    """Judgments outrank votes on the same passage and text, as in a training."""
    by_passage: dict[tuple[str, str | None], dict[str, Label]] = defaultdict(dict)
    for label in labels:
        for passages in places[label.key]:
            text = passages.texts[passages.place(label) or 0]
            by_passage[label.chunk_id, text][label.key] = label
    heard = {key: label for some in by_passage.values() for key, label in _heard(some).items()}
    return [heard[key] for key in sorted(heard)]


def _heard(labels: Mapping[str, Label]) -> Mapping[str, Label]:
    judged = {key: label for key, label in labels.items() if label.source == "judged"}
    return judged if outranking(judged.values(), labels.values()) else labels


def _placed(labels: Sequence[Label], places: Places) -> Mapping[ScoredPassages, _Known]:
    found: dict[ScoredPassages, dict[int, list[Label]]] = defaultdict(lambda: defaultdict(list))
    for label in labels:
        some = places[label.key]
        for passages in some:
            found[passages][passages.place(label) or 0].append(replace(label, weight=label.weight / len(some)))
    return found


def _scored(passages: ScoredPassages, known: _Known, group: str, question: str) -> ScoredList:
    holds, weights = np.array([_share(known.get(n, ())) for n in range(len(passages.ids))]).T.copy()
    return ScoredList(group, np.array(passages.scores), holds, weights, question=question)


def _share(labels: Collection[Label]) -> tuple[float, float]:
    """How much of the weight says that the passage holds the answer, and the weight."""
    weight = math.fsum(label.weight for label in labels)
    holds = math.fsum(label.weight for label in labels if label.relevance >= HOLDS)
    return (holds / weight, weight) if weight else (0.0, 0.0)


def _outcomes(told: Sequence[Sequence[Label]]) -> list[list[Label]]:
    """The labels that tell each, with what they have of one question."""
    whole = max(math.fsum(label.weight for some in told for label in some), 1.0)
    return [[replace(label, weight=label.weight / whole) for label in some] for some in told]


def _counts(behind: Sequence[Sequence[Label]], weigh: Weigh) -> list[float]:
    """How much each outcome counts, by the labels behind it."""
    weighed = iter(weigh([label for some in behind for label in some]))
    return [math.fsum(next(weighed).weight for _ in some) for some in behind]
