"""What every store of permissions promises, whichever machine keeps it."""

from datetime import UTC, datetime

import pytest
from ledger_place import LedgerPlace

from vouch.access import Directory, Person, Rule, RuleBook
from vouch.adapters.ledger import Ledger, SourceRow

OPEN = RuleBook((Rule("**", frozenset({"public"})), Rule("people/**", frozenset({"group:people"}))))
CLOSED = RuleBook((Rule("**", frozenset({"group:people"})),))
DIRECTORY = Directory(
    {"ana@acme.test": Person(("people",), datetime(2027, 1, 31, tzinfo=UTC)), "bo@acme.test": Person(())},
    {"people": ("everyone",), "everyone": ()},
)


@pytest.fixture
def ledger(ledger_place: LedgerPlace) -> Ledger:
    return ledger_place.open()


def test_a_new_store_lets_nobody_read_anything(ledger: Ledger) -> None:
    found = ledger.access.permissions()
    assert found.label("handbook", "a.md", None).allowed == frozenset()
    assert found.directory == Directory()


def test_rules_and_directory_come_back_as_they_were_put(ledger: Ledger, ledger_place: LedgerPlace) -> None:
    broken = RuleBook((), "line 3: not a tag")
    ledger.access.set_rules("handbook", OPEN, "d1")
    ledger.access.set_rules("wiki", broken, "d2")
    ledger.access.set_directory(DIRECTORY)
    for store in (ledger.access, ledger_place.open().access):
        found = store.permissions()
        assert found.rulebooks == {"handbook": OPEN, "wiki": broken}
        assert found.directory == DIRECTORY
        assert (store.digest("handbook"), store.digest("nowhere")) == ("d1", None)


def test_every_real_change_raises_the_epoch_and_nothing_else_does(ledger: Ledger) -> None:
    access = ledger.access
    epochs = [access.epoch()]
    for change, real in [
        (lambda: access.set_rules("handbook", OPEN, "d1"), True),
        (lambda: access.set_rules("handbook", OPEN, "d1"), False),
        (lambda: access.set_rules("handbook", OPEN, "another comment"), False),
        (lambda: access.set_rules("handbook", CLOSED, "d2"), True),
        (lambda: access.set_directory(DIRECTORY), True),
        (lambda: access.set_directory(DIRECTORY), False),
        (lambda: access.set_directory(Directory()), True),
    ]:
        assert change() is real
        epochs.append(access.epoch())
        assert epochs[-1] - epochs[-2] == int(real)
        assert access.permissions().epoch == epochs[-1]
    assert access.digest("handbook") == "d2"


def test_the_order_of_rules_is_a_real_change(ledger: Ledger) -> None:
    ledger.access.set_rules("handbook", OPEN, "d1")
    assert ledger.access.set_rules("handbook", RuleBook(tuple(reversed(OPEN.rules))), "d2") is True


def test_a_change_by_another_process_counts_at_the_next_look(
    ledger: Ledger, ledger_place: LedgerPlace
) -> None:
    ledger.access.set_rules("handbook", OPEN, "d1")
    assert ledger.access.permissions().label("handbook", "a.md", None).allowed == {"public"}
    ledger_place.open().access.set_rules("handbook", CLOSED, "d2")
    assert ledger.access.permissions().label("handbook", "a.md", None).allowed == {"group:people"}


def test_nothing_changed_gives_the_very_same_value(ledger: Ledger) -> None:
    assert ledger.access.permissions() is ledger.access.permissions()


def test_a_removed_source_is_readable_for_nobody_from_then_on(ledger: Ledger) -> None:
    ledger.sources.add(SourceRow("handbook", "folder", "/h", "/h/access.yaml"))
    ledger.access.set_rules("handbook", OPEN, "d1")
    before = ledger.access.permissions()
    ledger.sources.remove("handbook")
    after = ledger.access.permissions()
    assert after.label("handbook", "a.md", None).allowed == frozenset()
    assert after.epoch > before.epoch
