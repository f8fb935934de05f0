"""Questions of Slack in the ledger: refused, changed and taken back."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from bots.slack.ephemeral import to_be_told
from bots.slack.place import Place
from bots.slack.questions import How
from consumers.wiring.slack.questions import SlackQuestions
from vouch.adapters.ledger import open_ledger
from vouch.errors import NotFound


def test_a_question_that_is_taken_back_is_over_and_a_changed_one_is_not(memory_folder: Path) -> None:
    ledger = open_ledger(memory_folder / "ledger.sqlite")
    questions = SlackQuestions(ledger)
    at = datetime(2026, 3, 4, 9, tzinfo=UTC)
    assert not questions.taken_back("q1") and not questions.is_over("q1") and not questions.is_done("q1")
    assert questions.change("q1", "How many days of leave?", How(), at)
    assert not questions.taken_back("q1") and not questions.is_over("q1")
    assert questions.change("q1", None, How(), at)              # deleted in Slack
    assert questions.taken_back("q1") and questions.is_over("q1")
    questions.refuse("q2", to_be_told("refused", Place("T1", "C1"), "q2", "U1", "Not here."))
    questions.refuse("q2", to_be_told("again", Place("T1", "C1"), "q2", "U1", "Not here."))
    assert not questions.change("q2", None, How(), at, to_be_told("again", Place("T1", "C1"), "q2", "U1", "Not here."))
    assert ledger.notices.waiting() == ["refused.q2"]
    assert questions.is_over("q2") and not questions.is_over("q3")
    assert not questions.with_human("slack:C1:1.0", "user:ana@acme.test")
    with pytest.raises(NotFound):
        questions.of_answer("none")
