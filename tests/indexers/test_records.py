"""How a passage's header, flag and marks are kept, and that parts of earlier days are still read."""

import json
from dataclasses import replace

import pytest
from two_world.worlds import make_record

from indexers.parts.document_parts import Part
from indexers.parts.records import decode_record, encode_record
from vouch.documents.document import DocumentRecord
from vouch.documents.text.markup import NOTHING, Markup

HEADER, ROW = "| Größe | naïve |", "| 12 | row text |"

MARKUP = Markup(hidden=((0, 2), (3, 5)), code=((4, 9),), before=3, after=1)


def record() -> DocumentRecord:
    made = make_record("docs", "open/sizes.md", [("Sizes", [HEADER, ROW])])
    start = made.text.index(HEADER)
    second = replace(made.chunks[1], header=(start, start + len(HEADER)), injection=True, markup=MARKUP)
    return replace(made, chunks=(made.chunks[0], second))


def test_header_and_flag_come_back_with_the_bytes_they_stand_at() -> None:
    facts, text = encode_record(record())
    held = decode_record(facts)
    assert held.record.chunks == record().chunks
    assert held.chunks[0].header_bytes is None
    start, end = held.chunks[1].header_bytes or (0, 0)
    assert text[start:end].decode() == HEADER


@pytest.mark.parametrize(("fields", "second"), [
    (11, (None, False, NOTHING)), (13, (record().chunks[1].header, True, NOTHING)),
    (14, (record().chunks[1].header, True, MARKUP)),
])
def test_facts_of_earlier_days_have_fewer(fields: int, second: tuple[object, ...]) -> None:
    facts = json.loads(encode_record(record())[0])
    assert {len(row) for row in facts["chunks"]} == {14}
    facts["chunks"] = [row[:fields] for row in facts["chunks"]]
    held = decode_record(json.dumps(facts).encode()).record.chunks
    assert [(c.header, c.injection, c.markup) for c in held] == [(None, False, NOTHING), second]


def test_headers_of_documents_of_earlier_days_count_no_injections() -> None:
    part = object.__new__(Part)
    row = ["docs", "a.md", "h", "indexed", "A", None, "", 3]
    part.__dict__["_table"] = {"documents": [row, [*row, 2]], "removed": []}
    assert [(h.chunks, h.injections, h.narrowed) for h in part.headers] == [(3, 0, None), (3, 2, None)]
