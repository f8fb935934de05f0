"""Cuts a parsed document into chunks: by heading, then by size in the encoder's tokens."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from typing import Literal

from vouch.chunking.chunk_packing import Packer
from vouch.chunking.cutting import sections
from vouch.chunking.papers import PAPER_RULES
from vouch.chunking.pieces import Pieces
from vouch.chunking.topics import TOPIC_RULES
from vouch.documents.chunk import SECTION_JOINT, Chunk, chunk_id
from vouch.documents.document import Block, Parsed
from vouch.documents.instructions import named, orders_a_model
from vouch.documents.text.markup import Markup, shown_apart
from vouch.documents.text.span import Span
from vouch.ports.ingestion import Tokenizer

Profile = Literal["usual", "papers", "topics"]

_SPECIAL = 2                # tokens a BERT-like encoder adds around its input
_LEAST_ROOM = 16            # tokens left for the passage, however long the section path is


def chunker_fingerprint(size: int, overlap: int, profile: Profile = "usual") -> str:
    """Changes whenever the chunks of an equal text could change; goes with the encoder's own fingerprint."""
    rules = {"usual": "", "papers": f"/{PAPER_RULES}", "topics": f"/{TOPIC_RULES}"}
    return f"sections-6/{size}/{overlap}{rules[profile]}"


def chunk_document(
    source: str, path: str, parsed: Parsed, tokenizer: Tokenizer, size: int = 180, overlap: int = 30, *,
    headings_count: bool = True, by_topic: bool = False,
) -> tuple[Chunk, ...]:  # fmt: skip
    """The chunks of one document, in order; every word outside front matter and headings lies in one.

    A chunk's model input has at most `size` tokens (and what the encoder
    takes), cut inside a sentence, table row or line of code only where one is
    larger than that. Where a section had to be cut for size, the neighbors
    share whole sentences of up to `overlap` tokens; a table that had to be cut
    has its header named by every chunk that begins in the middle of it.
    Where `headings_count` is false, `size` is that of a chunk without the
    headings before it. `by_topic`: a chunk ends where the text goes on to
    another subject, within a paragraph too.
    """
    limit = min(size, tokenizer.limit)
    reached, line = 0, 1                # where lines were counted to: a list of all of them can outgrow the text
    seen: Counter[tuple[tuple[str, ...], str]] = Counter()
    chunks: list[Chunk] = []
    for section in sections(parsed):
        heading = SECTION_JOINT.join(section.path)
        used = tokenizer.count(heading) + _SPECIAL if headings_count else 0
        room = max(limit - used, _LEAST_ROOM)
        pieces = Pieces(parsed.text, tokenizer, room, by_topic)
        packer = Packer(parsed.text, pieces, room, overlap, by_topic)
        tables = [block for block in section.blocks if block.kind == "table"]
        for start, end in packer.chunks(section.blocks):
            text = parsed.text[start:end]
            header = pieces.header(start)
            reached, line = start, line + parsed.text.count("\n", reached, start)
            markup = parsed.markup.within(parsed.text, start, end)
            chunks.append(
                Chunk(
                    id=chunk_id(source, path, section.path, text, seen[section.path, text]),
                    section=section.path,
                    start=start,
                    end=end,
                    first_line=line,
                    last_line=line + text.count("\n"),
                    ordinal=len(chunks),
                    page=section.page,
                    has_table=_meets(tables, start, end),
                    header=header,
                    injection=is_injection(path, parsed.title, section.path, parsed.text, header, text, markup),
                    markup=markup,
                )
            )
            seen[section.path, text] += 1
    return tuple(chunks)


def is_injection(
    path: str, title: str, section: tuple[str, ...], text: str, header: Span | None, passage: str, markup: Markup
) -> bool:
    """Whether a passage, with all that is shown and read beside it, reads as orders to a language model: as it is
    written, or as it is shown."""
    beside = "\n".join((named(path), title, *section, text[slice(*header)] if header else ""))
    return any(orders_a_model(f"{beside}\n{one}") for one in {passage, shown_apart(passage, markup)})


def _meets(blocks: Sequence[Block], start: int, end: int) -> bool:
    """Whether one of the blocks, which are in order, has a part of the range."""
    at = bisect_right(blocks, start, key=lambda block: block.end)
    return at < len(blocks) and blocks[at].start < end
