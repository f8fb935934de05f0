"""A set of rows as a filter that Elasticsearch matches exactly, whatever labels the rows have there.

Naming a label names all its rows at once. Those that are not wanted are taken
off by number, and wanted ones of labels not named are added by number; of
both ways the shorter one is taken for each label.
"""

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexers.elastic.server.mapping import MOST_NAMED
from indexers.elastic.sync.row_journal import COMING, MISSING, UNSURE, JournalEntry
from vouch.errors import IndexDown

Query = dict[str, Any]


@dataclass(frozen=True)
class Selection:
    """`count` rows; `digest` is equal for equal rows of equal segments. No value of it means "no filter"."""

    query: Query
    count: int
    digest: str


def select(wanted: Sequence[NDArray[np.bool_]], notes: Mapping[str, JournalEntry]) -> Selection:
    """Exactly the `wanted` rows, per segment in the order of `notes`.

    Raises IndexDown if one of them is not there.
    """
    noted_masks = list(zip(notes.items(), wanted, strict=True))
    absent = sum(int(np.count_nonzero(mask & (note.of_row <= COMING))) for (_, note), mask in noted_masks)
    if absent:
        raise IndexDown(f"{absent} rows of this version are not in Elasticsearch",
                        cure="vouch ingest writes what is missing there")
    named = _labels_to_name(noted_masks)
    whole: list[str] = []
    less: list[Query] = []
    plus: list[Query] = []
    for (segment, note), mask in noted_masks:
        by_label = np.append(np.isin(note.labels, list(named)), [False] * -MISSING)[note.of_row]
        if by_label.any():
            whole.append(segment)
        less += _rows(segment, ~mask & (by_label | (note.of_row == UNSURE) | (note.of_row == COMING)))
        plus += _rows(segment, mask & ~by_label)
    ways: list[Query] = list(plus)
    if whole:
        inside: list[Query] = [{"terms": {"segment": whole}}, {"terms": {"label": sorted(named)}}]
        ways.append({"bool": {"filter": inside, "must_not": less}})
    query: Query = {"bool": {"should": ways, "minimum_should_match": 1}} if ways else {"match_none": {}}
    return Selection(query, sum(int(np.count_nonzero(mask)) for mask in wanted), _digest(list(notes), wanted))


def _labels_to_name(held: Sequence[tuple[tuple[str, JournalEntry], NDArray[np.bool_]]]) -> set[str]:
    """Labels of which more rows are wanted than not."""
    balance: Counter[str] = Counter()
    for (_, note), mask in held:
        sure = note.of_row >= 0
        for chosen, sign in ((mask, 1), (~mask, -1)):
            counts = np.bincount(note.of_row[sure & chosen], minlength=len(note.labels))
            for label, count in zip(note.labels, counts.tolist(), strict=False):
                balance[label] += sign * count
    return {label for label, count in balance.items() if count > 0}


def _rows(segment: str, mask: NDArray[np.bool_]) -> list[Query]:
    rows = np.flatnonzero(mask).tolist()
    if len(rows) > MOST_NAMED:
        raise IndexDown(f"{len(rows)} rows of one segment would have to be named one by one",
                        cure="vouch versions compact, or wait until labels have followed the rules")
    return [{"bool": {"filter": [{"term": {"segment": segment}}, {"terms": {"row": rows}}]}}] if rows else []


def _digest(segments: Sequence[str], wanted: Sequence[NDArray[np.bool_]]) -> str:
    digest = hashlib.blake2b(digest_size=16)
    for segment, mask in zip(segments, wanted, strict=True):
        digest.update(segment.encode() + np.packbits(mask).tobytes())
    return digest.hexdigest()
