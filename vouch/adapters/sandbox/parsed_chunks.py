"""A document's bytes become text and chunks. This is the work that hostile files make expensive."""

from dataclasses import dataclass

from vouch.adapters.parsers import parse
from vouch.adapters.sandbox.limits import MOST_CHARACTERS, MOST_PASSAGES, ParsingLimits
from vouch.documents.chunk import Chunk
from vouch.documents.chunking import chunk_document
from vouch.documents.document import Content
from vouch.documents.papers import Characters, as_paper
from vouch.errors import Unreadable
from vouch.ports.tokenizer import Tokenizer


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
    papers: bool = False,
) -> ParsedChunks:  # fmt: skip
    """With `papers` sizes are in characters, and what papers are not searched for is left out.

    Raises Unreadable with a reason a person understands. Takes as long and as much memory as it takes."""
    parsed = parse(content, limits.pages)
    if len(parsed.text) > MOST_CHARACTERS:
        raise Unreadable(f"holds more than {MOST_CHARACTERS:,} characters", cure="split it")
    if papers:
        parsed, tokenizer = as_paper(parsed), Characters(tokenizer)
    try:
        chunks = chunk_document(
            source, content.path, parsed, tokenizer, size=size, overlap=overlap, headings_count=not papers)
    except RecursionError as error:
        raise Unreadable("is nested too deep to be split into passages", cure="simplify it") from error
    if len(chunks) > MOST_PASSAGES:
        raise Unreadable(f"makes more than {MOST_PASSAGES:,} passages", cure="split it")
    return ParsedChunks(parsed.text, parsed.title, parsed.narrowed, chunks, parsed.owners)
