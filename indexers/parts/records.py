"""How a document record lies in a part: its facts as one JSON line, its text as plain bytes beside it.

A chunk carries the byte ranges of its passage and of the header it stands
under, so that showing one passage of a long document reads no more of it.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from vouch.documents.chunk import Chunk
from vouch.documents.document import DocumentRecord
from vouch.documents.text.markup import Markup


@dataclass(frozen=True, slots=True)
class StoredChunk:
    chunk: Chunk
    first_byte: int
    end_byte: int
    header_bytes: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """A record without its text; `chunks` say where in the text's bytes they are."""

    record: DocumentRecord
    chunks: tuple[StoredChunk, ...]


def encode_record(record: DocumentRecord) -> tuple[bytes, bytes]:
    """(facts, text) as stored."""
    ends = {offset for c in record.chunks for offset in (c.start, c.end, *(c.header or ()))}
    places = _byte_places(record.text, ends)
    facts = {
        "source": record.source,
        "path": record.path,
        "hash": record.hash,
        "state": record.state,
        "title": record.title,
        "narrowed": None if record.narrowed is None else sorted(record.narrowed),
        "reason": record.reason,
        "changed_at": record.changed_at.isoformat() if record.changed_at else None,
        "url": record.url,
        "chunks": [
            [c.id, c.section, c.start, c.end, c.first_line, c.last_line, c.ordinal, c.page, c.has_table,
             places[c.start], places[c.end],
             None if c.header is None else [*c.header, *(places[offset] for offset in c.header)], c.injection,
             c.markup.packed()]
            for c in record.chunks
        ],
    }
    if record.owners:                   # else as it always was
        facts["owners"] = sorted(record.owners)
    return json.dumps(facts, ensure_ascii=False, separators=(",", ":")).encode(), record.text.encode()


def decode_record(facts: bytes) -> StoredDocument:
    fields: dict[str, Any] = json.loads(facts)
    chunks = tuple(_chunk(*row) for row in fields["chunks"])
    record = DocumentRecord(
        fields["source"],
        fields["path"],
        fields["hash"],
        fields["state"],
        title=fields["title"],
        chunks=tuple(c.chunk for c in chunks),
        narrowed=None if fields["narrowed"] is None else frozenset(fields["narrowed"]),
        reason=fields["reason"],
        changed_at=datetime.fromisoformat(fields["changed_at"]) if fields["changed_at"] else None,
        url=fields["url"],
        owners=frozenset(fields.get("owners", ())),
    )
    return StoredDocument(record, chunks)


def _chunk(
    id_: str, section: list[str], start: int, end: int, first_line: int, last_line: int, ordinal: int,
    page: int | None, has_table: bool, first_byte: int, end_byte: int,
    header: list[int] | None = None, injection: bool = False,    # missing in parts of earlier days,
    marks: Sequence[Sequence[int] | int] = (),                   # as are these
) -> StoredChunk:
    head = None if header is None else (header[0], header[1])
    chunk = Chunk(
        id_, tuple(section), start, end, first_line, last_line, ordinal, page, has_table, head, injection,
        Markup.unpacked(marks),
    )
    return StoredChunk(chunk, first_byte, end_byte, None if header is None else (header[2], header[3]))


def _byte_places(text: str, places: set[int]) -> dict[int, int]:
    """Character positions → byte positions in UTF-8."""
    if text.isascii():
        return {place: place for place in places}
    found: dict[int, int] = {}
    at = size = 0
    for place in sorted(places):
        size += len(text[at:place].encode())
        found[place] = size
        at = place
    return found
