"""The notes of what Elasticsearch holds: whole or nothing, and never two of them with one stamp."""

import os
from pathlib import Path

import numpy as np
import pytest

from indexers.elastic.sync.row_journal import MISSING, UNSURE, JournalEntry, RowJournal

SEGMENT = "0" * 32
NAME = f"{SEGMENT}.{'1' * 12}"


def test_a_note_is_read_as_it_was_written(tmp_path: Path) -> None:
    notes = RowJournal(tmp_path)
    assert notes.read(NAME, 3).of_row.tolist() == [MISSING] * 3
    with notes.sole(NAME):
        notes.write(NAME, JournalEntry(("a", "b"), np.array([1, UNSURE, 0], np.int32)))
    read = RowJournal(tmp_path).read(NAME, 3)
    assert (read.labels, read.of_row.tolist(), read.counts()) == (("a", "b"), [1, UNSURE, 0], {"a": 1, "b": 1})
    assert notes.names() == [(SEGMENT, NAME)]
    notes.forget(NAME)
    assert notes.names() == [] and notes.read(NAME, 3).of_row.tolist() == [MISSING] * 3


@pytest.mark.parametrize("spoil", [
    lambda data: data[:-1], lambda data: b"", lambda data: data + b"\0" * 4, lambda data: b"{}" + data,
    lambda data: data[:-4] + np.array([9], "<i4").tobytes(), lambda data: data.replace(b'"rows": 3', b'"rows": 2'),
])
def test_a_spoiled_note_says_that_nothing_is_there(tmp_path: Path, spoil: object) -> None:
    notes = RowJournal(tmp_path)
    with notes.sole(NAME):
        notes.write(NAME, JournalEntry(("a",), np.array([0, 0, 0], np.int32)))
    path = tmp_path / "lexical" / f"{NAME}.labels"
    path.write_bytes(spoil(path.read_bytes()))          # type: ignore[operator]
    assert RowJournal(tmp_path).read(NAME, 3).of_row.tolist() == [MISSING] * 3


def test_every_writing_changes_the_stamp_whatever_the_clock_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "fsync", lambda handle: None)
    notes = RowJournal(tmp_path)
    stamps = set()
    with notes.sole(NAME):
        for _ in range(200):
            notes.write(NAME, JournalEntry(("a",), np.array([0], np.int32)))
            stamps.add(notes.stamp([NAME])[0][0])
    assert len(stamps) == 200


def test_a_home_is_given_one_name(tmp_path: Path) -> None:
    first = RowJournal(tmp_path).home_id
    assert RowJournal(tmp_path).home_id == first
    assert RowJournal(tmp_path / "other").home_id != first
