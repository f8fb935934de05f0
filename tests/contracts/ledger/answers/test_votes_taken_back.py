"""Votes that are taken back, on both kinds of database."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import permutations

import pytest
from learning_scene.past_answers import put
from machines.ledger_place import LedgerPlace
from sqlalchemy import delete

from vouch.adapters.ledger import Ledger, Vote
from vouch.adapters.ledger.engine.schema import votes_given

NOW = datetime(2026, 11, 21, 10, 0, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


@pytest.fixture
def ledger(ledger_place: LedgerPlace) -> Ledger:
    return ledger_place.open()


def test_of_votes_that_are_taken_back_the_one_before_counts(ledger: Ledger) -> None:
    """Whatever order they come in, however often."""
    put(ledger, "q1", "Who?", "user:ana@acme.test", NOW)
    ana = partial(Vote, "a-q1", "user:ana@acme.test")
    button = ana("down", "out of date", NOW, "outdated")
    thumb = ana("up", None, NOW + MINUTE, reaction="+1")
    other = ana("down", None, NOW + 2 * MINUTE, reaction="-1")
    without = [replace(one, at=NOW + n * MINUTE, withdrawn=True) for n, one in ((3, other), (4, thumb))]
    given = [button, thumb, other, *without]

    def counts() -> list[tuple[str, str | None, str | None, datetime]]:
        return [(one.vote, one.category, one.reason, one.at) for one in ledger.feedback.list("a-q1")]

    after = [("down", "outdated", "out of date", NOW), ("up", None, None, thumb.at), ("down", None, None, other.at),
             ("up", None, None, thumb.at), ("down", "outdated", None, NOW)]
    for vote, found in zip(given, after, strict=True):
        assert ledger.feedback.record(vote) and counts() == [found]
        assert ledger.feedback.record(vote) and counts() == [found]
    assert not ledger.feedback.record(thumb) and counts() == after[-1:]         # told again after it was taken back
    for number, order in enumerate(permutations([thumb, other, *without])):
        for vote in order:
            ledger.feedback.record(replace(vote, person=f"user:{number}"))
    assert counts() == after[-1:]
    again = replace(thumb, at=NOW + 5 * MINUTE)
    assert ledger.feedback.record(again) and counts() == [("up", None, None, again.at)]


def test_a_vote_of_an_earlier_release_counts_again(ledger: Ledger) -> None:
    put(ledger, "q1", "Who?", "user:ana@acme.test", NOW)
    before = Vote("a-q1", "user:ana@acme.test", "down", "old", NOW, "outdated")
    ledger.feedback.record(before)
    with ledger._database.write() as connection:
        connection.execute(delete(votes_given))
    thumb = Vote("a-q1", "user:ana@acme.test", "up", None, NOW + MINUTE, reaction="+1")
    assert ledger.feedback.record(thumb)
    assert ledger.feedback.record(replace(thumb, at=NOW + 2 * MINUTE, withdrawn=True))
    assert ledger.feedback.list() == [replace(before, reason=None)]
