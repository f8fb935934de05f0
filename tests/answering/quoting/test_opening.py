"""A sentence that points back is quoted with the one before it."""

import pytest
from fakes.hashed_models import OverlapReranker
from homes.small_world import GATE, evidence

from vouch.adapters.analyser import SnowballAnalyser
from vouch.answering.quoting.extractive import ExtractiveWriter
from vouch.answering.quoting.quotable import run
from vouch.answering.quoting.surroundings import with_opening
from vouch.answering.quoting.units import units

ANALYSER = SnowballAnalyser()
WRITER = ExtractiveWriter(OverlapReranker(ANALYSER), ANALYSER, gate=GATE)


def opened(text: str) -> str:
    """Its last sentence, as it is quoted."""
    [one] = evidence(text)
    every = units(one.passage)
    return with_opening(run(one, every, len(every) - 1, len(every) - 1), every).text


@pytest.mark.parametrize("word", ["It", "This", "They", "These"])
def test_the_sentence_before_comes_along(word: str) -> None:
    text = f"Fish swim. Parental leave is paid. {word} must be used within one year."
    assert opened(text) == f"Parental leave is paid. {word} must be used within one year."


@pytest.mark.parametrize("text", [
    "Fish swim. Leave must be used within one year.",
    "Fish swim. Italy: used within one year.",
    "Fish swim in the sea, " + "far and wide, " * 20 + "always. It must be used within one year.",
    "## Fish swim\n\nIt must be used within one year.",
    "- Fish swim.\n\nIt must be used within one year.",
    "Q: Do fish swim?\nIt must be used within one year.\n\nQ: It must?",
    "It must be used within one year.",
])
def test_what_points_nowhere_or_to_what_is_long_stays_alone(text: str) -> None:
    assert "ish swim" not in opened(text)


def test_the_writer_quotes_the_sentence_before_though_it_shares_no_word_with_the_question() -> None:
    text = "Fish swim. Parental leave is paid. It is used within a year. Used within a year of birth counts."
    [sentence] = WRITER.write("used within a year of birth counts", evidence(text)).sentences
    assert sentence.text == text.removeprefix("Fish swim. ")
    [(_, start, end)] = sentence.quotes
    assert text[start:end] == sentence.text
