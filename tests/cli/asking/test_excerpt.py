"""What `vouch search` shows of a passage tells why it was found."""

from cli.asking.excerpt import excerpt
from vouch.adapters.analyser import SnowballAnalyser

TERMS = SnowballAnalyser().terms
ROWS = "\n".join(f"| Widget-{n} | {'blue and very long ' * 6}| {34 - n} |" for n in range(16, 19))


def test_it_begins_with_the_row_that_is_named() -> None:
    assert excerpt(ROWS, "Widget-18", TERMS).startswith("… | Widget-18 | blue")
    assert excerpt(ROWS, "Widget-16", TERMS).startswith("| Widget-16 |")


def test_it_begins_with_the_line_that_has_most_of_the_words_unless_the_beginning_has_them() -> None:
    text = "Birds fly over the sea.\n\n" + "Fish swim. " * 30 + "\nThe keys are rotated each year.\n"
    assert excerpt(text, "key rotation", TERMS) == "… The keys are rotated each year."
    assert excerpt(text, "birds", TERMS).startswith("Birds fly over the sea. Fish swim.")
    assert excerpt(text, "zebra", TERMS).startswith("Birds fly") and len(excerpt(text, "zebra", TERMS)) == 200


def test_nothing_is_shown_of_nothing() -> None:
    assert excerpt(" \n", "Widget-17", TERMS) == ""
