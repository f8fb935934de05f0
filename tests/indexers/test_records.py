"""How a passage's header and flag are kept, and that parts of earlier days are still read."""

import json
from dataclasses import replace

from two_world.worlds import make_record

from indexers.parts import Part
from indexers.records import decode_record, encode_record
from vouch.documents.document import DocumentRecord

HEADER, ROW = "| Größe | naïve |", "| 12 | row text |"


def record() -> DocumentRecord:
    made = make_record("docs", "open/sizes.md", [("Sizes", [HEADER, ROW])])
    start = made.text.index(HEADER)
    second = replace(made.chunks[1], header=(start, start + len(HEADER)), injection=True)
    return replace(made, chunks=(made.chunks[0], second))


def test_header_and_flag_come_back_with_the_bytes_they_stand_at() -> None:
    facts, text = encode_record(record())
    held = decode_record(facts)
    assert held.record.chunks == record().chunks
    assert held.chunks[0].header_bytes is None
    start, end = held.chunks[1].header_bytes or (0, 0)
    assert text[start:end].decode() == HEADER


def test_facts_of_earlier_days_have_neither() -> None:
    facts = json.loads(encode_record(record())[0])
    facts["chunks"] = [row[:11] for row in facts["chunks"]]
    held = decode_record(json.dumps(facts).encode())
    assert [(c.header, c.injection) for c in held.record.chunks] == [(None, False)] * 2


def test_headers_of_documents_of_earlier_days_count_no_injections() -> None:
    part = object.__new__(Part)
    row = ["docs", "a.md", "h", "indexed", "A", None, "", 3]
    part.__dict__["_table"] = {"documents": [row, [*row, 2]], "removed": []}
    assert [(h.chunks, h.injections, h.narrowed) for h in part.headers] == [(3, 0, None), (3, 2, None)]
