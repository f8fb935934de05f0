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
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vouch.learning.labels.judgments import outranking
from vouch.learning.labels.label import Label
from vouch.learning.training.fusion_training import JudgedCandidates
from vouch.retrieval.fusion_features import FEATURE_NAMES, FEATURE_SCHEMA

Floats = NDArray[np.float64]
Row = Mapping[str, Any]                 # a candidate as the ledger keeps it; `chunk_id`, `schema` and `features` count
_ENGINE, _WORDS, _MEANING = map(FEATURE_NAMES.index, ("is_seed", "bm25_rrf", "sem_rrf"))


@dataclass(frozen=True, slots=True)
class LabeledList:
    """The candidates of one question that an engine found, by chunk id. `weights` are 0 where nothing is known.

    `relevance` is from 0 to 3, `targets` the share of the weight that calls a candidate relevant at all.
    """

    key: str                            # of the question and its audience
    ids: tuple[str, ...]
    matrix: Floats                      # candidates x FEATURE_NAMES
    weights: Floats
    relevance: Floats
    targets: Floats

    def known(self, group: str) -> JudgedCandidates:
        """Without the candidates that nothing is known of."""
        some = np.flatnonzero(self.weights > 0)
        items = [self.ids[n] for n in some]
        matrix = self.matrix[some]
        return JudgedCandidates(
            group, matrix, list(matrix[:, _WORDS] + matrix[:, _MEANING]), items,
            dict(zip(items, self.relevance[some].tolist(), strict=True)), self.weights[some], self.targets[some],
        )


def labeled_lists(
    labels: Iterable[Label], recorded: Mapping[str, Sequence[Row]], searched: Mapping[str, Sequence[Row]]
) -> tuple[list[LabeledList], Counter[str]]:
    """One per question and audience, by key, and how many labels had no part, by reason.

    `recorded` are rows by answer, `searched` by key of the question; a
    question's candidates are those of its newest answer with rows of this
    feature schema, or what a search found.
    """
    by_question: dict[str, list[Label]] = defaultdict(list)
    for label in sorted(labels, key=lambda one: one.key):
        by_question[label.question_key].append(label)
    lists, left_out = [], Counter[str]()
    for key, some in sorted(by_question.items()):
        rows_by_chunk = _of_newest(some, recorded) or _usable(searched.get(key, ()))
        if rows_by_chunk:
            lists.append(_list(key, some, rows_by_chunk, left_out))
        else:
            left_out["no features of this schema"] += len(some)
    return lists, left_out


def _of_newest(labels: Sequence[Label], recorded: Mapping[str, Sequence[Row]]) -> dict[str, Row]:
    """What can be used of the newest answer that has any of it."""
    ids = sorted({(label.at, label.answer_id) for label in labels if label.answer_id}, reverse=True)
    return next((found for _, name in ids if (found := _usable(recorded.get(name, ())))), {})


def _usable(rows: Sequence[Row]) -> dict[str, Row]:
    """By chunk id those that an engine found, with all features of the schema that is served, each a number."""
    return {str(row["chunk_id"]): row for row in rows if usable(row)}


def usable(row: Row) -> bool:
    features = row["features"]
    if row["schema"] != FEATURE_SCHEMA or features.keys() != set(FEATURE_NAMES):
        return False
    return bool(features["is_seed"]) and all(math.isfinite(value) for value in features.values())


def _list(key: str, labels: Sequence[Label], found: Mapping[str, Row], left_out: Counter[str]) -> LabeledList:
    ids = tuple(sorted(found))
    matrix = np.array([[float(found[chunk_id]["features"][name]) for name in FEATURE_NAMES] for chunk_id in ids])
    by_chunk: dict[str, list[Label]] = defaultdict(list)
    for label in labels:
        if label.chunk_id not in found:
            left_out["not among the candidates"] += 1
        elif _other_text(label, found[label.chunk_id]):
            left_out["of another text"] += 1
        elif label.weight > 0:
            by_chunk[label.chunk_id].append(label)
        else:
            left_out["without weight"] += 1
    known = np.array([_mean(by_chunk.get(chunk_id, ())) for chunk_id in ids])
    return LabeledList(key, ids, matrix, known[:, 0], known[:, 1], known[:, 2])


def _other_text(label: Label, row: Row) -> bool:
    noted = row.get("text_hash")
    return noted is not None and label.text_hash is not None and noted != label.text_hash


def _mean(labels: Sequence[Label]) -> tuple[float, float, float]:
    """Weight, relevance and target of one passage."""
    judged = [label for label in labels if label.source == "judged"]
    some = judged if outranking(judged, labels) else labels
    weight = math.fsum(label.weight for label in some)
    if not weight:
        return 0.0, 0.0, 0.0
    relevance = math.fsum(label.weight * label.relevance for label in some) / weight
    target = math.fsum(label.weight for label in some if label.relevance > 0) / weight
    return weight, relevance, target
