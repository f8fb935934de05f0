"""Lists to learn an order from: what is known of the candidates of a question, with their recorded features.

A candidate without a label is unknown: nobody said that it is not relevant,
so it has no part in any fit or figure. Of several labels of one passage the
weighted mean counts; what people judged takes the place of what their
behaviour merely hints at, unless it was cut to less than one such hint.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vouch.learning.labels.judgments import outranking
from vouch.learning.labels.label import Label
from vouch.learning.training.fusion_training import JudgedCandidates
from vouch.learning.training.label_places import Places, by_question, features_of, passage_of
from vouch.retrieval.fusion_features import FEATURE_NAMES

Floats = NDArray[np.float64]
_WORDS, _MEANING = map(FEATURE_NAMES.index, ("bm25_rrf", "sem_rrf"))
_Part = tuple[Label, float]             # of a label's weight, where it counts in several places


@dataclass(frozen=True, slots=True)
class LabeledList:
    """What is known of one question: a row for each passage, and once more where an answer had other features for it.

    `items` name the passages, `relevance` of each is from 0 to 3; `targets` is the share of a row's weight that calls
    its passage relevant at all. `labels` are those that all this is made from.
    """

    key: str                            # of the question and its audience
    items: tuple[str, ...]
    matrix: Floats                      # rows x FEATURE_NAMES
    weights: Floats
    targets: Floats
    relevance: Mapping[str, float]
    labels: Sequence[Label]

    def known(self, group: str) -> JudgedCandidates:
        reciprocal = list(self.matrix[:, _WORDS] + self.matrix[:, _MEANING])
        return JudgedCandidates(
            group, self.matrix, reciprocal, self.items, self.relevance, self.weights, self.targets)


def labeled_lists(labels: Iterable[Label], places: Places) -> tuple[list[LabeledList], Counter[str]]:
    """One per question and audience, by key, and how many labels had no part, by reason. `places` has each label."""
    lists, left_out = [], Counter[str]()
    for key, some in sorted(by_question(labels).items()):
        weighty = [label for label in some if label.weight > 0]
        left_out["without weight"] += len(some) - len(weighty)
        if weighty:
            lists.append(_list(key, weighty, places))
            left_out["of passages that somebody judged"] += len(weighty) - len(lists[-1].labels)
    return lists, +left_out


def _list(key: str, labels: Sequence[Label], places: Places) -> LabeledList:
    parts: dict[str, dict[tuple[float, ...], list[_Part]]] = defaultdict(lambda: defaultdict(list))
    for label in labels:
        rows = places[label.key]
        for row in rows:
            parts[passage_of(row)][features_of(row)].append((label, label.weight / len(rows)))
    heard = {item: _heard({one.key: one for some in rows.values() for one, _ in some}) for item, rows in parts.items()}
    known = [
        (item, features, mine) for item in sorted(parts) for features in sorted(parts[item])
        if (mine := [part for part in parts[item][features] if part[0].key in heard[item]])
    ]
    weights, relevant = (np.array([math.fsum(part for label, part in mine if label.relevance >= least)
                                   for _, _, mine in known]) for least in (0, 1))
    used = {name: label for some in heard.values() for name, label in some.items()}
    return LabeledList(
        key, tuple(item for item, _, _ in known), np.array([features for _, features, _ in known]), weights,
        np.divide(relevant, weights, out=np.zeros(len(weights)), where=weights > 0),
        {item: _mean(some.values()) for item, some in heard.items()}, list(used.values()),
    )


def _heard(labels: Mapping[str, Label]) -> Mapping[str, Label]:
    """Those of one passage that count, by key."""
    judged = {key: label for key, label in labels.items() if label.source == "judged"}
    return judged if outranking(judged.values(), labels.values()) else labels


def _mean(labels: Iterable[Label]) -> float:
    """The relevance of one passage."""
    weights = [(label.weight, label.relevance) for label in labels]
    return math.fsum(weight * relevance for weight, relevance in weights) / math.fsum(weight for weight, _ in weights)
