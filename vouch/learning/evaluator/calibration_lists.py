"""What an evaluator is calibrated by: questions with the evidence of their passages, and what is known of those.

Only judgments and votes count. A citation says what this very evaluator
thought, and would confirm it in whatever it thinks.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from vouch.learning.evaluator.calibration import HOLDS, ScoredList, scored_list
from vouch.learning.labels.judgments import outranking
from vouch.learning.labels.label import Label, Source
from vouch.learning.models.evaluator_model import EvaluatorModel

Weigh = Callable[[Sequence[Label]], Sequence[Label]]
Row = Mapping[str, Any]                 # a candidate as the ledger keeps it; chunk_id, text_hash and evidence count
SOURCES: tuple[Source, ...] = ("judged", "vote")


def judged_rows(rows: Iterable[Row], model: EvaluatorModel) -> list[Row]:
    """Those whose evidence is what this evaluator weighs."""
    return [row for row in rows if usable(row["evidence"], model)]


def usable(evidence: Mapping[str, Any], model: EvaluatorModel) -> bool:
    """False too for what its judge has not read: another evaluator weighed that, as in questions for a list."""
    values = [evidence.get(name) for name in model.weighed]
    whole = all(isinstance(value, int | float) and math.isfinite(value) for value in values)
    return whole and not (model.judged_with and evidence["judge_missing"])


def labeled_scores(
    model: EvaluatorModel, labels: Iterable[Label], rows_of: Mapping[str, Sequence[Row]], groups: Mapping[str, str],
    weigh: Weigh,
) -> tuple[list[ScoredList], Counter[str]]:  # fmt: skip
    """One list for each question and audience with evidence and a label that counts; how many labels had no part.

    `rows_of` by key of the question, `groups` by its text. An outcome counts as the labels of the passage that tells
    it, one at most, once `weigh` has capped what each person holds of all outcomes.
    """
    by_question: dict[str, list[Label]] = defaultdict(list)
    for label in sorted(labels, key=lambda one: one.key):
        by_question[label.question_key].append(label)
    lists, left_out, behind = list[ScoredList](), Counter[str](), list[list[Label]]()
    for key, some in sorted(by_question.items()):
        rows = judged_rows(rows_of.get(key, ()), model)
        mine = _by_passage(some, rows, left_out)
        if mine:
            known = [_known(mine.get(str(row["chunk_id"]), ())) for row in rows]
            made = scored_list(model, groups[some[0].question], [row["evidence"] for row in rows], known)
            lists.append(made)
            behind.append([] if made.telling is None else _outcome(mine[str(rows[made.telling]["chunk_id"])]))
    return [replace(one, counts=counts) for one, counts in zip(lists, _counts(behind, weigh), strict=True)], left_out


def _by_passage(labels: Sequence[Label], rows: Sequence[Row], left_out: Counter[str]) -> dict[str, list[Label]]:
    hashes = {str(row["chunk_id"]): row.get("text_hash") for row in rows}
    labels_by_chunk: dict[str, list[Label]] = defaultdict(list)
    for label in labels:
        noted = hashes.get(label.chunk_id)
        if label.chunk_id not in hashes:
            left_out["not among the passages judged"] += 1
        elif noted is not None and label.text_hash is not None and noted != label.text_hash:
            left_out["of another text"] += 1
        elif label.weight > 0:
            labels_by_chunk[label.chunk_id].append(label)
    return labels_by_chunk


def _outcome(labels: Collection[Label]) -> list[Label]:
    """Those that tell it, with what they have of one question."""
    some = _heard(labels)
    whole = max(math.fsum(label.weight for label in some), 1.0)
    return [replace(label, weight=label.weight / whole) for label in some]


def _counts(behind: Sequence[Sequence[Label]], weigh: Weigh) -> list[float]:
    """How much each outcome counts, by the labels behind it."""
    weighed = iter(weigh([label for some in behind for label in some]))
    return [math.fsum(next(weighed).weight for _ in some) for some in behind]


def _heard(labels: Collection[Label]) -> Collection[Label]:
    """Judgments outrank votes, as in a training."""
    judged = [label for label in labels if label.source == "judged"]
    return judged if outranking(judged, labels) else labels


def _known(labels: Collection[Label]) -> tuple[float, float]:
    """How much of the weight says that the passage holds the answer, and the weight."""
    some = _heard(labels)
    weight = math.fsum(label.weight for label in some)
    holds = math.fsum(label.weight for label in some if label.relevance >= HOLDS)
    return (holds / weight, weight) if weight else (0.0, 0.0)
