"""Who lets questions be shown as examples, on each kind of database: nobody who did not say so, and until denied."""

from datetime import UTC, datetime, timedelta

import pytest
from learning_scene.past_answers import put
from machines.ledger_place import LedgerPlace

from vouch.adapters.ledger.usage.past_answers import ExampleChoice

AT = datetime(2026, 11, 1, 9, tzinfo=UTC)
HOUR = timedelta(hours=1)
ANA, BEN = "user:ana@acme.test", "user:ben@acme.test"


def test_choices_are_kept_with_their_times(ledger_place: LedgerPlace) -> None:
    examples = ledger_place.open().examples
    assert examples.of(ANA) == ExampleChoice() and examples.all() == {}
    assert examples.allow(ANA, AT) == ExampleChoice(AT, None)
    assert examples.allow(ANA, AT + HOUR) == ExampleChoice(AT, None), "allowed already"
    assert examples.deny(ANA, AT + 2 * HOUR) == ExampleChoice(None, AT + 2 * HOUR)
    assert examples.deny(ANA, AT) == ExampleChoice(None, AT + 2 * HOUR), "a denial never shrinks"
    assert examples.allow(ANA, AT + 3 * HOUR) == ExampleChoice(AT + 3 * HOUR, AT + 2 * HOUR) == examples.of(ANA)
    assert examples.all().keys() == {ANA}


@pytest.mark.parametrize(("choice", "allowed"), [
    (ExampleChoice(), "s"),
    (ExampleChoice(AT), "sn"),
    (ExampleChoice(AT + HOUR), "s"),
    (ExampleChoice(None, AT), ""),
    (ExampleChoice(None, AT - HOUR), "s"),
    (ExampleChoice(AT - HOUR, AT - 2 * HOUR), "sn"),
    (ExampleChoice(AT, AT + HOUR), ""),
])
def test_a_question_is_covered_by_itself_or_by_its_asker(choice: ExampleChoice, allowed: str) -> None:
    """`s`: a question that said so, asked at AT; `n`: one that said nothing."""
    assert "".join(kind for kind in "sn" if choice.covers(AT, kind == "s")) == allowed


def test_past_answers_say_which_may_be_examples(ledger_place: LedgerPlace) -> None:
    ledger = ledger_place.open()

    def examples() -> list[str]:
        return [one.question for one in ledger.past_answers.answers(AT - HOUR, AT + 9 * HOUR) if one.example]

    put(ledger, "q1", "one", ANA, AT)
    put(ledger, "q2", "two", ANA, AT + HOUR, share=True)
    put(ledger, "q3", "three", ANA, AT + 2 * HOUR)
    put(ledger, "q4", "four", BEN, AT + 2 * HOUR)
    put(ledger, "q5", "five", "public", AT + 2 * HOUR, share=True)
    put(ledger, "q6", "six", "group:staff", AT + 2 * HOUR, share=True)
    assert examples() == ["two"]
    ledger.examples.allow(ANA, AT + 2 * HOUR)
    assert examples() == ["two", "three"]
    ledger.examples.deny(ANA, AT + 1.5 * HOUR)
    assert examples() == []
    ledger.examples.allow(ANA, AT + 1.75 * HOUR)
    assert examples() == ["three"]
