"""Titles without slips of the pen, and questions that share a language and no subject."""

from datetime import UTC, datetime

import numpy as np
import pytest

from vouch.adapters.analyser import SnowballAnalyser
from vouch.learning.gaps.gap import Gap, GapLimits, Unmet, find_gaps
from vouch.learning.gaps.gap_titles import Titles, is_function_word, looks_foreign, one_slip_apart
from vouch.ports.models import Vector

NOW = datetime(2026, 11, 23, tzinfo=UTC)
TERMS = SnowballAnalyser().terms


@pytest.mark.parametrize(("word", "other", "apart"), [
    ("badge", "bagde", True), ("badge", "badgee", True), ("badge", "bdge", False), ("badges", "bages", True),
    ("badge", "budge", True), ("badge", "badge", False), ("badge", "bxdgx", False), ("form", "from", False),
    ("parking", "barking", True), ("parking", "marketing", False), ("python3", "python2", False),
    ("calendar", "calender", True), ("abcdef", "abdcfe", False),
])
def test_one_slip(word: str, other: str, apart: bool) -> None:
    assert one_slip_apart(word, other) is apart is one_slip_apart(other, word)


def said(*texts: str) -> list[Unmet]:
    return [Unmet(text, f"user:{n}", NOW, "declined") for n, text in enumerate(texts)]


def test_a_misspelt_word_gives_way_to_the_one_that_more_people_wrote() -> None:
    asked = said(*["renew my badge"] * 4, *["renew my bagde"] * 3)
    assert Titles(asked, TERMS, 3).of(asked) == ("renew", "badge")
    few = said(*["renew my badge"] * 2, *["renew my bagde"] * 2)
    assert Titles(few, TERMS, 3).of(few) == ("renew",), "nobody's word is told because of others' slips"


def found(*texts: str) -> list[Gap]:
    vectors: dict[str, Vector] = dict.fromkeys(texts, np.array([1.0, 0.0], np.float32))
    return find_gaps(said(*texts), vectors, datetime(2026, 11, 1, tzinfo=UTC), lambda v, n: [-1] * len(v), TERMS,
                     GapLimits())


def test_questions_that_share_a_language_alone_are_no_gap() -> None:
    assert found("wo ist der drucker", "wie bekomme ich urlaub", "wann gibt es kuchen") == []
    assert found("où est le frigo", "comment obtenir un visa", "quand arrive le train") == []
    (gap,) = found("wo ist der drucker", "wer repariert den drucker", "der drucker ist kaputt")
    assert gap.title == ("drucker",)
    (gap,) = found("wo ist der drucker", "wer repariert den drucker", "wann gibt es kuchen")
    assert gap.title == (), "two share a subject"
    assert len(found("renew badge", "lost pass", "door card")) == 1, "in English the models know what is alike"


def test_function_words_are_in_no_title() -> None:
    (gap,) = found(*(f"wie bekomme ich für den urlaub {word}" for word in ("a1", "b2", "c3", "d4")))
    assert gap.title == ("urlaub",)
    assert is_function_word("für") and not any(map(is_function_word, ("badge", "ai", "os", "pour", "urlaub")))
    assert looks_foreign(["wo", "ist", "x"]) and not looks_foreign(["where", "is", "x"]) and not looks_foreign([])
