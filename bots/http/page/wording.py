"""How a page words an answer: how sure it is, and its quotes marked in the text of their document."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


def in_words(confidence: Mapping[str, Any]) -> list[str]:
    """A sentence for each part, by the bounds that docs/answers.md gives."""
    parts = confidence["parts"]
    if _is_sum(parts):
        return [_near(parts["rerank"]), _held(parts["citations"]), _facts(parts["facts"])]
    return [_evidence(parts["evaluator"]), _support(parts["support"]), _agreement(parts["agreement"])]


def in_numbers(confidence: Mapping[str, Any]) -> list[tuple[str, float]]:
    """The whole and each part that it was made of, with what it is called."""
    return [("In all", confidence["value"]), *((_TOLD[name], value) for name, value in made_of(confidence).items())]


def made_of(confidence: Mapping[str, Any]) -> dict[str, float]:
    """The parts that the value was computed from, by their names in docs/answers.md."""
    parts = confidence["parts"]
    return {name: parts[name] for name in (_SUMMED if _is_sum(parts) else _MULTIPLIED)}


def _is_sum(parts: Mapping[str, Any]) -> bool:
    """Whether the answer was made with VOUCH_ANSWERING__CONFIDENCE=sum; the other parts are there as well then."""
    return "rerank" in parts


_MULTIPLIED, _SUMMED = ("evaluator", "support", "agreement"), ("rerank", "citations", "facts")
_TOLD = {
    "evaluator": "The passages hold the answer", "support": "The quotes carry the sentences",
    "agreement": "The searches agree", "rerank": "The closest passage fits the question",
    "citations": "The quotes of the sentences hold", "facts": "The numbers stand in the quotes",
}  # fmt: skip


def _evidence(likely: float) -> str:
    how = "very likely hold" if likely >= 0.8 else "probably hold" if likely >= 0.5 else "may or may not hold"
    return f"The passages {how} the answer."


def _near(score: float) -> str:
    return f"The passages score {score:.0%} for the question."


def _held(share: float) -> str:
    return ("Every sentence that was written stands in its quotes." if share >= 1
            else f"{share:.0%} of the sentences that were written stand in their quotes.")


def _facts(share: float) -> str:
    return ("Every number that was written stands in its quotes." if share >= 1
            else f"{share:.0%} of the numbers that were written stand in their quotes.")


def _support(share: float) -> str:
    if share >= 1:
        return "Every word of the answer stands in its quotes."
    return f"{share:.0%} of the answer's words stand in its quotes."


def _agreement(share: float) -> str:
    if share >= 1:
        return "Both searches, by words and by meaning, put them among their first ten."
    return ("One of the two searches put them among its first ten." if share > 0
            else "Neither search put them among its first ten.")


@dataclass(frozen=True, slots=True)
class Piece:
    text: str
    marked: bool


@dataclass(frozen=True, slots=True)
class Part:
    """`heading`: the section's, where one begins."""

    heading: str
    flagged: bool
    pieces: tuple[Piece, ...]


def parts(passages: Sequence[Mapping[str, Any]], quote: tuple[int, int]) -> list[Part]:
    """Of passages in document order, each character once; what lies within `quote` is marked."""
    page_parts: list[Part] = []
    reached, section = 0, None
    for passage in passages:
        start, end = passage["characters"]
        begin = max(start, reached)
        text = passage["text"][begin - start :]
        if text:
            heading = passage["section"][-1] if passage["section"] and passage["section"] != section else ""
            page_parts.append(Part(heading, passage["flagged"], _pieces(text, begin, quote)))
        reached, section = max(end, reached), passage["section"]
    return page_parts


@dataclass(frozen=True, slots=True)
class Around:
    """What a page shows of a document; `earlier` and `later` are passages to open next, where there are any."""

    passages: tuple[Mapping[str, Any], ...]
    earlier: str | None
    later: str | None


def around(passages: Sequence[Mapping[str, Any]], chunk_id: str, most: int) -> Around:
    """`most` on each side of a passage. Nothing lies between this page and those of `earlier` and `later`; they repeat
    nothing either where `passages` has `2 * most + 1` on that side."""
    at = next(place for place, one in enumerate(passages) if one["chunk_id"] == chunk_id)
    first, end = max(at - most, 0), at + most + 1
    earlier = passages[max(at - 2 * most - 1, 0)]["chunk_id"] if first > 0 else None
    later = passages[min(at + 2 * most + 1, len(passages) - 1)]["chunk_id"] if end < len(passages) else None
    return Around(tuple(passages[first:end]), earlier, later)


def _pieces(text: str, begin: int, quote: tuple[int, int]) -> tuple[Piece, ...]:
    low, high = (min(max(at - begin, 0), len(text)) for at in quote)
    cut = ((text[:low], False), (text[low:high], True), (text[high:], False))
    return tuple(Piece(words, marked) for words, marked in cut if words)
