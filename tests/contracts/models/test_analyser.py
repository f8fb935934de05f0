"""What every analyser promises: the port Analyser."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vouch.adapters.analyser import SnowballAnalyser
from vouch.ports.models import Analyser


@pytest.fixture(params=[SnowballAnalyser], ids=["snowball"], scope="module")
def analyser(request: pytest.FixtureRequest) -> Analyser:
    made: Analyser = request.param()
    return made


@given(text=st.text(max_size=60))
def test_equal_text_gives_equal_terms(analyser: Analyser, text: str) -> None:
    assert analyser.terms(text) == analyser.terms(text)
    assert all(isinstance(term, str) and term.split() == [term] and term.encode() for term in analyser.terms(text))


def test_repeats_and_order_are_kept(analyser: Analyser) -> None:
    first, second = analyser.terms("invoice")[0], analyser.terms("badge")[0]
    assert analyser.terms("invoice badge invoice") == [first, second, first]


def test_stop_words_and_marks_give_no_terms(analyser: Analyser) -> None:
    assert analyser.terms("") == analyser.terms("the of and") == analyser.terms("?! -- ...") == []


def test_forms_of_a_word_and_parts_of_a_name_meet(analyser: Analyser) -> None:
    assert analyser.terms("running") == analyser.terms("runs")
    pairs = (("7107", "comp7107a"), ("user name", "getUserName"), ("cafe", "Café"), ("大学", "東京大学"))
    for question, document in pairs:
        assert set(analyser.terms(question)) <= set(analyser.terms(document))


def test_the_fingerprint_stays(analyser: Analyser) -> None:
    before = analyser.fingerprint
    analyser.terms("anything")
    assert before and analyser.fingerprint == before
