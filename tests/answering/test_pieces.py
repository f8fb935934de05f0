"""The text of an answer in pieces holds every word of it, and the numbers of citations where they were laid out."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from homes.small_world import passage
from hypothesis import given
from hypothesis import strategies as st

from vouch.answering.answer_pieces import Piece, paragraphs
from vouch.answering.answer_text import apart, by_document, declined, flowing, listed, sentence_text
from vouch.answering.verification.citations import Citation, Sentence, Verified

LAYOUTS: list[Callable[[Verified], str]] = [
    by_document, apart, partial(listed, unsure=True), partial(listed, unsure=False), partial(flowing, unsure=True),
    partial(flowing, unsure=False),
]


def verified(*sentences: Sentence) -> Verified:
    """Each cited number is of a document of its own; number 2 is of the web."""
    numbers = sorted({number for sentence in sentences for number in sentence.citations})
    cited = tuple(
        Citation(n, passage("x", path=f"{n}.md", title=f"Doc [{n}]", origin="external" if n == 2 else "internal"), 0, 1)
        for n in numbers
    )
    return Verified(sentences, cited, ())


def body(laid: str, found: Verified) -> dict[str, Any]:
    told = [{"text": sentence_text(one), "citations": list(one.citations)} for one in found.sentences]
    return {"answer": laid, "sentences": told}


def marks(found: list[list[Piece]]) -> list[int]:
    return [piece.citation for paragraph in found for piece in paragraph if piece.citation is not None]


WORDS = st.lists(st.sampled_from(["One", "[1]", "[2]", "see", "(3 more: see [1])", "\n", "-", "```", ":"]), min_size=1,
                 max_size=6).map(" ".join).map(str.strip).filter(bool)
SENTENCES = st.builds(
    Sentence, text=WORDS, citations=st.lists(st.integers(1, 3), min_size=1, max_size=3, unique=True).map(tuple),
    support=st.just(1.0), left_out=st.sampled_from(["", "2 more steps"]), weak=st.booleans(),
)  # fmt: skip


@given(st.lists(SENTENCES, min_size=1, max_size=4), st.sampled_from(LAYOUTS))
def test_no_word_is_lost_and_each_citation_is_found(drawn: list[Sentence], lay: Callable[[Verified], str]) -> None:
    found = verified(*drawn)
    laid = lay(found)
    pieces = paragraphs(body(laid, found))
    said = ["".join(piece.text for piece in paragraph) for paragraph in pieces]
    assert said == [paragraph for paragraph in laid.split("\n\n") if paragraph.strip()]
    assert all(piece.text == f"[{piece.citation}]" for each in pieces for piece in each if piece.citation is not None)
    wanted = sum(len(one.citations) + bool(one.left_out) for one in drawn)
    assert len(marks(pieces)) >= wanted - sum(one.text.count("see [") for one in drawn)


def test_brackets_in_what_is_quoted_are_words() -> None:
    found = verified(Sentence("It is said in [3] and [1].", (1,), 1.0), Sentence("So it is [1].", (3,), 1.0))
    [one, other] = paragraphs(body(by_document(found), found))
    assert one == [Piece("Doc [1]:\nIt is said in [3] and [1]. "), Piece("[1]", 1)]
    assert other == [Piece("Doc [3]:\nSo it is [1]. "), Piece("[3]", 3)]


def test_what_stands_behind_the_numbers_stays_there() -> None:
    found = verified(Sentence("1. One.\n2. Two.", (1, 3), 1.0, left_out="3 more steps", weak=True))
    [pieces] = paragraphs(body(flowing(found, unsure=False), found))
    assert "".join(piece.text for piece in pieces) == (
        "1. One.\n2. Two. [1] [3] (its quotes may not say so)\n(3 more steps: see [3])")
    assert marks([pieces]) == [1, 3, 3]


def test_two_sentences_of_the_same_words_have_their_own_numbers() -> None:
    found = verified(Sentence("Yes.", (1,), 1.0), Sentence("Yes.", (1,), 1.0), Sentence("Yes.", (3,), 1.0))
    assert marks(paragraphs(body(flowing(found, unsure=False), found))) == [1, 1, 3]


@pytest.mark.parametrize("text", [declined(None, ()), "Removed. [1]", ""])
def test_what_has_no_sentences_is_words(text: str) -> None:
    assert paragraphs({"answer": text, "sentences": []}) == ([[Piece(text)]] if text else [])
