"""What Slack told to have changed, on both kinds of database."""

from contextlib import closing
from datetime import UTC, datetime, timedelta

from machines.ledger_place import LedgerPlace


def test_a_change_has_a_stamp_of_its_own_that_other_processes_see(ledger_place: LedgerPlace) -> None:
    now = datetime.now(UTC)
    with closing(ledger_place.open()) as bot, closing(ledger_place.open()) as worker:
        assert worker.slack_changes.stamps(["C1", "U1"]) == {}
        bot.slack_changes.note("C1", now)
        first = worker.slack_changes.stamps(["C1", "U1"])
        assert first.keys() == {"C1"} and worker.slack_changes.stamps(["C1"]) == first
        bot.slack_changes.note("C1", now)
        assert worker.slack_changes.stamps(["C1"])["C1"] != first["C1"]


def test_of_many_each_is_found_and_old_ones_go(ledger_place: LedgerPlace) -> None:
    now = datetime.now(UTC)
    with closing(ledger_place.open()) as ledger:
        ledger.slack_changes.note("UOLD", now - timedelta(hours=25))
        for subject in ("U0", "U1200"):
            ledger.slack_changes.note(subject, now - timedelta(hours=23))
        ledger.expiry.expire(now - timedelta(days=90), now - timedelta(days=365))
        asked = [*(f"U{number}" for number in range(1300)), "UOLD"]
        assert ledger.slack_changes.stamps(asked).keys() == {"U0", "U1200"}
        assert ledger.slack_changes.stamps([]) == {}
