"""The nearest passages are quoted with what stands around the words that were found."""

from fakes.hashed_models import OverlapReranker
from homes.small_world import evidence, passage
from hypothesis import given
from hypothesis import strategies as st

from vouch.adapters.analyser import SnowballAnalyser
from vouch.answering.quoting.nearest import CHARACTERS, MOST_PASSAGES, quote_nearest
from vouch.ports.language import Draft, Evidence

ANALYSER = SnowballAnalyser()
RERANKER = OverlapReranker(ANALYSER)
LEAVE = "Birds fly. Parents get 12 weeks of leave. It must be used within a year. Fish swim."


def near(question: str, given: list[Evidence]) -> Draft:
    return quote_nearest(RERANKER, question, given, ANALYSER.terms)


def quoted(draft: Draft, given: list[Evidence]) -> list[list[str]]:
    texts = {one.number: one.passage.text for one in given}
    return [[texts[n][a:b] for n, a, b in sentence.quotes] for sentence in draft.sentences]


def test_a_short_passage_is_quoted_whole_even_where_refinement_kept_a_part() -> None:
    given = evidence(LEAVE)
    draft = near("How many weeks of leave?", [Evidence(1, given[0].passage, ((0, 10),), 0.2)])
    assert quoted(draft, given) == [[LEAVE]] and not draft.certain


def test_each_of_the_first_passages_is_there_once_in_their_order() -> None:
    given = evidence("Weeks pass.", "Nothing of that.", "Leave takes weeks.", "Twelve weeks of leave.")
    draft = near("weeks of leave", given)
    assert [sentence.quotes[0][0] for sentence in draft.sentences] == [1, 2, 3] and MOST_PASSAGES == 3


def test_of_a_long_passage_the_nearest_words_stand_in_the_middle() -> None:
    text = " ".join([*(f"Sentence {n} is about birds." for n in range(40)), "Parents get 12 weeks of leave.",
                     *(f"Sentence {n} is about fish." for n in range(40))])
    given = evidence(text)
    [[words]] = quoted(near("12 weeks of leave for parents", given), given)
    assert "12 weeks" in words and len(words) <= CHARACTERS
    before, after = words.split("Parents get 12 weeks of leave.")
    assert "birds." in before and "fish." in after


def test_a_row_of_a_table_is_quoted_alone_under_its_columns() -> None:
    given = evidence("| Kind | Rate |\n|---|---|\n| Travel day | 75% |\n| Full day | 100% |")
    draft = near("rate on a travel day", given)
    assert quoted(draft, given) == [["Travel day | 75%"]] and draft.sentences[0].text == "Kind: Travel day; Rate: 75%"


def test_passages_without_a_sentence_are_left_out() -> None:
    given = evidence("# Leave", "Twelve weeks.")
    assert [sentence.quotes[0][0] for sentence in near("leave", given).sentences] == [2]
    assert near("leave", evidence("# Leave")).reason and near("leave", []).sentences == ()


@given(st.text("ab. \n-#|*`1", max_size=200))
def test_what_is_quoted_stands_in_the_passage(text: str) -> None:
    for sentence in near("a b 1", [Evidence(1, passage(text), ((0, len(text)),), 0.5)]).sentences:
        assert all(n == 1 and 0 <= a < b <= len(text) for n, a, b in sentence.quotes)
