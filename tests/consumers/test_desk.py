"""At the desk a person who asks too much is told so before anything is put on the log."""

import threading
from datetime import timedelta
from typing import Any

import pytest

from consumers.desk import Desk
from vouch.adapters.ledger import Ledger
from vouch.adapters.log.embedded import EmbeddedLog
from vouch.errors import Guarded


def test_one_question_too_many_is_refused_politely(log: EmbeddedLog, ledger: Ledger, clock: Any) -> None:
    ana = "user:ana@acme.test"
    for number in range(2):
        ledger.pace.admit(f"q{number}", ana, clock.now - timedelta(seconds=40 - number), 2)
    nobody: Any = None
    desk = Desk(
        ledger=ledger, watched=nobody, producer=log.producer(), worker=nobody, sender=nobody,
        stop=threading.Event(), clock=clock, deadline=timedelta(seconds=1), ready=lambda: None, per_minute=2,
    )
    with pytest.raises(Guarded, match=r"2 questions within a minute.* ask again in 20 seconds") as raised:
        desk.ask("Who?", [ana])
    assert raised.value.exit_code == 6 and "VOUCH_ASKING__PER_MINUTE" in raised.value.cure
    assert log.lag("g", "questions") == 0
