"""A purge reduces answers while tidying deletes the same ones: one comes after the other, and neither fails."""

import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from learning_scene.past_answers import put
from machines.ledger_place import LedgerPlace

from vouch.adapters.ledger.removal import expiry
from vouch.adapters.ledger.removal.erasure import Erased, Target
from vouch.adapters.ledger.removal.expiry import Expired

AT = datetime(2026, 11, 1, 9, tzinfo=UTC)
DAY = timedelta(days=1)


@pytest.mark.slow
def test_they_never_wait_for_each_other(ledger_place: LedgerPlace, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tidying stops when it has the answers and not yet what hangs on them; then the purge begins."""
    ledger = ledger_place.open()
    for n in range(3):
        put(ledger, f"q{n}", "What is qzx?", "user:ana", AT)
    for row in ledger.outbox.claim(["terminal"], AT, DAY, 10):
        assert ledger.outbox.sent(row, AT)
    reached, go_on = threading.Event(), threading.Event()
    real, told = expiry._delete, list[Any]()

    def halted(*given: Any) -> tuple[int, int, int, int]:
        reached.set()
        go_on.wait(10)
        return real(*given)

    def act(work: Callable[[], Any]) -> None:
        try:
            told.append(work())
        except Exception as error:
            told.append(error)

    monkeypatch.setattr(expiry, "_delete", halted)
    target = Target([], [], lambda data: b"qzx" in data)
    made_from = ledger.erasure.made_from(target)
    assert len(made_from) == 3
    tidy = threading.Thread(target=act, args=(lambda: ledger.expiry.expire(AT + DAY, AT),))
    purge = threading.Thread(target=act, args=(lambda: ledger.erasure.erase(target, made_from, []),))
    tidy.start()
    assert reached.wait(10)
    purge.start()
    purge.join(0.5)                     # by then it waits for what tidying has
    go_on.set()
    for thread in (tidy, purge):
        thread.join(60)
    assert sorted(type(one).__name__ for one in told) == [Erased.__name__, Expired.__name__], told
    assert next(one for one in told if isinstance(one, Expired)).answers == 3
    assert not any(b"qzx" in value for value in ledger.erasure.values())
