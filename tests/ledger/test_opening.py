"""A ledger is created, brought up to date or refused; never half of it, whoever opens it at the same time."""

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from machines.ledger_place import LedgerPlace
from sqlalchemy import inspect, text

from vouch.adapters.ledger import open_ledger
from vouch.adapters.ledger.engine import migrate
from vouch.adapters.ledger.engine.database import Database
from vouch.adapters.ledger.engine.schema import HEAD, metadata
from vouch.errors import LedgerDown, Usage

pytestmark = pytest.mark.integration


@pytest.fixture
def file(memory_folder: Path) -> Path:
    return memory_folder / "home" / "ledger.sqlite"


def python(code: str, *arguments: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code), *map(str, arguments)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def test_the_migrations_end_where_the_code_believes_and_make_its_tables(ledger_place: LedgerPlace) -> None:
    config = Config()
    config.set_main_option("script_location", str(migrate.SCRIPTS))
    assert ScriptDirectory.from_config(config).get_heads() == [HEAD]
    ledger_place.open()
    with Database(ledger_place.url).read() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, metadata) == []


def test_what_was_stored_survives_the_next_opening(ledger_place: LedgerPlace) -> None:
    ledger = ledger_place.open()
    number = ledger.versions.allocate(None).number
    ledger.versions.swap(None, number)
    ledger.close()
    assert ledger_place.open().versions.current() == number


def test_a_file_is_found_by_its_path_and_by_its_url(file: Path) -> None:
    number = open_ledger(file).versions.allocate(None).number
    for name in (str(file), f"sqlite:///{file}"):
        assert [row.number for row in open_ledger(name).versions.rows()] == [number]


def test_an_acknowledged_write_is_on_disk_and_references_are_checked(file: Path) -> None:
    open_ledger(file).close()
    with Database(file).read() as connection:
        found = {name: connection.exec_driver_sql(f"PRAGMA {name}").scalar() for name in
                 ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")}  # fmt: skip
    assert found == {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "busy_timeout": 30_000}


def test_a_ledger_of_a_newer_vouch_is_refused_and_left_alone(ledger_place: LedgerPlace) -> None:
    ledger_place.open()
    with Database(ledger_place.url).write() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num='9999'"))
    with pytest.raises(Usage, match=rf"9999.*{HEAD}"):
        ledger_place.open()


def test_opening_again_costs_no_alembic(file: Path) -> None:
    open_ledger(file).close()
    code = """
        import sys, time
        from pathlib import Path
        from vouch.adapters.ledger import open_ledger
        start = time.perf_counter()
        open_ledger(Path(sys.argv[1]))
        print(time.perf_counter() - start, *[m for m in ("alembic", "sqlalchemy.orm", "torch") if m in sys.modules])
    """
    out, err = python(code, file).communicate(timeout=60)
    seconds, *modules = out.split()
    assert modules == [], err
    assert float(seconds) < 0.6


def test_processes_that_open_a_new_ledger_together_all_get_it_whole(ledger_place: LedgerPlace) -> None:
    code = """
        import os, sys
        from alembic import command     # so that the processes meet at the ledger, not at the imports
        from vouch.adapters.ledger import open_ledger
        children = []
        for _ in range(8):
            child = os.fork()
            if not child:
                os.write(1, b"%d\\n" % open_ledger(sys.argv[1]).versions.allocate(None).number)
                os._exit(0)
            children.append(child)
        print(*[os.waitpid(child, 0)[1] for child in children])
    """
    out, err = python(code, ledger_place.url).communicate(timeout=90)
    *numbers, ends = out.splitlines()
    assert ends == "0 0 0 0 0 0 0 0", err
    assert sorted(map(int, numbers)) == [1, 2, 3, 4, 5, 6, 7, 8]


def test_a_migration_that_is_killed_leaves_the_ledger_as_it_was(ledger_place: LedgerPlace) -> None:
    code = """
        import os, sys
        from vouch.adapters.ledger import open_ledger
        from vouch.adapters.ledger.engine import migrate
        real = migrate.upgrade
        def killed(connection, target):
            real(connection, target)
            os._exit(9)                 # every table made, nothing committed
        migrate.upgrade = killed
        open_ledger(sys.argv[1])
    """
    assert python(code, ledger_place.url).wait(timeout=60) == 9
    with Database(ledger_place.url).read() as connection:
        assert inspect(connection).get_table_names() == []
    assert ledger_place.open().versions.rows() == []


def test_a_place_that_cannot_be_written_is_said_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(LedgerDown, match="file"):
        open_ledger(tmp_path / "file" / "ledger.sqlite")


@pytest.mark.parametrize("url", [
    "://", "oracle9://x:hunter2@y/z", "postgresql+nodriver://x:hunter2@y/z", "mysql://y/z?password=hunter2",
    "postgresql://x:one@hunter2:three@127.0.0.1/z",
    "postgresql://127.0.0.1:hunter2/z", "sqlite://", "sqlite:///", "sqlite:///:memory:", "sqlite:///x?mode=memory",
])
def test_an_address_that_cannot_be_used_is_said_so_without_its_password(url: str) -> None:
    with pytest.raises(Usage) as raised:
        open_ledger(url)
    assert "ter2" not in str(raised.value) and raised.value.__cause__ is None
    assert raised.value.cure


@pytest.mark.parametrize("place", ["x:hunter2@127.0.0.1:1/z", "127.0.0.1:1/z?password=hunter2&sslpassword=hunter2"])
def test_a_server_that_is_away_is_named_without_its_password(place: str) -> None:
    ledger = f"postgresql+psycopg://{place}"
    with pytest.raises(LedgerDown, match=r"127\.0\.0\.1:1/z") as raised:
        open_ledger(ledger)
    assert "hunter2" not in str(raised.value)


def test_a_parameter_that_libpq_does_not_know_is_a_mistake_in_the_setting() -> None:
    with pytest.raises(Usage, match="nosuch"):
        open_ledger("postgresql+psycopg://127.0.0.1:1/z?nosuch=hunter2")
