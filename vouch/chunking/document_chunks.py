"""Cuts a parsed document into chunks: by heading, then by size in the encoder's tokens."""

import math
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from vouch.chunking.cutting import Section, Span, cut, sections, token_windows
from vouch.chunking.papers import PAPER_RULES
from vouch.chunking.topics import TOPIC_RULES, turns
from vouch.documents.chunk import MOST_HEADER_INPUT, SECTION_JOINT, Chunk, chunk_id, passage_input
from vouch.documents.document import Block, Parsed
from vouch.documents.instructions import orders_a_model
from vouch.documents.text.sentences import sentence_spans
from vouch.documents.text.tables import header_line
from vouch.ports.ingestion import Tokenizer

Profile = Literal["usual", "papers", "topics"]

_SPECIAL = 2                # tokens a BERT-like encoder adds around its input
_LEAST_ROOM = 16            # tokens left for the passage, however long the section path is
_LONGEST = 32               # characters a chunk may have per token: a blob of letters can be one token
_ENOUGH = 1 / 3             # of the room: so much filled, a chunk takes in no further block; see `_pack`
_TOPIC = 1 / 6              # of the room: so much about one subject can be a chunk of its own
_RESERVED = 4               # a header is given so many parts of the room, whole ones; see `_left`
_DOUBT = 4                  # sums of tokens this close to the limit are counted exactly
_LINE = re.compile(r"[^\n]+")
_STRAY = re.compile(r"(?:\s|[,;)\]}»”’]|[.:!?…]+(?=\s|[,;)\]}»”’]|\Z))+")


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
        packer = _Packer(parsed.text, tokenizer, section, max(limit - used, _LEAST_ROOM), overlap, by_topic)
        tables = [block for block in section.blocks if block.kind == "table"]
        for start, end in packer.chunks():
            text = parsed.text[start:end]
            header = packer.header(start)
            reached, line = start, line + parsed.text.count("\n", reached, start)
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
                    injection=is_injection(parsed.title, section.path, parsed.text, header, text),
                    markup=parsed.markup.within(parsed.text, start, end),
                )
            )
            seen[section.path, text] += 1
    return tuple(chunks)


def is_injection(title: str, section: tuple[str, ...], text: str, header: Span | None, passage: str) -> bool:
    """Whether a passage, with all that is shown and read beside it, reads as orders to a language model."""
    return orders_a_model("\n".join((title, *section, text[slice(*header)] if header else "", passage)))


def _meets(blocks: Sequence[Block], start: int, end: int) -> bool:
    """Whether one of the blocks, which are in order, has a part of the range."""
    at = bisect_right(blocks, start, key=lambda block: block.end)
    return at < len(blocks) and blocks[at].start < end


@dataclass(frozen=True, slots=True)
class _Atom:
    """A range that is not cut further, and its tokens."""

    start: int
    end: int
    tokens: int
    prose: bool
    whole: bool             # a block of the document, not a piece of one


class _Packer:
    """Packs the blocks of one section into chunks of at most `room` tokens."""

    def __init__(
        self, text: str, tokenizer: Tokenizer, section: Section, room: int, overlap: int, by_topic: bool
    ) -> None:
        self._text = text
        self._tokenizer = tokenizer
        self._section = section
        self._room = room
        self._overlap = min(overlap, room // 3)
        self._by_topic = by_topic
        self._turns: frozenset[int] = frozenset()       # where another subject begins
        self._headers: dict[int, Span] = {}             # of cut tables, by where their rows begin

    def header(self, start: int) -> Span | None:
        """The header that a chunk carries which begins at `start`, once `chunks` has come there.

        None for one that begins inside a row.
        """
        return self._headers.get(start)

    def chunks(self) -> Iterator[Span]:
        """Ranges in order, without blanks or stray punctuation at the start, each with a word in it."""
        atoms = [atom for block in self._section.blocks for atom in self._atoms(block)]
        if self._by_topic:
            texts, sizes = [self._text[a.start : a.end] for a in atoms], [a.tokens for a in atoms]
            self._turns = frozenset(atoms[n].start for n in turns(texts, sizes, self._room * _TOPIC))
        for start, end in self._pack(atoms):
            stray = _STRAY.match(self._text, start, end)
            start = stray.end() if stray else start
            if any(c.isalnum() for c in self._text[start:end]):
                yield start, end

    def _count(self, start: int, end: int) -> int:
        return self._tokenizer.count(passage_input(self._text[start:end]))

    def _atoms(self, block: Block) -> list[_Atom]:
        prose = block.kind not in ("code", "table")
        tokens = self._count(block.start, block.end)
        if self._by_topic and block.kind == "paragraph" and tokens > self._room * _TOPIC:
            pieces = cut(self._text, block, self._is_sentence, self._windows)
            return [_Atom(start, end, self._count(start, end), prose, False) for start, end in pieces]
        if tokens <= self._room and block.end - block.start <= self._room * _LONGEST:
            return [_Atom(block.start, block.end, tokens, prose, True)]
        header = self._table_header(block)
        if header is not None:
            for line in _LINE.finditer(self._text, header[1], block.end):
                self._headers[line.end() - len(line[0].lstrip(" \t>"))] = header
        pieces = cut(self._text, block, self._fits, self._windows)
        return [_Atom(start, end, self._count(start, end), prose, False) for start, end in pieces]

    def _table_header(self, block: Block) -> Span | None:
        """The header that the pieces of a table carry; none if it takes half of the room."""
        found = header_line(self._text, block.start, block.end) if block.kind == "table" else None
        if found is None or found[1] - found[0] > MOST_HEADER_INPUT:
            return found                # quoted with the rows, and not embedded with them
        return found if self._count(*found) <= self._room // 2 else None

    def _left(self, start: int) -> int:
        """Tokens that a chunk which begins at `start` may have besides the header it carries.

        What a header is given does not follow its length token by token: when a
        column is renamed, the table is still cut at the same places, and what
        begins inside a row is not embedded anew.
        """
        header = self._headers.get(start)
        if header is None or header[1] - header[0] > MOST_HEADER_INPUT:
            return self._room
        part = self._room // _RESERVED
        return self._room - math.ceil(self._count(*header) / part) * part

    def _fits(self, start: int, end: int) -> bool:
        room = self._left(start)
        return end - start <= room * _LONGEST and self._count(start, end) <= room

    def _is_sentence(self, start: int, end: int) -> bool:
        return len(sentence_spans(self._text[start:end])) <= 1 and self._fits(start, end)

    def _windows(self, text: str, start: int, end: int) -> list[Span]:
        room = self._left(start)
        tokens = [(start + a, start + b) for a, b in self._tokenizer.spans(text[start:end])]
        return token_windows(text, tokens, start, end, room, room * _LONGEST)

    def _pack(self, atoms: list[_Atom]) -> Iterator[Span]:
        """Small neighbors are merged, but a chunk with enough in it stays alone, and repeats nothing.

        Filling every chunk to the brim would make each edit touch more text and
        move more boundaries: when it was tried over the 421 commits of a real
        handbook, a twelfth more of the changed documents' chunks was embedded
        anew.
        """
        start, last, total = -1, None, 0
        for atom in atoms:
            total += self._between(last, atom)
            full = self._is_enough(total, atom) and not self._announces(last)
            if last is not None and (full or not self._joins(start, atom, total + atom.tokens)):
                yield start, last.end
                start, total = (atom.start, 0) if full else self._overlap_start(start, last, atom)
            elif last is None:
                start, total = atom.start, 0
            last, total = atom, total + atom.tokens
        if last is not None:
            yield start, last.end

    def _is_enough(self, total: int, following: _Atom) -> bool:
        if self._by_topic:
            return following.start in self._turns
        return total >= self._room * _ENOUGH and following.whole

    def _between(self, last: _Atom | None, atom: _Atom) -> int:
        """Tokens of what stands between the two and belongs to neither, such as a rule."""
        if last is None or not self._text[last.end : atom.start].strip():
            return 0
        return self._count(last.end, atom.start)

    def _announces(self, atom: _Atom | None) -> bool:
        return atom is not None and self._text.endswith((":", ":**"), atom.start, atom.end)

    def _joins(self, start: int, atom: _Atom, total: int) -> bool:
        room = self._left(start)
        if total > room or atom.end - start > room * _LONGEST:
            return False
        return total <= room - _DOUBT or self._count(start, atom.end) <= room

    def _overlap_start(self, start: int, last: _Atom, following: _Atom) -> tuple[int, int]:
        """Where the next chunk begins so that it repeats the last sentences before it, and their tokens."""
        best, total = following.start, 0
        if not last.prose:
            return best, total
        for sentence, _ in reversed(sentence_spans(self._text[last.start : last.end])):
            at = last.start + sentence
            repeated = self._count(at, last.end)
            total_here = repeated + following.tokens
            fits = repeated <= self._overlap and self._joins(at, following, total_here)
            if at <= start or not fits:
                break
            best, total = at, repeated
        return best, total
