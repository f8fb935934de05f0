"""Limits on documents as the ledger keeps them: written at once, and in an order in which nobody waits for ever."""

import threading
from collections.abc import Callable

import pytest
from machines.ledger_place import LedgerPlace
from sqlalchemy import event, text

from vouch.access import NOBODY, Stand
from vouch.adapters.ledger import Ledger, SourceRow
from vouch.adapters.ledger.removal.erasure import Target
from vouch.ports.stores import Restored

LIMITS = ((Stand("b.md", None), Stand("c.md", None)),)


@pytest.fixture
def ledger(ledger_place: LedgerPlace) -> Ledger:
    ledger = ledger_place.open()
    ledger.sources.add(SourceRow("docs", "folder", "/docs"))
    return ledger


def roll_back(ledger: Ledger, limits) -> None:
    row = ledger.versions.allocate(None)
    ledger.versions.roll_back(ledger.versions.current(), row.number, Restored(row.number, limits))


def limits(ledger: Ledger):
    return ledger.access.permissions().restrictions


def erase(ledger: Ledger, path: str) -> None:
    ledger.erasure.erase(Target([("docs", path)], (), lambda data: False), (), ())


def test_many_limits_are_one_statement(ledger: Ledger) -> None:
    told: list[bool] = []

    def statement(connection, cursor, words, parameters, context, executemany):
        if words.startswith("INSERT INTO restrictions"):
            told.append(executemany)

    event.listen(ledger.access._database._engine, "before_cursor_execute", statement)
    wanted = {("docs", f"{n}.md"): LIMITS for n in range(50)} | {("docs", "it's é|.md"): NOBODY}
    roll_back(ledger, wanted)
    assert told == [True]
    assert limits(ledger) == wanted
    roll_back(ledger, {})
    assert limits(ledger) == wanted                 # what limited them may be swept by now


def test_a_limit_that_goes_with_its_document_is_told(ledger: Ledger) -> None:
    roll_back(ledger, {("docs", "a.md"): LIMITS, ("docs", "d.md"): LIMITS})
    epoch = ledger.access.epoch()
    assert ("docs", "a.md") in limits(ledger)
    erase(ledger, "a.md")
    assert ledger.access.epoch() == epoch + 1 and set(limits(ledger)) == {("docs", "d.md")}
    erase(ledger, "b.md")
    assert ledger.access.epoch() == epoch + 2
    assert limits(ledger) == {("docs", "d.md"): ((Stand("c.md", None),),)}
    erase(ledger, "z.md")
    assert ledger.access.epoch() == epoch + 2


ACTS: dict[str, Callable[[Ledger], object]] = {
    "remove": lambda ledger: ledger.sources.remove("docs"),
    "replace": lambda ledger: ledger.sources.replace(SourceRow("docs", "folder", "/other")),
    "erase": lambda ledger: erase(ledger, "a.md"),
    "scan ended": lambda ledger: ledger.access.scan_ended(["docs"], ledger.access.epoch()),
}


@pytest.mark.slow
@pytest.mark.parametrize("act", ACTS)
def test_who_moves_the_pointer_waits_for_nobody_who_waits_for_it(ledger: Ledger, act: str) -> None:
    """A server ends one of two transactions that wait for each other."""
    roll_back(ledger, {("docs", "a.md"): LIMITS})
    failed: list[Exception] = []

    def beside() -> None:
        try:
            ACTS[act](ledger)
        except Exception as error:
            failed.append(error)

    other = threading.Thread(target=beside)
    with ledger.access._database.write() as connection:
        connection.execute(text("UPDATE pointers SET version = version"))
        other.start()
        other.join(0.7)                     # until it waits
        assert other.is_alive()
        for table in ("restrictions", "sources", "rulebooks", "stat_cache"):
            connection.execute(text(f"UPDATE {table} SET source = source" if table != "sources"
                                    else "UPDATE sources SET name = name"))
    other.join(20)
    assert not failed and not other.is_alive()
