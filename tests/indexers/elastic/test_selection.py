"""A filter for Elasticsearch matches exactly the rows that are wanted, whatever labels they have there."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexers.elastic.sync.row_journal import COMING, MISSING, UNSURE, JournalEntry
from indexers.elastic.sync.selection import select
from vouch.errors import IndexDown

LABELS = ("a", "b", "c")
Row = dict[str, Any]


def matches(query: dict[str, Any], row: Row) -> bool:
    """What the server would say, for the few kinds of query there are."""
    (kind, body), = query.items()
    if kind == "match_none":
        return False
    if kind == "bool":
        assert body.keys() <= {"filter", "must_not", "should", "minimum_should_match"}
        return (all(matches(q, row) for q in body.get("filter", ()))
                and not any(matches(q, row) for q in body.get("must_not", ()))
                and ("should" not in body or any(matches(q, row) for q in body["should"])))
    (field, value), = body.items()
    return row[field] in value if kind == "terms" else row[field] == value


@st.composite
def servers(draw: st.DrawFn) -> tuple[dict[str, JournalEntry], list[np.ndarray], list[Row]]:
    """Notes, the rows wanted, and rows as they may lie on the server while the notes say so."""
    notes, wanted, rows = {}, [], []
    for segment in draw(st.lists(st.sampled_from(("s", "t", "u")), unique=True, max_size=3)):
        states = draw(st.lists(st.integers(MISSING, len(LABELS) - 1), max_size=12))
        notes[segment] = JournalEntry(LABELS, np.array(states, np.int32))
        wanted.append(np.array([s > COMING and draw(st.booleans()) for s in states], np.bool_))
        for number, state in enumerate(states):
            if state != MISSING and (state != COMING or draw(st.booleans())):
                label = LABELS[state] if state >= 0 else draw(st.sampled_from(LABELS))
                rows.append({"segment": segment, "row": number, "label": label})
    others = [{"segment": "another", "row": n, "label": draw(st.sampled_from(LABELS))} for n in range(3)]
    return notes, wanted, rows + others


@given(servers())
def test_exactly_the_rows_that_are_wanted(server: tuple[dict[str, JournalEntry], list[np.ndarray], list[Row]]) -> None:
    notes, wanted, rows = server
    selection = select(wanted, notes)
    asked = {(s, int(n)) for s, mask in zip(notes, wanted, strict=True) for n in np.flatnonzero(mask)}
    assert {(r["segment"], r["row"]) for r in rows if matches(selection.query, r)} == asked
    assert selection.count == len(asked)


@pytest.mark.parametrize("state", [MISSING, COMING])
def test_a_wanted_row_that_is_not_there_for_certain_is_an_outage(state: int) -> None:
    notes = {"s": JournalEntry(LABELS, np.array([0, state], np.int32))}
    assert select([np.array([True, False])], notes).count == 1
    with pytest.raises(IndexDown, match="1 rows"):
        select([np.array([True, True])], notes)


def test_a_label_most_of_whose_rows_are_wanted_is_named_and_another_is_not() -> None:
    states = np.array([0] * 100 + [1] * 100, np.int32)
    wanted = np.array([True] * 99 + [False] + [True] + [False] * 99)
    text = str(select([wanted], {"s": JournalEntry(("many", "few"), states)}).query)
    assert "many" in text and "few" not in text
    assert "[99]" in text and "[100]" in text           # one row less, one row more


def test_an_unsure_row_is_named_by_number() -> None:
    states = np.array([0, 0, 0, UNSURE, UNSURE], np.int32)
    selection = select([np.array([True, True, True, True, False])], {"s": JournalEntry(LABELS, states)})
    assert "[3]" in str(selection.query) and "[4]" in str(selection.query)


def test_the_digest_tells_rows_and_segments_apart() -> None:
    note = JournalEntry(LABELS, np.array([0, 0], np.int32))
    one, other = np.array([True, False]), np.array([False, True])
    digests = {select([mask], {name: note}).digest for mask in (one, other) for name in ("s", "t")}
    assert len(digests) == 4
    moved = JournalEntry(LABELS, np.array([1, UNSURE], np.int32))
    assert select([one], {"s": note}).digest == select([one], {"s": moved}).digest
