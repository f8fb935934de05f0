"""A training reads a bounded part of the ledger: what was judged first, then what is newest."""

from datetime import UTC, datetime, timedelta

from vouch.learning.labels.label import Label, Source
from vouch.learning.labels.newest import of_newest_answers

NOW = datetime(2026, 11, 23, tzinfo=UTC)


def label(answer: str | None, day: int, source: Source = "cited") -> Label:
    at = NOW + timedelta(days=day)
    return Label(f"Of {answer}?", ("public",), f"c{day}", None, 1, 2, source, 1.0, at, None, answer)


def test_labels_of_the_newest_answers_and_of_none_stay_in_their_order() -> None:
    given = [label("b", 3), label("a", 1), label(None, 0, "judged"), label("c", 2), label("a", 4)]
    assert of_newest_answers(given, 3) == given
    assert of_newest_answers(given, 2) == [given[0], given[1], given[2], given[4]]
    assert of_newest_answers(given, 1) == [given[1], given[2], given[4]]


def test_what_was_judged_goes_before_what_is_newer() -> None:
    given = [label("old", 0, "judged"), label("old", 0), label("new", 9)]
    assert of_newest_answers(given, 1) == given[:2]
    same = [label("a", 5), label("b", 5)]
    assert of_newest_answers(same, 1) == of_newest_answers(same[::-1], 1) == same[1:]
