"""What every store of permissions promises, whichever machine keeps it."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from machines.ledger_place import LedgerPlace

from vouch.access import NOBODY, Directory, OwnerBook, OwnerRule, Person, Rule, RuleBook, Stand
from vouch.adapters.ledger import Ledger
from vouch.adapters.ledger.documents.sources import SourceRow
from vouch.adapters.ledger.permissions.access import Access
from vouch.adapters.ledger.removal.erasure import Target
from vouch.ports.stores import Restored

OPEN = RuleBook((Rule("**", frozenset({"public"})), Rule("people/**", frozenset({"group:people"}))))
CLOSED = RuleBook((Rule("**", frozenset({"group:people"})),))
DIRECTORY = Directory(
    {"ana@acme.test": Person(("people",), datetime(2027, 1, 31, tzinfo=UTC)), "bo@acme.test": Person(())},
    {"people": ("everyone",), "everyone": ()},
)


@pytest.fixture
def ledger(ledger_place: LedgerPlace) -> Ledger:
    ledger = ledger_place.open()
    for name in ("handbook", "wiki"):
        ledger.sources.add(SourceRow(name, "folder", f"/{name}", f"/{name}/access.yaml"))
    return ledger


def scan(ledger: Ledger, *sources: str) -> None:
    access: Access = ledger.access
    access.scan_ended(sources, access.scan_begins(sources))


def readers(ledger: Ledger, path: str = "a.md", source: str = "handbook") -> set[str]:
    """Which of some readers may read what stands at a place."""
    label = ledger.access.permissions().label(source, path, None)
    held = {"public": frozenset({"public"}), "people": frozenset({"public", "group:people"})}
    return {name for name, principals in held.items() if label.allows(principals)}


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
    ledger.access.set_rules("handbook", OPEN, "d1")
    before = ledger.access.permissions()
    ledger.sources.remove("handbook")
    after = ledger.access.permissions()
    assert after.label("handbook", "a.md", None).allowed == frozenset()
    assert after.epoch > before.epoch


def test_rules_of_a_source_that_is_gone_are_not_put_in_force(ledger: Ledger) -> None:
    """A process read them before the source was removed, and puts them in force after that."""
    ledger.sources.remove("handbook")
    epoch = ledger.access.epoch()
    assert ledger.access.set_rules("handbook", OPEN, "d1") is False
    assert (ledger.access.permissions().rulebooks, ledger.access.epoch()) == ({}, epoch)


def test_nobody_reads_a_source_before_its_first_whole_scan(ledger: Ledger) -> None:
    ledger.access.set_rules("handbook", OPEN, "d1")
    assert readers(ledger) == set()
    scan(ledger, "wiki")
    assert readers(ledger) == set()
    scan(ledger, "handbook")
    assert readers(ledger) == {"public", "people"}


def test_a_revocation_counts_at_once_and_a_grant_after_the_next_scan(ledger: Ledger) -> None:
    ledger.access.set_rules("handbook", OPEN, "d1")
    scan(ledger, "handbook")
    ledger.access.set_rules("handbook", CLOSED, "d2")
    assert readers(ledger) == {"people"}
    ledger.access.set_rules("handbook", OPEN, "d3")
    assert readers(ledger) == {"people"}, "what was closed may have moved before it was opened again"
    scan(ledger, "handbook")
    assert readers(ledger) == {"public", "people"}


def test_rules_that_were_in_force_during_a_scan_limit_after_it(ledger: Ledger) -> None:
    """What the scan found it found under one of them, and nobody knows under which."""
    ledger.access.set_rules("handbook", OPEN, "d1")
    scan(ledger, "handbook")
    epoch = ledger.access.scan_begins(["handbook"])
    ledger.access.set_rules("handbook", CLOSED, "d2")
    ledger.access.set_rules("handbook", OPEN, "d3")
    ledger.access.scan_ended(["handbook"], epoch)
    assert readers(ledger) == {"people"}
    scan(ledger, "handbook")
    assert readers(ledger) == {"public", "people"}


def test_a_scan_under_rules_that_cannot_be_understood_grants_nothing_later(ledger: Ledger) -> None:
    ledger.access.set_rules("handbook", OPEN, "d1")
    scan(ledger, "handbook")
    ledger.access.set_rules("handbook", RuleBook((), "torn"), "d2")
    ledger.access.set_rules("handbook", OPEN, "d1")
    assert readers(ledger) == {"public", "people"}, "a file seen half written hides nothing for longer than that"
    ledger.access.set_rules("handbook", RuleBook((), "torn"), "d2")
    scan(ledger, "handbook")
    ledger.access.set_rules("handbook", OPEN, "d1")
    assert readers(ledger) == set()
    scan(ledger, "handbook")
    assert readers(ledger) == {"public", "people"}


MENDED = (("mended",), ("mended", "torn otherwise", "mended"), ("torn otherwise", "closed", "mended"))


@pytest.mark.parametrize("steps", MENDED, ids=lambda steps: ", ".join(steps))
@pytest.mark.parametrize("scanned_before", [True, False])
def test_a_scan_that_began_under_broken_rules_does_not_count_once_they_are_mended(
    ledger: Ledger, steps: tuple[str, ...], scanned_before: bool
) -> None:
    """What it found, it found under rules that nobody could understand."""
    books = {"mended": OPEN, "torn otherwise": RuleBook((), "torn otherwise"), "closed": CLOSED}
    if scanned_before:
        ledger.access.set_rules("handbook", OPEN, "d1")
        scan(ledger, "handbook")
    ledger.access.set_rules("handbook", RuleBook((), "torn"), "d2")
    epoch = ledger.access.scan_begins(["handbook"])
    for number, step in enumerate(steps):
        ledger.access.set_rules("handbook", books[step], f"e{number}")
    ledger.access.scan_ended(["handbook"], epoch)
    assert readers(ledger) == set()
    scan(ledger, "handbook")
    assert readers(ledger) == {"public", "people"}
    ledger.access.set_rules("handbook", RuleBook((), "torn"), "d2")
    ledger.access.set_rules("handbook", OPEN, "d1")
    assert readers(ledger) == {"public", "people"}, "without a scan under them"


def test_a_scan_that_changes_nothing_raises_no_epoch(ledger: Ledger) -> None:
    ledger.access.set_rules("handbook", OPEN, "d1")
    scan(ledger, "handbook")
    epoch = ledger.access.epoch()
    scan(ledger, "handbook", "wiki")
    assert ledger.access.epoch() == epoch


def test_what_an_older_state_is_limited_to_ends_with_a_scan_of_its_source(ledger: Ledger) -> None:
    for source in ("handbook", "wiki"):
        ledger.access.set_rules(source, OPEN, "d1")
    scan(ledger, "handbook", "wiki")
    one, two, three = (ledger.versions.allocate(None).number for _ in range(3))
    ledger.versions.swap(None, one)
    moved = ((Stand("people/a.md"),),)
    ledger.versions.roll_back(one, two, Restored(one, {("handbook", "a.md"): moved, ("wiki", "b.md"): NOBODY}))
    assert readers(ledger) == {"people"} and readers(ledger, "b.md", "wiki") == set()
    ledger.holds.release()
    ledger.versions.swap(two, three)
    assert readers(ledger) == {"people"}
    assert [ledger.versions.rows()[-1].age(source) for source in ("handbook", "wiki")] == [one, one]
    scan(ledger, "handbook")
    assert readers(ledger) == {"public", "people"} and readers(ledger, "b.md", "wiki") == set()
    assert [ledger.versions.rows()[-1].age(source) for source in ("handbook", "wiki")] == [three, one]
    ledger.sources.remove("wiki")
    assert ledger.access.permissions().restrictions == {}


def test_a_rollback_that_may_widen_ends_what_limited_before(ledger: Ledger) -> None:
    ledger.access.set_rules("handbook", OPEN, "d1")
    scan(ledger, "handbook")
    one, two, three, four = (ledger.versions.allocate(None).number for _ in range(4))
    ledger.versions.swap(None, one)
    ledger.versions.roll_back(one, two, Restored(one, {("handbook", "a.md"): NOBODY}))
    ledger.versions.roll_back(two, three, Restored(one, {}))
    assert readers(ledger) == set(), "what hid it may be swept by now"
    ledger.versions.roll_back(three, four, Restored(one, None))
    assert readers(ledger) == {"public", "people"}


def test_a_purge_takes_places_out_of_limits(ledger: Ledger) -> None:
    """Who could read only as there may not read at all any more."""
    ledger.access.set_rules("handbook", OPEN, "d1")
    scan(ledger, "handbook")
    one, two = (ledger.versions.allocate(None).number for _ in range(2))
    ledger.versions.swap(None, one)
    there = ((Stand("people/gone.md"),),)
    ledger.versions.roll_back(one, two, Restored(one, {("handbook", "a.md"): there, ("handbook", "gone.md"): there}))
    places = {("handbook", "people/gone.md"), ("handbook", "gone.md")}
    ledger.erasure.erase(Target(places, (), lambda data: False), (), ())
    assert not any(b"gone.md" in value for value in ledger.erasure.values())
    assert ledger.access.permissions().restrictions == {("handbook", "a.md"): NOBODY} and readers(ledger) == set()


def test_owners_come_back_and_change_nothing_for_readers(ledger: Ledger, ledger_place: LedgerPlace) -> None:
    owners = OwnerBook((
        OwnerRule("**", frozenset({"group:people"})), OwnerRule("a.md", frozenset({"user:ana@acme.test"}))))
    owned = replace(OPEN, owners=owners)
    ledger.access.set_rules("handbook", OPEN, "d1")
    scan(ledger, "handbook")
    other = ledger_place.open().access
    before = other.permissions()
    assert before.owners_of("handbook", "a.md") == () and readers(ledger) == {"public", "people"}
    assert not ledger.access.set_rules("handbook", owned, "d2"), "nobody may read more or less"
    for store in (ledger.access, other):
        found = store.permissions()
        assert found.rulebooks["handbook"] == owned and found.scanned["handbook"] == ()
        assert found.owners_of("handbook", "a.md") == ("user:ana@acme.test",)
        assert found.owners_of("handbook", "b.md") == ("group:people",)
        assert found.owners_of("handbook", "a.md", {"user:bo@acme.test"}) == ("user:bo@acme.test",)
        assert found.owners_of("elsewhere", "a.md") == () and store.digest("handbook") == "d2"
    assert readers(ledger) == {"public", "people"} and readers(ledger, "people/x.md") == {"people"}
    epoch = ledger.access.epoch()
    assert not ledger.access.set_rules("handbook", owned, "d2") and ledger.access.epoch() == epoch
    ledger.access.set_rules("handbook", replace(CLOSED, owners=OwnerBook(broken="owners: no list")), "d3")
    assert other.permissions().rulebooks["handbook"].owners.broken == "owners: no list"
    ledger.access.set_rules("handbook", RuleBook(broken="no file"), "d4")
    assert other.permissions().owners_of("handbook", "a.md") == ()
