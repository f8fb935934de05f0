"""What a real PostgreSQL refuses arrives as one of our errors, with what to do about it."""

from collections.abc import Iterator
from datetime import UTC, datetime

import psycopg
import pytest
from machines.ledger_place import LedgerPlace, on_a_server
from servers.postgres import Postgres
from sqlalchemy import text

from vouch.adapters.ledger import SourceRow, open_ledger
from vouch.adapters.ledger.engine import postgres_engine
from vouch.errors import BadInput, Busy, Damaged, LedgerDown

pytestmark = pytest.mark.integration

NOW = datetime(2026, 11, 21, 10, 0, tzinfo=UTC)


@pytest.fixture
def place(postgres_server: Postgres) -> Iterator[LedgerPlace]:
    with on_a_server(postgres_server) as here:
        yield here


def plainly(place: LedgerPlace, statement: str) -> None:
    with psycopg.connect(place.url.replace("+psycopg", ""), autocommit=True) as connection:
        connection.execute(statement)


def test_a_writer_waits_so_long_and_then_says_for_whom(place: LedgerPlace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgres_engine, "LOCK_MS", 100)
    ledger = place.open()
    one, two = ledger.versions.allocate(None).number, ledger.versions.allocate(None).number
    with ledger._database.write("stat_cache/s") as connection:
        connection.execute(text("SELECT * FROM pointers FOR UPDATE"))
        for act in (lambda: ledger.versions.swap(None, one), lambda: ledger.stat_cache.put("s", {})):
            with pytest.raises(Busy, match="lock timeout"):
                act()
        ledger.stat_cache.put("another", {})        # nobody waits for what is not theirs
        assert ledger.versions.current() is None    # a reader waits for nothing
    ledger.versions.swap(None, one)
    ledger.versions.swap(one, two)
    assert ledger.versions.current() == two


def test_a_ledger_without_its_tables_is_damaged(place: LedgerPlace) -> None:
    ledger = place.open()
    plainly(place, "DROP TABLE pointers")
    with pytest.raises(Damaged, match="pointers"):
        ledger.access.permissions()


@pytest.mark.parametrize("name", ["a\0b", "x" * 201])
def test_a_value_that_cannot_be_stored_is_bad_input(place: LedgerPlace, name: str) -> None:
    ledger = place.open()
    with pytest.raises(BadInput):
        ledger.sources.add(SourceRow(name, "folder", "/x"))
    assert ledger.sources.list() == []


def test_a_number_that_json_does_not_know_is_bad_input_and_leaves_nothing(place: LedgerPlace) -> None:
    ledger = place.open()
    with pytest.raises(BadInput):
        ledger.runs.add({"score": float("nan")}, NOW)
    assert ledger.runs.list() == []


def test_a_role_without_rights_is_told_what_it_needs(place: LedgerPlace) -> None:
    place.open()
    role = f"reader_{place.url.rpartition('/')[2]}"
    plainly(place, f"CREATE ROLE {role} LOGIN")
    try:
        with pytest.raises(LedgerDown, match="permission denied") as told:
            open_ledger(place.url.replace("vouch@", f"{role}@")).versions.rows()
        assert "right" in told.value.cure
    finally:
        plainly(place, f"DROP ROLE {role}")


def test_a_database_or_a_role_that_is_not_there_is_named(place: LedgerPlace) -> None:
    for url in (f"{place.url}_not", place.url.replace("vouch@", "nobody_known@")):
        with pytest.raises(LedgerDown, match="does not exist"):
            open_ledger(url)


def test_a_password_is_never_said(place: LedgerPlace) -> None:
    url = place.url.replace("vouch@", "nobody_known:qzxsecret@")
    with pytest.raises(LedgerDown) as told:
        open_ledger(url)
    said, error = "", told.value
    cause: BaseException | None = error
    while cause is not None:
        said += str(cause)
        cause = cause.__cause__
    assert "qzxsecret" not in said + error.cure and "***" in error.cause
