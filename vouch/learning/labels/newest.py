"""The labels that a training takes: of so many answers at most, whatever a ledger has gathered over the years."""

from collections.abc import Sequence
from datetime import datetime

from vouch.learning.labels.label import Label


def of_newest_answers(labels: Sequence[Label], most: int) -> list[Label]:
    """In their order, without those of answers beyond `most`: those that somebody judged go first, then the newest
    by their last label. Labels of no answer stay.

    Only the labels that are given decide, so that others, of other readers, change nothing.
    """
    rank: dict[str, tuple[bool, datetime, str]] = {}
    for label in labels:
        if label.answer_id:
            judged, at, _ = rank.get(label.answer_id, (False, label.at, ""))
            rank[label.answer_id] = judged or label.source == "judged", max(at, label.at), label.answer_id
    taken = set(sorted(rank, key=lambda name: rank[name], reverse=True)[:most])
    return [label for label in labels if not label.answer_id or label.answer_id in taken]
