"""Every failure of SQLAlchemy, SQLite and PostgreSQL arrives as one of ours."""

import sqlite3
import threading
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import exc

from vouch.adapters.ledger import Ledger, SourceRow, open_ledger
from vouch.adapters.ledger.engine import sqlite_engine
from vouch.adapters.ledger.engine.database import translate
from vouch.errors import BadInput, Busy, Conflict, Damaged, LedgerDown, Unavailable, VouchError


def driver(code: int | None = None, state: str | None = None) -> Exception:
    error = sqlite3.OperationalError("reason\nmore")
    if code is not None:
        error.sqlite_errorcode = code
    if state is not None:
        error.sqlstate = state          # type: ignore[attr-defined]  # as psycopg has it
    return error


CASES: list[tuple[exc.SQLAlchemyError, type[VouchError]]] = [
    (exc.OperationalError("s", {}, driver(sqlite3.SQLITE_BUSY)), Busy),
    (exc.OperationalError("s", {}, driver(sqlite3.SQLITE_BUSY | 2 << 8)), Busy),
    (exc.OperationalError("s", {}, driver(sqlite3.SQLITE_LOCKED)), Busy),
    (exc.OperationalError("s", {}, driver(state="40001")), Busy),
    (exc.OperationalError("s", {}, driver(state="40P01")), Busy),
    (exc.OperationalError("s", {}, driver(state="55P03")), Busy),
    (exc.TimeoutError("pool"), Busy),
    (exc.DatabaseError("s", {}, driver(sqlite3.SQLITE_CORRUPT)), Damaged),
    (exc.DatabaseError("s", {}, driver(sqlite3.SQLITE_NOTADB)), Damaged),
    (exc.OperationalError("s", {}, driver(sqlite3.SQLITE_ERROR)), Damaged),
    (exc.InternalError("s", {}, driver(state="XX001")), Damaged),
    (exc.ProgrammingError("s", {}, driver(state="42P01")), Damaged),
    (exc.ProgrammingError("s", {}, driver(state="42501")), LedgerDown),
    (exc.IntegrityError("s", {}, driver(sqlite3.SQLITE_CONSTRAINT)), Conflict),
    (exc.DataError("s", {}, driver(state="22021")), BadInput),
    (exc.OperationalError("s", {}, driver(sqlite3.SQLITE_FULL)), LedgerDown),
    (exc.OperationalError("s", {}, driver(sqlite3.SQLITE_IOERR)), LedgerDown),
    (exc.OperationalError("s", {}, driver(sqlite3.SQLITE_CANTOPEN)), LedgerDown),
    (exc.OperationalError("s", {}, driver(sqlite3.SQLITE_READONLY)), LedgerDown),
    (exc.OperationalError("s", {}, driver(state="57P01")), LedgerDown),
    (exc.InterfaceError("s", {}, driver()), LedgerDown),
    (exc.InternalError("s", {}, driver()), LedgerDown),
    (exc.DisconnectionError("gone"), LedgerDown),
    (exc.ProgrammingError("s", {}, driver()), VouchError),
    (exc.NotSupportedError("s", {}, driver()), VouchError),
    (exc.StatementError("naive", "s", {}, ValueError("a moment without a time zone")), VouchError),
]


@pytest.mark.parametrize(("error", "ours"), CASES)
def test_each_failure_has_its_place_in_our_tree(error: exc.SQLAlchemyError, ours: type[VouchError]) -> None:
    found = translate("/h/ledger.sqlite", error)
    assert type(found) is ours
    told = issubclass(ours, BadInput | Conflict)        # whoever asked is told of these
    assert ("/h/ledger.sqlite" in found.cause) is not told and found.cure
    assert "\n" not in found.cause


def test_what_to_look_at_differs_between_a_file_and_a_server() -> None:
    full = exc.OperationalError("s", {}, driver(sqlite3.SQLITE_FULL))
    assert "free disk space" in translate("/h/ledger.sqlite", full).cure
    assert "accepts this user" in translate("db", exc.DisconnectionError("gone")).cure


def test_every_class_that_sqlalchemy_has_ends_in_our_tree() -> None:
    """A new one in a later release would end here as well, and only a machine's outage is ever waited for."""
    listed = {type(error) for error, _ in CASES}
    for kind in vars(exc).values():
        if not (isinstance(kind, type) and issubclass(kind, exc.SQLAlchemyError)):
            continue
        message = ("m",) if kind is exc.StatementError else ()
        statement = (*message, "s", {}, driver())
        error = kind(*statement) if issubclass(kind, exc.StatementError) else kind.__new__(kind)
        found = translate("l", error)
        assert isinstance(found, VouchError)
        if isinstance(found, Unavailable | Busy):
            assert any(issubclass(kind, known) for known in listed - {exc.DatabaseError})


@pytest.fixture
def ledger(memory_folder: Path) -> Ledger:
    return open_ledger(memory_folder / "ledger.sqlite")


def test_a_file_that_is_no_ledger_is_damaged(memory_folder: Path) -> None:
    file = memory_folder / "ledger.sqlite"
    file.write_bytes(b"not a database at all" * 500)
    with pytest.raises(Damaged, match=r"ledger\.sqlite"):
        open_ledger(file)


def test_a_ledger_without_its_tables_is_damaged(ledger: Ledger, memory_folder: Path) -> None:
    with sqlite3.connect(memory_folder / "ledger.sqlite") as db:
        db.execute("DROP TABLE pointers")
    with pytest.raises(Damaged):
        ledger.access.permissions()


def test_pages_that_were_overwritten_are_damage_and_not_an_empty_answer(memory_folder: Path) -> None:
    ledger = open_ledger(memory_folder / "ledger.sqlite")
    for i in range(60):
        ledger.sources.add(SourceRow(f"s{i}", "folder", "/x" * 200))
    ledger.close()
    file = memory_folder / "ledger.sqlite"
    data = bytearray(file.read_bytes())
    data[4096:] = b"\xee" * (len(data) - 4096)
    file.write_bytes(data)
    with pytest.raises(Damaged):
        open_ledger(file).sources.list()


def test_a_writer_waits_so_long_and_then_says_for_whom(memory_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_engine, "BUSY_MS", 50)
    ledger = open_ledger(memory_folder / "ledger.sqlite")
    other = sqlite3.connect(memory_folder / "ledger.sqlite", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(Busy):
        ledger.versions.allocate(None)
    assert ledger.versions.rows() == []         # a reader does not wait
    other.execute("COMMIT")
    assert ledger.versions.allocate(None).number == 1


def test_writers_queue_instead_of_failing(ledger: Ledger) -> None:
    failures: list[Exception] = []

    def write() -> None:
        try:
            for _ in range(25):
                ledger.runs.add({}, datetime.now(UTC))
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=write) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert len(ledger.runs.list(limit=1000)) == 100


def test_a_full_disk_is_an_outage_and_nothing_of_the_transaction_stays(ledger: Ledger, memory_folder: Path) -> None:
    from sqlalchemy import event

    engine = ledger._database._engine
    engine.dispose()
    event.listen(engine, "connect", lambda db, _: db.execute("PRAGMA max_page_count=1"))    # rounded up to the present
    with pytest.raises(LedgerDown, match="full"):
        for i in range(1000):
            ledger.sources.add(SourceRow(f"s{i}", "folder", "/x" * 4000))
    count = len(ledger.sources.list())
    assert count == len(open_ledger(memory_folder / "ledger.sqlite").sources.list())
