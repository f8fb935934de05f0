"""At the desk a person who asks too much is told so before anything is put on the log."""

import threading
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from consumers.desk import Desk
from vouch.access import Directory, Permissions, Person
from vouch.adapters.ledger import Ledger
from vouch.adapters.log.embedded import EmbeddedLog
from vouch.errors import Guarded, NotFound, Usage, VouchError


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


class FixedDirectory:
    def permissions(self) -> Permissions:
        gone = datetime(2020, 2, 1, tzinfo=UTC)
        return Permissions(1, {}, Directory({"ana": Person(()), "cy": Person((), gone)}, {"eng": ()}))


@pytest.mark.parametrize(("person", "error", "said"), [
    ("user:anna", NotFound, "user:anna is not in the directory; did you mean user:ana?"),
    ("user:cy", NotFound, "user:cy expired on 2020-01-31"),
    ("group:eng", Usage, "group:eng is a group"),
    ("group:x", Usage, "group:x is a group"),
])
def test_a_vote_is_one_known_persons(
    log: EmbeddedLog, ledger: Ledger, clock: Any, person: str, error: type[VouchError], said: str
) -> None:
    nobody: Any = None
    watched: Any = FixedDirectory()
    desk = Desk(
        ledger=ledger, watched=watched, producer=log.producer(), worker=nobody, sender=nobody,
        stop=threading.Event(), clock=clock, deadline=timedelta(seconds=1), ready=lambda: None,
    )
    for known in ("user:ana", "user:Ana", "public"):
        desk._check_voter(known)
    with pytest.raises(error) as raised:
        desk._check_voter(person)
    assert said in raised.value.cause and "--as user:NAME" in raised.value.cure
