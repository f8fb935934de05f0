"""Ids of events that Slack told of, and signatures of requests, on both kinds of database."""

from contextlib import closing
from datetime import UTC, datetime, timedelta
from threading import Thread

from machines.ledger_place import LedgerPlace


def test_what_was_taken_is_known_until_nobody_tells_it_again(ledger_place: LedgerPlace) -> None:
    now = datetime.now(UTC)
    with closing(ledger_place.open()) as ledger:
        events = ledger.slack_events
        events.take("EvOLD", now - timedelta(hours=25))
        events.take("EvNEW", now - timedelta(hours=23))
        events.take("EvNEW", now)
        ledger.expiry.expire(now - timedelta(days=90), now - timedelta(days=365))
    with closing(ledger_place.open()) as again:
        assert not again.slack_events.was_taken("EvOLD") and again.slack_events.was_taken("EvNEW")
        assert not again.slack_events.was_taken("evnew")


def test_the_last_one_stays_however_old_it_is(ledger_place: LedgerPlace) -> None:
    now = datetime.now(UTC)
    with closing(ledger_place.open()) as ledger:
        events = ledger.slack_events
        assert events.last() is None
        ledger.expiry.expire(now - timedelta(days=90), now - timedelta(days=365))
        events.take("EvLAST", now - timedelta(days=3))
        events.take("EvOLD", now - timedelta(days=4))
        events.take("v0=old", now - timedelta(days=2))
        events.take("v0=new", now)              # a button tells nothing of events
        ledger.expiry.expire(now - timedelta(days=90), now - timedelta(days=365))
        assert events.last() == now - timedelta(days=3)
        assert events.was_taken("EvLAST") and not events.was_taken("EvOLD")
        assert events.was_taken("v0=new") and not events.was_taken("v0=old")


def test_of_several_that_take_one_at_once_one_has_it(ledger_place: LedgerPlace) -> None:
    failed, new = list[Exception](), list[bool]()

    def take() -> None:
        try:
            with closing(ledger_place.open()) as ledger:
                new.append(ledger.slack_events.take("Ev1", datetime.now(UTC)))
        except Exception as error:
            failed.append(error)

    ledger_place.open().close()
    threads = [Thread(target=take) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with closing(ledger_place.open()) as ledger:
        assert failed == [] and sorted(new) == [False] * 7 + [True]
        assert ledger.slack_events.was_taken("Ev1")
        ledger.slack_events.give_back("Ev1")
        assert not ledger.slack_events.was_taken("Ev1") and ledger.slack_events.take("Ev1", datetime.now(UTC))
