"""Bytes become text and chunks in the child; the parent believes nothing of that which it can check."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

from vouch.access import parse_tag
from vouch.adapters.parsers import parse
from vouch.adapters.parsers.plain.text import MOST_TITLE
from vouch.adapters.sandbox.frames import MOST_HEADER, BadFrame, Message, frame
from vouch.adapters.sandbox.limits import MOST_CHARACTERS, MOST_PASSAGES, ParsingLimits
from vouch.chunking.document_chunks import Profile, chunk_document, is_injection
from vouch.chunking.papers import Characters, as_paper
from vouch.documents.chunk import Chunk, chunk_id
from vouch.documents.document import Content
from vouch.documents.text.markup import Markup
from vouch.errors import BadInput, Unreadable
from vouch.ports.ingestion import Tokenizer


@dataclass(frozen=True, slots=True)
class ParsedChunks:
    """The text people will see quoted, and its chunks in order."""

    text: str
    title: str
    narrowed: frozenset[str] | None
    chunks: tuple[Chunk, ...]
    owners: frozenset[str] = frozenset()


def take_apart(
    source: str, content: Content, tokenizer: Tokenizer, *, size: int, overlap: int, limits: ParsingLimits,
    profile: Profile = "usual",
) -> ParsedChunks:  # fmt: skip
    """In the profile `papers` sizes are in characters, and what papers are not searched for is left out.

    Raises Unreadable with a reason a person understands. Takes as long and as much memory as it takes."""
    parsed = parse(content, limits.pages)
    if len(parsed.text) > MOST_CHARACTERS:
        raise Unreadable(f"holds more than {MOST_CHARACTERS:,} characters", cure="split it")
    papers = profile == "papers"
    if papers:
        parsed, tokenizer = as_paper(parsed), Characters(tokenizer)
    try:
        chunks = chunk_document(
            source, content.path, parsed, tokenizer, size=size, overlap=overlap, headings_count=not papers,
            by_topic=profile == "topics")
    except RecursionError as error:
        raise Unreadable("is nested too deep to be split into passages", cure="simplify it") from error
    if len(chunks) > MOST_PASSAGES:
        raise Unreadable(f"makes more than {MOST_PASSAGES:,} passages", cure="split it")
    return ParsedChunks(parsed.text, parsed.title, parsed.narrowed, chunks, parsed.owners)


MOST_BODY = 4 * MOST_CHARACTERS         # bytes of UTF-8
_MOST_REASON = 400
_MOST_OWNERS = 20
_MOST_TITLES = 8                        # above one passage


def pack(found: ParsedChunks, number: int) -> bytes:
    """The answer to question `number`; what the other side makes from the text itself (ids, injection) is left out.

    Raises Unreadable if it would be too long.
    """
    paths = {path: n for n, path in enumerate(dict.fromkeys(chunk.section for chunk in found.chunks))}
    header = {
        "number": number,
        "title": found.title,
        "narrowed": None if found.narrowed is None else sorted(found.narrowed),
        "owners": sorted(found.owners),
        "sections": [list(path) for path in paths],
        "chunks": [
            [c.start, c.end, c.first_line, c.last_line, paths[c.section], c.page or 0, int(c.has_table),
             list(c.header or ()), c.markup.packed()]
            for c in found.chunks
        ],
    }
    packed = frame(header)
    if len(packed) > MOST_HEADER:
        raise Unreadable("has longer headings or more marks than can be kept", cure="split it")
    return frame(header, found.text.encode())


def pack_refusal(error: Unreadable, number: int) -> bytes:
    return frame({"number": number, "cause": error.cause, "cure": error.cure})


def unpack(message: Message, source: str, path: str) -> ParsedChunks:
    """Raises Unreadable if that is what the child found, BadFrame if the message does not hold together."""
    header, body = message
    if "cause" in header:
        raise Unreadable(_text(header["cause"], _MOST_REASON), cure=_text(header.get("cure", ""), _MOST_REASON))
    try:
        text = body.decode()
        sections = [tuple(_text(title, MOST_TITLE) for title in path[:_MOST_TITLES]) for path in header["sections"]]
        rows = header["chunks"]
        if len(text) > MOST_CHARACTERS or len(rows) > MOST_PASSAGES:
            raise BadFrame("more than was allowed")
        title = _text(header["title"], MOST_TITLE)
        chunks = _chunks(source, path, text, title, sections, rows)
        return ParsedChunks(text, title, _narrowed(header["narrowed"]), chunks, _owners(header["owners"]))
    except (KeyError, TypeError, IndexError, ValueError, BadInput) as error:
        raise BadFrame(f"{type(error).__name__}: {error}") from error


def _chunks(
    source: str, path: str, text: str, title: str, sections: list[tuple[str, ...]], rows: list[list[Any]]
) -> tuple[Chunk, ...]:
    lines = text.count("\n") + 1
    seen: Counter[tuple[tuple[str, ...], str]] = Counter()
    chunks: list[Chunk] = []
    reached = 0
    for row in rows:
        start, end, first, last, number, page, table, header, packed = row
        markup = Markup.unpacked(packed)
        if not all(type(value) is int for value in [*row[:7], *header]):
            raise BadFrame("a number that is none")
        if not (reached <= start < end <= len(text) and 1 <= first <= last <= lines and number >= 0 and page >= 0):
            raise BadFrame("a passage outside the text")
        if not markup.fits(end - start):
            raise BadFrame("marks outside their passage")
        head = _header(header, start)
        reached, section, words = start, sections[number], text[start:end]
        chunks.append(
            Chunk(
                id=chunk_id(source, path, section, words, seen[section, words]),
                section=section,
                start=start,
                end=end,
                first_line=first,
                last_line=last,
                ordinal=len(chunks),
                page=page or None,
                has_table=bool(table),
                header=head,
                injection=is_injection(path, title, section, text, head, words, markup),
                markup=markup,
            )
        )
        seen[section, words] += 1
    return tuple(chunks)


def _header(span: list[int], before: int) -> tuple[int, int] | None:
    if not span:
        return None
    start, end = span
    if not 0 <= start < end <= before:
        raise BadFrame("a header that does not stand before its passage")
    return start, end


def _text(value: Any, most: int) -> str:
    if not isinstance(value, str) or len(value) > most:
        raise BadFrame("no text, or too much of it")
    value.encode()
    return value


def _narrowed(tags: Any) -> frozenset[str] | None:
    if tags is None:
        return None
    found = frozenset(parse_tag(tag) for tag in tags)
    if not found:
        raise BadFrame("narrowed to nobody")
    return found


def _owners(tags: Any) -> frozenset[str]:
    if not isinstance(tags, list) or len(tags) > _MOST_OWNERS:
        raise BadFrame("no owners, or too many")
    return frozenset(parse_tag(_text(tag, _MOST_REASON)) for tag in tags)
