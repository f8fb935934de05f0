"""Pack: refined passages as numbered evidence within a token budget, and the rules of their order and room.

Each rule takes passages with their kept strips, best first, and gives them
back. A passage is never joined to another: each keeps its number and its
place, so that a citation of it stays exact.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Literal

from vouch.answering.refinement import Refined
from vouch.documents.chunk import SECTION_JOINT
from vouch.documents.text.tables import cells, table_rows
from vouch.ports.language import Evidence
from vouch.values.candidate import Passage

Order = Literal["relevance", "document", "edges"]
Shorten = Literal["cut", "adaptive"]
Cost = Callable[[Refined], int]         # tokens of a passage with its strips, heading and frame
FEWEST = 3                              # passages that are shortened before any of them is left out
_QUOTE = (">", "“", '"', "«", "„")


@dataclass(frozen=True, slots=True)
class Packing:
    """`most`: tokens of one passage's strips; 0: any number. `merge`: passages of a section stand together, and words
    that two of a document share are given once."""

    most: int = 0
    shorten: Shorten = "cut"
    merge: bool = False
    order: Order = "relevance"


PLAIN = Packing()


def limited(refined: Iterable[Refined], most: int, count_tokens: Callable[[str], int]) -> list[Refined]:
    """The first strips of each passage that fit, at least one."""
    pieces = []
    for piece in refined:
        left, strips = most, list[tuple[int, int]]()
        for strip in piece.strips:
            left -= count_tokens(_words(piece, strip))
            if left < 0 and strips:
                break
            strips.append(strip)
        pieces.append(replace(piece, strips=tuple(strips)))
    return pieces


def merged(refined: Sequence[Refined]) -> list[Refined]:
    """Passages of one section in the place of the best of them, in the document's order; a strip whose words an earlier
    one has at the same place of the document is left out."""
    sections: dict[object, list[Refined]] = {}
    for piece in refined:
        passage = piece.candidate.passage
        sections.setdefault((passage.document, passage.section), []).append(piece)
    together = [piece for some in sections.values()
                for piece in sorted(some, key=lambda piece: (piece.candidate.passage.start, piece.candidate.chunk_id))]
    spans_by_document: dict[object, list[tuple[int, int]]] = {}
    pieces = []
    for piece in together:
        passage = piece.candidate.passage
        seen = spans_by_document.setdefault((passage.document, passage.origin), [])
        fresh = []
        for start, end in piece.strips:
            span = passage.start + start, passage.start + end
            if not any(a <= span[0] and span[1] <= b for a, b in seen):
                fresh.append((start, end))
                seen.append(span)
        if fresh:
            pieces.append(replace(piece, strips=tuple(fresh)))
    return pieces


def adapted(refined: Sequence[Refined], budget: int, cost: Cost) -> list[Refined]:
    """Fewer passages first, the last ones, down to three; then shorter ones; tables and quotations go last.

    The first passage keeps a strip, whatever that costs.
    """
    pieces = list(refined)

    def over() -> bool:
        return sum(map(cost, pieces)) > budget

    while over() and len(pieces) > FEWEST and (plain := [n for n, one in enumerate(pieces) if n and not _dear(one)]):
        del pieces[plain[-1]]
    while over() and (shorter := _shorter(pieces, spare=True)) is not None:
        pieces = shorter
    while over() and len(pieces) > 1:
        del pieces[-1]
    while over() and (shorter := _shorter(pieces, spare=False)) is not None:
        pieces = shorter
    return pieces


def ordered(refined: Sequence[Refined], order: Order) -> list[Refined]:
    """`document`: documents by their best passage, each from its beginning. `edges`: the best first, the next best
    last, the weakest in the middle, where models read least well (Liu et al. 2023, arXiv 2307.03172)."""
    if order == "edges":
        return [*refined[::2], *reversed(refined[1::2])]
    if order == "relevance":
        return list(refined)
    first: dict[object, int] = {}
    for one in refined:
        first.setdefault(one.candidate.passage.document, len(first))
    return sorted(refined, key=lambda one: (first[one.candidate.passage.document], one.candidate.passage.start))


def _shorter(kept: Sequence[Refined], *, spare: bool) -> list[Refined] | None:
    """Without one strip of the last passage that has two, its last; with `spare` none of a table or quotation."""
    for n in range(len(kept) - 1, -1, -1):
        one = kept[n]
        free = [k for k, strip in enumerate(one.strips) if not (spare and _is_dear(one, strip))]
        if len(one.strips) > 1 and free:
            strips = (*one.strips[: free[-1]], *one.strips[free[-1] + 1 :])
            return [*kept[:n], replace(one, strips=strips), *kept[n + 1 :]]
    return None


def _dear(one: Refined) -> bool:
    return any(_is_dear(one, strip) for strip in one.strips)


def _is_dear(one: Refined, strip: tuple[int, int]) -> bool:
    """Rows of a table, or words that the document itself quotes."""
    passage, (start, end) = one.candidate.passage, strip
    rows = table_rows(passage.text, passage.header)
    return any(row.start < end and start < row.end for row in rows) or _words(one, strip).lstrip().startswith(_QUOTE)


def _words(one: Refined, strip: tuple[int, int]) -> str:
    return one.candidate.passage.text[slice(*strip)]


FRAME_TOKENS = 8                        # number, brackets and line ends around one passage


def heading(passage: Passage) -> str:
    """How a passage is introduced to a writer: document, section path, columns of the table that it goes on with."""
    parts = [passage.title, *(part for part in passage.section if part != passage.title)]
    path = SECTION_JOINT.join(part for part in parts if part)
    if passage.origin == "external":
        path = f"{path} (from the web)"
    return f"{path} (columns: {' | '.join(cells(passage.header))})" if passage.header else path


def pack(
    refined: Sequence[Refined], budget: int, count_tokens: Callable[[str], int], how: Packing = PLAIN
) -> tuple[Evidence, ...]:
    """Evidence numbered from 1 in the order it stands in, within the budget.

    The best passages are kept; only then are they put in an order. The first
    strip of the first passage always stays, whatever its length.
    """
    count, chosen = cache(count_tokens), list(refined)
    if how.merge:
        chosen = merged(chosen)
    if how.most:
        chosen = limited(chosen, how.most, count)
    fitting = _cut(chosen, budget, count) if how.shorten == "cut" else adapted(chosen, budget, partial(_cost, count))
    return tuple(
        Evidence(number, piece.candidate.passage, piece.strips, piece.candidate.probability or 0.0)
        for number, piece in enumerate(ordered(fitting, how.order), 1)
    )


def _cut(refined: Sequence[Refined], budget: int, count: Callable[[str], int]) -> list[Refined]:
    """Strips cut from the end where the budget is spent."""
    pieces: list[Refined] = []
    left = budget
    for piece in refined:
        cost, strips = _cost(count, replace(piece, strips=())), list[tuple[int, int]]()
        for start, end in piece.strips:
            more = count(piece.candidate.passage.text[start:end])
            if cost + more > left and (pieces or strips):
                break
            strips.append((start, end))
            cost += more
        if strips:
            pieces.append(replace(piece, strips=tuple(strips)))
            left -= cost
    return pieces


def _cost(count: Callable[[str], int], one: Refined) -> int:
    passage = one.candidate.passage
    return FRAME_TOKENS + count(heading(passage)) + sum(count(passage.text[a:b]) for a, b in one.strips)
