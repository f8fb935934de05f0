"""Which recorded rows a label counts with.

A label counts with the features that its own answer recorded, so no answer
takes the labels of another one away: not one of today, nor one of old that
somebody votes on anew.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from vouch.learning.labels.label import Label
from vouch.retrieval.fusion_features import FEATURE_SCHEMA, in_order, usable_features

Row = Mapping[str, Any]                 # a candidate as the ledger keeps it; `chunk_id`, `schema` and `features` count
Rows = Mapping[str, Sequence[Row]]
Places = Mapping[str, Sequence[Row]]    # by a label's key the rows that it counts with, each for an equal part of it
OLD, NOT_FOUND, CHANGED = "no features of this schema", "not among the candidates", "of another text"
_Found = Mapping[str, Sequence[Row]]    # the rows of one answer or search by chunk id


def places_of(labels: Iterable[Label], recorded: Rows, searched: Rows) -> tuple[dict[str, list[Row]], Counter[str]]:
    """By its key where each label counts, and how many have no part, by reason.

    `recorded` are rows by answer, `searched` by key of the question. A label that was read from an answer counts with
    the row of that one. A judgment apart from any counts with all different rows that answers to the question, or a
    search, have of the passage.
    """
    places, left_out = dict[str, list[Row]](), Counter[str]()
    for key, some in by_question(labels).items():
        names = sorted({label.answer_id for label in some if label.answer_id})
        lists = {name: _by_chunk(recorded.get(name, ())) for name in names} | {"": _by_chunk(searched.get(key, ()))}
        for label in some:
            mine = [lists[label.answer_id]] if label.answer_id else list(lists.values())
            if rows := _rows_for(label, mine):
                places[label.key] = rows
            else:
                left_out[_reason(label, mine)] += 1
    return places, left_out


def by_question(labels: Iterable[Label]) -> Mapping[str, Sequence[Label]]:
    found: dict[str, list[Label]] = defaultdict(list)
    for label in sorted(labels, key=lambda one: one.key):
        found[label.question_key].append(label)
    return found


def _by_chunk(rows: Sequence[Row]) -> _Found:
    found: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        found[str(row["chunk_id"])].append(row)
    return found


def _rows_for(label: Label, lists: Sequence[_Found]) -> list[Row]:
    """Those of its passage that an engine found and that differ, in an order of their own."""
    mine = [row for some in lists for row in some.get(label.chunk_id, ()) if has_features(row)]
    seeds = {(passage_of(row), features_of(row)): row for row in mine if row["features"]["is_seed"]}
    return [seeds[name] for name in sorted(seeds) if not _other_text(label, seeds[name])]


def _reason(label: Label, lists: Sequence[_Found]) -> str:
    mine = [row for some in lists for row in some.get(label.chunk_id, ())]
    if any(has_features(row) and _other_text(label, row) for row in mine):
        return CHANGED
    return NOT_FOUND if any(lists) and all(map(has_features, mine)) else OLD


def has_features(row: Row) -> bool:
    """Those of the schema that is served, each a number."""
    return bool(row["schema"] == FEATURE_SCHEMA) and usable_features(row["features"])


def passage_of(row: Row) -> str:
    """By id and text: with another text it is another one."""
    return f"{row['chunk_id']} {row.get('text_hash') or ''}".rstrip()


def features_of(row: Row) -> tuple[float, ...]:
    return tuple(map(float, in_order(row["features"])))


def _other_text(label: Label, row: Row) -> bool:
    noted = row.get("text_hash")
    return noted is not None and label.text_hash is not None and noted != label.text_hash
