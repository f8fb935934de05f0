"""What the ledger promises of many answers that are read by id, whichever database lies under it."""

from datetime import UTC, datetime, timedelta

import pytest
from machines.ledger_place import LedgerPlace

from vouch.adapters.ledger import Ledger
from vouch.adapters.ledger.answers import answers as answers_module
from vouch.adapters.ledger.usage import history as history_module
from vouch.messages import QuestionAsked, TagsAudience

NOW = datetime(2026, 11, 23, 10, 0, tzinfo=UTC)


@pytest.fixture
def ledger(ledger_place: LedgerPlace) -> Ledger:
    made = ledger_place.open()
    for number in range(7):
        question = QuestionAsked(
            id=f"q{number}", text="Why?", surface="terminal", asker=f"user:p{number}@acme.test",
            audience=TagsAudience(tags=("public",)), asked_at=NOW,
        )  # fmt: skip
        body = {"id": f"a{number}", "question": "Why?"} | ({"swapped": [2, number]} if number % 2 else {})
        rows = [{"chunk_id": f"c{9 - n}", "cited": n == 1, "evidence": {}, "schema": 2, "features": {"x": 0.1 + n}}
                for n in range(number)]
        assert made.answers.record(question, body, rows, [], NOW + timedelta(hours=number))
    return made


@pytest.mark.parametrize("many", [1, 3, 500])
def test_answers_read_in_batches_are_those_read_one_by_one(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch, many: int
) -> None:
    ids = ["a5", "a1", "nothing", "a0", "a6"]
    one_by_one = {name: ledger.answers.candidates(name) for name in ids}
    monkeypatch.setattr(answers_module, "_BATCH", many)
    monkeypatch.setattr(history_module, "_PAGE", many)
    assert ledger.answers.candidates_of(ids) == one_by_one
    assert [row["chunk_id"] for row in one_by_one["a5"]] == ["c9", "c8", "c7", "c6", "c5"]
    assert one_by_one["nothing"] == one_by_one["a0"] == [] and "answer_id" not in one_by_one["a1"][0]
    told = ledger.history.told_of(ids)
    assert told == {f"a{n}": (f"user:p{n}@acme.test", (2, n) if n % 2 else ()) for n in (0, 1, 5, 6)}
    assert ledger.answers.candidates_of([]) == ledger.history.told_of([]) == {}
