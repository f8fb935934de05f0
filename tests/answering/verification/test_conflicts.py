"""Two documents that disagree are told of, and nothing else is."""

from datetime import UTC, datetime

import pytest
from fakes.hashed_models import OverlapReranker
from homes.small_world import GATE, passage

from vouch.adapters.analyser import SnowballAnalyser
from vouch.answering.answer_text import apart, by_document
from vouch.answering.quoting.extractive import ExtractiveWriter
from vouch.answering.verification.citations import Verified, verify
from vouch.ports.language import QUOTED, Draft, DraftSentence, Evidence

TERMS = SnowballAnalyser().terms
OLD, NEW = datetime(2024, 1, 5, tzinfo=UTC), datetime(2026, 1, 5, tzinfo=UTC)


def quoted(
    one: str, other: str, *, dates: tuple[datetime | None, datetime | None] = (None, None),
    headings: tuple[str, str] = ("", ""),
) -> Verified:
    texts = {1: one, 2: other}
    given = [
        Evidence(n, passage(text, path=f"{n}.md", title=f"Doc {n}", chunk_id=f"c{n}", changed_at=dates[n - 1],
                            section=(f"Doc {n}", headings[n - 1])),
                 ((0, len(text)),), 0.9)
        for n, text in texts.items()
    ]
    sentences = tuple(DraftSentence(text, ((n, 0, len(text)),)) for n, text in texts.items())
    return verify(Draft(sentences, QUOTED), given, TERMS)


@pytest.mark.parametrize(("one", "other", "told"), [
    ("Parents get 12 weeks of leave.", "Parents get 10 weeks of leave.", "Doc 1 says 12 weeks, Doc 2 10 weeks"),
    ("The parents receive 12 weeks of leave.", "Parents are entitled to 10 days of leave.",
     "Doc 1 says 12 weeks, Doc 2 10 days"),
    ("Hotels cost up to $150 per night.", "Hotels may cost $120 per night.", "Doc 1 says $150, Doc 2 $120"),
    ("Birds fly. The rate for travel is 75%.", "The rate for travel is 80 %.", "Doc 1 says 75%, Doc 2 80 %"),
    ("API keys must be rotated every 180 days.", "Rotate your API keys every 90 days.",
     "Doc 1 says 180 days, Doc 2 90 days"),
    ("Refunds are processed in 3 days.", "We process a refund in 5 days.", "Doc 1 says 3 days, Doc 2 5 days"),
    ("Planned policies last 5 years.", "Planning a policy lasts 7 years.", "Doc 1 says 5 years, Doc 2 7 years"),
    ("Logs are deleted after 30 days.", "Delete each log after 60 days.", "Doc 1 says 30 days, Doc 2 60 days"),
])
def test_different_numbers_in_the_same_words_are_a_disagreement(one: str, other: str, told: str) -> None:
    assert by_document(quoted(one, other)).startswith(f"Two documents disagree: {told}.\n\nDoc 1:")


def test_rows_that_leave_columns_out_are_no_disagreement() -> None:
    """What is left out, such as a country, may be why their numbers differ."""
    columns = ("Role", "Parental leave", "Country", "Office", "Notes")
    rest = ("Main street, first floor, behind the station, left of the door, where the post is put in the morning",
            "Ask the people team about the forms to sign before the birth, and about what is paid on top of it by them")
    texts = ["\n".join(f"| {' | '.join(row)} |" for row in (columns, ("---",) * 5, ("Engineer", weeks, country, *rest)))
             for weeks, country in (("12 weeks", "Germany"), ("10 weeks", "France"))]
    given = [Evidence(n, passage(text, path=f"{n}.md", title=f"Doc {n}", chunk_id=f"c{n}"), ((0, len(text)),), 0.9)
             for n, text in enumerate(texts, 1)]
    analyser = SnowballAnalyser()
    writer = ExtractiveWriter(OverlapReranker(analyser), analyser, gate=GATE)
    draft = writer.write("How many weeks of parental leave does an engineer get?", given)
    assert [sentence.left_out for sentence in draft.sentences] == ["3 more columns", ""]
    assert "disagree" not in apart(verify(draft, given, TERMS))


@pytest.mark.parametrize(("hour", "told"), [(datetime(2026, 1, 5, 9, tzinfo=UTC), False), (OLD, True)])
def test_what_changed_on_one_day_is_not_told_as_newer(hour: datetime, told: bool) -> None:
    verified = quoted("Parents get 12 weeks of leave.", "Parents get 10 weeks of leave.", dates=(hour, NEW))
    assert ("was changed last" in by_document(verified)) == told


KEYS, EVERY = "API keys are rotated every 180 days.", "Rotate every 90 days."


@pytest.mark.parametrize(("one", "other", "headings", "told"), [
    (KEYS, EVERY, ("Security", "API keys"), True),
    (EVERY, KEYS, ("API keys", "Security"), True),
    (KEYS, EVERY, ("API keys", "Passwords"), False),
    (KEYS, EVERY, ("API keys", "Signing keys"), False),
    (KEYS, EVERY, ("API keys", ""), False),
    ("Rotate every 180 days.", EVERY, ("Passwords", "API keys"), False),
    ("Employees get 20 days of paid leave.", "Employees get 5 days of paid sick leave.", ("Leave", "Leave"), False),
    ("Employees get 20 days of paid leave.", "Employees get 5 days of paid sick leave.", ("Sick leave", ""), True),
    ("Full-time employees get 20 days of leave.", "Part-time employees get 9 days of leave.",
     ("Part-time, full-time",) * 2, False),
    ("Employees get 20 days of leave.", "Part-time employees get 9 days of leave.",
     ("Part-time and full-time employees",) * 2, False),
    ("Employees get 20 days of leave.", "Part-time employees get 9 days of leave.", ("Part-time employees", ""), True),
    ("It takes 5 days.", "Shipping costs $6.", ("Shipping", "Shipping"), False),
    ("Tea lasts 5 days.", "Milk keeps 6 days.", ("Milk keeps", "Tea lasts"), False),
    (KEYS, "API keys are rotated every 90 days.", ("Tier 1 services", "Tier 2 services"), False),
    (KEYS, "API keys are rotated every 90 days.", ("Plan A", "Plan B"), False),
    (KEYS, "API keys are rotated every 90 days.", ("Plan A", "Security"), True),
    (KEYS, "API keys are rotated every 90 days.", ("How to plan a trip", "Plan B"), True),
    (KEYS, "API keys are rotated every 90 days.", ("Step 2. Keys", "Step 3. Keys"), True),
    (KEYS, "API keys are rotated every 90 days.", ("Level 01", "level 1"), True),
    (KEYS, "API keys are rotated every 90 days.", ("Tier 1 and tier 2", "Tier 2"), True),
    (KEYS, "API keys are rotated every 90 days.", ("Tier 1 services", "Services of tier 1"), True),
    (KEYS, "API keys are rotated every 90 days.", ("Version 1", "Version 2"), True),
])
def test_what_stands_above_a_sentence_counts_as_said(
    one: str, other: str, headings: tuple[str, str], told: bool
) -> None:
    assert ("disagree" in by_document(quoted(one, other, headings=headings))) == told


@pytest.mark.parametrize(("one", "other"), [
    ("Parents get 12 weeks of leave.", "Parents get twelve weeks of leave."),
    ("Parents get 2 weeks of leave.", "Parents get 14 days of leave."),
    ("Full-time employees get 12 weeks of leave.", "Part-time employees get 6 weeks of leave."),
    ("Employees get 20 days of paid leave.", "Employees get 5 days of paid sick leave."),
    ("Parents get 12 weeks of leave.", "Parents get 75% of leave."),
    ("Parents get 12 weeks of leave.", "The office opens at 10 hours."),
    ("Parents get 12 or 16 weeks of leave.", "Parents get 10 weeks of leave."),
    ("It takes 5 days.", "It takes 6 days."),
    ("Leave lasts at least 5 days a year.", "Leave lasts at most 20 days a year."),
    ("Room 12 holds parents of twins.", "Room 10 holds parents of twins."),
    ("The rotation takes 5 days.", "They rotate after 6 days."),
    ("Employees are paid after 5 days.", "Employers are paid after 6 days."),
])
def test_what_may_both_be_right_is_none(one: str, other: str) -> None:
    assert "disagree" not in by_document(quoted(one, other))


def test_one_document_does_not_disagree_with_itself() -> None:
    text = "Parents get 12 weeks of leave. Parents get 10 weeks of leave."
    draft = Draft((DraftSentence(text, ((1, 0, len(text)),)),), QUOTED)
    assert "disagree" not in by_document(verify(draft, [Evidence(1, passage(text), ((0, len(text)),), 0.9)], TERMS))


def test_what_is_newer_comes_first_where_both_dates_are_known() -> None:
    pair = ("Parents get 12 weeks of leave.", "Parents get 10 weeks of leave.")
    text = by_document(quoted(*pair, dates=(OLD, NEW)))
    assert text == (
        "Two documents disagree: Doc 2 says 10 weeks, Doc 1 12 weeks. The first was changed last, on 2026-01-05.\n\n"
        "Doc 2:\nParents get 10 weeks of leave. [2]\n\nDoc 1:\nParents get 12 weeks of leave. [1]")
    assert by_document(quoted(*pair, dates=(None, NEW))).startswith("Two documents disagree: Doc 1 says 12 weeks")


def test_nearest_passages_that_disagree_are_told_of_below_them() -> None:
    pair = "Employees get 25 days of vacation.", "Employees get 30 days of vacation."
    told = apart(quoted(*pair))
    assert told.startswith("I found no clear answer.")
    assert told.endswith("\n\nTwo documents disagree: Doc 1 says 25 days, Doc 2 30 days.")
    assert "disagree" not in apart(quoted(pair[0], pair[0]))
