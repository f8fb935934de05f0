"""An answer begun before a purge looked for answers is found by that look, or not recorded: there is no third."""

import threading
from datetime import UTC, datetime, timedelta

import pytest
from machines.ledger_place import LedgerPlace

from vouch.adapters.ledger import Ledger
from vouch.adapters.ledger.answers import answers
from vouch.adapters.ledger.removal.erasure import Target
from vouch.errors import Overtaken
from vouch.messages import QuestionAsked, TagsAudience

NOW = datetime(2026, 11, 21, 10, 0, tzinfo=UTC)
TARGET = Target([("docs", "pay.md")], ["c1"], lambda data: False)
ROWS = [{"chunk_id": "c1", "cited": False, "evidence": {}, "schema": 1, "features": {}}]


@pytest.fixture
def ledger(ledger_place: LedgerPlace) -> Ledger:
    return ledger_place.open()


def question(number: int = 1) -> QuestionAsked:
    return QuestionAsked(id=f"q{number}", text="Who?", surface="terminal", asker="public",
                         audience=TagsAudience(tags=("public",)), asked_at=NOW)


def test_an_answer_begun_before_the_look_is_not_recorded_after_it(ledger: Ledger) -> None:
    began = ledger.answers.erasures()
    assert ledger.erasure.made_from(TARGET) == {}
    for given, rows in ((["c1"], []), ([], ROWS)):
        with pytest.raises(Overtaken):
            ledger.answers.record(question(), {"id": "a1"}, rows, given, NOW, began)
    assert not ledger.answers.answered("q1") and ledger.outbox.counts() == {}
    assert ledger.answers.record(question(), {"id": "a1"}, ROWS, ["c1"], NOW, ledger.answers.erasures())
    assert ledger.erasure.made_from(TARGET) == {"a1": "q1"}


def test_a_decline_holds_nothing_and_may_come_at_any_time(ledger: Ledger) -> None:
    ledger.erasure.made_from(TARGET)
    assert ledger.answers.record(question(), {"id": "a1"}, [], [], NOW)


def test_an_answer_made_anew_before_the_look_does_not_take_a_place_after_it(ledger: Ledger) -> None:
    ledger.answers.record(question(), {"id": "a1"}, [], [], NOW)
    (row,) = ledger.outbox.claim(["terminal"], NOW, timedelta(minutes=1))
    began = ledger.answers.erasures()
    ledger.erasure.made_from(TARGET)
    with pytest.raises(Overtaken):
        ledger.outbox.replace(row, {"id": "a2"}, [], ["c1"], NOW, 1, began)
    assert ledger.answers.by_question("q1") == {"id": "a1"}
    assert ledger.outbox.replace(row, {"id": "a2"}, [], ["c1"], NOW, 1, ledger.answers.erasures())


def race(ledger: Ledger, monkeypatch: pytest.MonkeyPatch, *, stop_at: str) -> tuple[bool, bool]:
    """Whether the answer was refused, and whether the look found it, if that begins while the answer is recorded."""
    reached, go_on = threading.Event(), threading.Event()
    real = getattr(answers, stop_at)

    def halted(*words):
        found = real(*words)
        reached.set()
        go_on.wait(10)
        return found

    monkeypatch.setattr(answers, stop_at, halted)
    began, told = ledger.answers.erasures(), {}

    def record() -> None:
        try:
            ledger.answers.record(question(), {"id": "a1"}, ROWS, ["c1"], NOW, began)
        except Overtaken:
            told["refused"] = True

    worker = threading.Thread(target=record)
    worker.start()
    assert reached.wait(10)
    purge = threading.Thread(target=lambda: told.update(found=ledger.erasure.made_from(TARGET)))
    purge.start()
    purge.join(0.5)                     # on a server it may be through by then, in a file it waits for its turn
    go_on.set()
    worker.join()
    purge.join()
    return "refused" in told, bool(told["found"])


@pytest.mark.slow
@pytest.mark.parametrize("stop_at", ["put_answer", "refuse_overtaken"])
def test_at_the_same_time_one_of_both_sees_the_other(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch, stop_at: str
) -> None:
    refused, found = race(ledger, monkeypatch, stop_at=stop_at)
    assert refused != found


def test_a_look_that_does_not_raise_the_count_is_found(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: an answer that is recorded after the look without anybody's seeing it."""
    monkeypatch.setattr("vouch.adapters.ledger.removal.erasure.raise_erasures", lambda connection: None)
    began = ledger.answers.erasures()
    assert ledger.erasure.made_from(TARGET) == {}
    assert ledger.answers.record(question(), {"id": "a1"}, ROWS, ["c1"], NOW, began)
