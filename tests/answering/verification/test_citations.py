"""Verification: planted bad drafts are caught, true ones pass unchanged."""

from collections.abc import Sequence

import pytest
from homes.small_world import evidence
from hypothesis import given
from hypothesis import strategies as st

from vouch.adapters.analyser import SnowballAnalyser
from vouch.answering.answer_text import answer_text, sentence_text
from vouch.answering.verification.citations import MARK, Support, Verified, verify
from vouch.ports.language import QUOTED, Draft, DraftSentence

TERMS = SnowballAnalyser().terms
TEXT = "Parents get 12 weeks.\nIt must be used within one year. See https://rules.example/a."
OTHER = "Badges are made every Wednesday."


def check(*sentences: tuple[str, tuple[tuple[int, int, int], ...]]) -> Verified:
    return verify(Draft(tuple(DraftSentence(*s) for s in sentences), "m"), evidence(TEXT, OTHER), TERMS)


def test_a_true_sentence_passes_with_its_place() -> None:
    verified = check(("Parents get 12 weeks.", ((1, 0, 21),)), ("Use it within a year.", ((1, 22, 54),)))
    assert [s.text for s in verified.sentences] == ["Parents get 12 weeks.", "Use it within a year."]
    first, second = verified.citations
    assert (first.number, first.quote) == (1, "Parents get 12 weeks.")
    assert (first.characters, first.lines) == ((100, 121), (1, 1))
    assert second.quote == "It must be used within one year." and second.lines == (2, 2)
    assert verified.warnings == () and verified.sentences[0].support == 1.0


@pytest.mark.parametrize(("sentence", "quotes", "cause"), [
    ("Parents get 12 weeks.", (), "cites nothing"),
    ("Parents get 12 weeks.", ((3, 0, 5),), "not in the evidence"),
    ("Parents get 12 weeks.", ((0, 0, 5),), "not in the evidence"),
    ("Parents get 12 weeks.", ((1, 0, 5000),), "not in the evidence"),
    ("Parents get 12 weeks.", ((1, -5, 5),), "not in the evidence"),
    ("Parents get 12 weeks.", ((1, 9, 9),), "not in the evidence"),
    ("Parents get 12 weeks.", ((1, 21, 22),), "not in the evidence"),
    ("Parents get 16 weeks.", ((1, 0, 21),), "16 weeks is not in what it cites"),
    ("Parents get 12% more.", ((1, 0, 21),), "12% is not in what it cites"),
    ("Badges take 12 weeks.", ((2, 0, 32),), "12 weeks is not in what it cites"),
    ("https://evil.example", ((1, 0, 21),), "no words were left"),
    ("\u200b\u202e", ((1, 0, 21),), "no words were left"),
])
def test_a_planted_fault_is_dropped_with_its_cause(
    sentence: str, quotes: tuple[tuple[int, int, int], ...], cause: str
) -> None:
    verified = check((sentence, quotes), ("Badges are made every Wednesday.", ((2, 0, 32),)))
    assert [s.text for s in verified.sentences] == ["Badges are made every Wednesday."]
    assert len(verified.warnings) == 1 and cause in verified.warnings[0] and "sentence 1" in verified.warnings[0]


def test_a_number_has_to_stand_in_one_quote() -> None:
    first, second = "The fee is for group 12", "500 euros are due each year."
    given = evidence(first, second)
    quotes = ((1, 0, len(first)), (2, 0, len(second)))

    def told(text: str) -> Verified:
        return verify(Draft((DraftSentence(text, quotes),), "m"), given, TERMS)

    assert told("The fee is 12 500 euros each year.").sentences == ()
    assert told("The fee of group 12 is 500 euros each year.").sentences


def test_a_sentence_of_other_words_is_flagged() -> None:
    verified = check(("Dragons guard treasure happily.", ((2, 0, 32),)))
    assert len(verified.sentences) == 1 and "shares few words" in verified.warnings[0]


WEAK = DraftSentence("Dragons guard treasure happily.", ((2, 0, 32),))
SOUND = DraftSentence("Parents get 12 weeks.", ((1, 0, 21),))


def weighed(support: Support, model: str = "m") -> Verified:
    return verify(Draft((WEAK, SOUND), model), evidence(TEXT, OTHER), TERMS, support=support)


def test_a_sentence_of_a_model_without_support_is_told_of_marked_or_dropped() -> None:
    assert [s.weak for s in weighed(Support()).sentences] == [False, False]
    marked = weighed(Support("mark"))
    assert [s.weak for s in marked.sentences] == [True, False] and "shares few words" in marked.warnings[0]
    assert answer_text(marked.sentences) == f"{WEAK.text} [1]{MARK} {SOUND.text} [2]"
    assert sentence_text(marked.sentences[0]) == WEAK.text + MARK
    dropped = weighed(Support("drop"))
    assert [s.text for s in dropped.sentences] == [SOUND.text]
    assert dropped.warnings == ("sentence 1 of the draft was dropped: it shares few words with what it cites",)


def test_quotations_are_their_own_support() -> None:
    assert len(weighed(Support("drop"), QUOTED).sentences) == 2


def test_closeness_may_tell_the_support() -> None:
    class Close:
        fingerprint = "close"

        def scores(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
            return [0.9 if "Dragons" in sentence else 0.6 for sentence, _ in pairs]

    kept = weighed(Support("drop", Close(), 0.7))
    assert [s.text for s in kept.sentences] == [WEAK.text] and "not close" in kept.warnings[0]
    assert kept.sentences[0].support == 0.9


def test_the_shares_of_a_draft_that_hold() -> None:
    verified = check(("Parents get 12 weeks.", ((1, 0, 21),)), ("Parents get 16 of 12 weeks.", ((1, 0, 21),)))
    assert verified.held == 0.5 and verified.facts == pytest.approx(2 / 3)


def test_foreign_links_go_and_cited_ones_stay() -> None:
    verified = check(("See https://rules.example/a or https://evil.example/b <!here>.", ((1, 55, len(TEXT)),)))
    assert verified.sentences[0].text == "See https://rules.example/a or ."


def test_one_quote_used_twice_is_one_citation() -> None:
    verified = check(("Parents get 12 weeks.", ((1, 0, 21),)), ("12 weeks.", ((1, 0, 21), (2, 0, 6))))
    assert [s.citations for s in verified.sentences] == [(1,), (1, 2)]


@given(st.lists(st.tuples(
    st.text(max_size=30),
    st.lists(st.tuples(st.integers(-1, 4), st.integers(-5, 100), st.integers(-5, 100)), max_size=3).map(tuple),
), max_size=5))
def test_whatever_a_model_writes_every_sentence_kept_cites_exact_text(
    sentences: list[tuple[str, tuple[tuple[int, int, int], ...]]]
) -> None:
    verified = check(*sentences)
    numbered = {c.number: c for c in verified.citations}
    assert sorted(numbered) == list(range(1, len(numbered) + 1))
    for sentence in verified.sentences:
        assert sentence.citations and any(c.isalnum() for c in sentence.text)
        for number in sentence.citations:
            citation = numbered[number]
            assert citation.quote and citation.quote == citation.quote.strip()
            assert citation.quote == citation.passage.text[citation.start : citation.end]
            assert citation.characters[0] == citation.passage.start + citation.start
    assert len(verified.sentences) + sum("dropped" in w for w in verified.warnings) == len(sentences)
