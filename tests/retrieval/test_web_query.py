"""What a search service is sent: words of the question, the telling ones, and nothing else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vouch.adapters.analyser import SnowballAnalyser
from vouch.retrieval.question.query import WORDS, web_query

ANALYSER = SnowballAnalyser()


def query(question: str, words: int = WORDS) -> str:
    """Pieces as a tokenizer makes them, roughly: of three letters."""
    return web_query(question, ANALYSER, lambda word: -(-len(word) // 3), words)


@pytest.mark.parametrize(("question", "sent"), [
    ("How many weeks of paid leave do parents get?", "many weeks paid leave parents get"),
    ("Is “DreamWorks” owned by Time Warner, or by Universal?", "DreamWorks owned Time Warner Universal"),
    ("¿the of and?", ""), ("weeks, Weeks weeks", "weeks Weeks"),
    ("Does ana@acme.test own (https://wiki.acme.test/x?key=s3cret) exclusively?", "exclusively"),
])
def test_words_without_meaning_are_left_out(question: str, sent: str) -> None:
    assert query(question) == sent


def test_names_and_numbers_come_before_rare_words_and_the_order_is_the_question_s() -> None:
    question = "Please explain extraordinarily thoroughly whether RFC 9309 binds Borealis crawlers"
    assert query(question, 3) == "RFC 9309 Borealis"
    assert query(question, 5) == "extraordinarily thoroughly RFC 9309 Borealis"


@given(st.text(max_size=300))
def test_it_is_of_the_question_s_own_words(question: str) -> None:
    sent = query(question).split()
    assert len(sent) <= WORDS and all(word in question for word in sent)
