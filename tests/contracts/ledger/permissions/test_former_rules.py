"""What the ledger notes of the rules when the pointer moves, and for how long."""

import pytest
from machines.ledger_place import LedgerPlace

from vouch.access import Rule, RuleBook
from vouch.adapters.ledger import Ledger, SourceRow


@pytest.fixture
def ledger(ledger_place: LedgerPlace) -> Ledger:
    ledger = ledger_place.open()
    for name in ("docs", "new"):
        ledger.sources.add(SourceRow(name, "folder", f"/{name}"))
    return ledger


def book(tag: str) -> RuleBook:
    return RuleBook((Rule("**", frozenset({tag})),))


def publish(ledger: Ledger) -> int:
    row = ledger.versions.allocate(None)
    ledger.versions.swap(ledger.versions.current(), row.number)
    return row.number


def rules(ledger: Ledger, tag: str) -> None:
    ledger.access.set_rules("docs", book(tag), tag)


def test_a_version_has_the_rules_of_the_moment_it_was_left(ledger: Ledger) -> None:
    rules(ledger, "group:hr")
    first = publish(ledger)
    ledger.access.scan_ended(["docs"], ledger.access.epoch())
    assert ledger.versions.former_rules(first) is None
    rules(ledger, "group:it")               # waits for a scan, so the former ones hold as well
    second = publish(ledger)
    rules(ledger, "public")
    assert ledger.versions.former_rules(first) == {"docs": (book("group:it"), book("group:hr")), "new": None}
    assert ledger.versions.former_rules(second) is None


def test_rules_that_were_broken_just_then_say_nothing(ledger: Ledger) -> None:
    rules(ledger, "group:hr")
    first = publish(ledger)
    ledger.access.scan_ended(["docs"], ledger.access.epoch())
    ledger.access.set_rules("docs", RuleBook(broken="half written"), "b")
    publish(ledger)
    assert ledger.versions.former_rules(first)["docs"] == (book("group:hr"),)


def test_what_no_kept_version_needs_is_forgotten(ledger: Ledger) -> None:
    rules(ledger, "group:hr")
    first, second = publish(ledger), publish(ledger)
    ledger.access.scan_ended(["docs"], ledger.access.epoch())
    publish(ledger)
    ledger.versions.retire(first)
    assert ledger.versions.former_rules(first) is None
    assert ledger.versions.former_rules(second)["docs"] == (book("group:hr"),)


def test_a_rollback_notes_them_too(ledger: Ledger) -> None:
    from vouch.ports.stores import Restored
    rules(ledger, "group:hr")
    first, second = publish(ledger), publish(ledger)
    ledger.access.scan_ended(["docs"], ledger.access.epoch())
    third = ledger.versions.allocate(second).number
    ledger.versions.roll_back(second, third, Restored(first, {}))
    assert ledger.versions.former_rules(second)["docs"] == (book("group:hr"),)
