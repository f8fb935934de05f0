"""The text of an answer in pieces, for whoever shows more than text: words, and numbers of citations among them.

Every surface shows the text that answer_text.py laid out. One that shows the sentences instead would leave out what is
said beside them.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from vouch.answering.verification.citations import MARK

_PARAGRAPH = "\n\n"
_NUMBER = re.compile(r"\[(\d+)\]")
_TAIL = re.compile(rf"(?:{re.escape(MARK)})?(?:\n\([^\n]*: see \[\d+\]\))?\Z")     # what stands behind the numbers


@dataclass(frozen=True, slots=True)
class Piece:
    """`citation`: its number, where the text is one in brackets; None for words."""

    text: str
    citation: int | None = None


def paragraphs(answer: Mapping[str, Any]) -> list[list[Piece]]:
    """Of an answer's JSON the whole text, but for blank lines; brackets that a sentence quotes are words of it."""
    text, at = str(answer["answer"]), 0
    marks, found = sorted(_marks(text, answer["sentences"])), []
    for paragraph in text.split(_PARAGRAPH):
        end = at + len(paragraph)
        if paragraph.strip():
            found.append(list(_pieces(text, at, end, [mark for mark in marks if at <= mark[0] < end])))
        at = end + len(_PARAGRAPH)
    return found


def _pieces(text: str, start: int, end: int, marks: Sequence[tuple[int, int, int]]) -> Iterator[Piece]:
    for first, last, number in marks:
        if start < first:
            yield Piece(text[start:first])
        yield Piece(text[first:last], number)
        start = last
    if start < end:
        yield Piece(text[start:end])


def _marks(text: str, sentences: Sequence[Mapping[str, Any]]) -> Iterator[tuple[int, int, int]]:
    """Where the numbers behind each sentence stand: begin, end, number."""
    taken: list[tuple[int, int]] = []
    for sentence in sentences:
        for words, numbers in _as_laid_out(sentence["text"], sentence["citations"]):
            if (at := _free(text, words + numbers, taken)) >= 0:
                begin, end = at + len(words), at + len(words) + len(numbers)
                taken.append((at, end))
                yield from ((one.start(), one.end(), int(one[1])) for one in _NUMBER.finditer(text, begin, end))
                break


def _as_laid_out(text: str, citations: Sequence[int]) -> Iterator[tuple[str, str]]:
    """A sentence's words, and what may stand behind them in the text of the answer, most likely first."""
    row = " ".join(f"[{number}]" for number in citations)
    tail = _TAIL.search(text)
    words = text[: tail.start()] if tail else text
    rests = [(words, text[len(words) :]), (text, "")] if words != text else [(text, "")]
    yield from ((words, f"{joint}{row}{rest}") for words, rest in rests for joint in (" ", "\n"))


def _free(text: str, wanted: str, taken: Sequence[tuple[int, int]]) -> int:
    """Where it stands first outside of what is taken; -1 if nowhere."""
    at = text.find(wanted)
    while at >= 0 and any(at < end and begin < at + len(wanted) for begin, end in taken):
        at = text.find(wanted, at + 1)
    return at
