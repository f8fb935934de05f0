"""A ledger from before grants waited for scans: what could be read stays so, and the next edit waits."""

import json
from pathlib import Path

from sqlalchemy import text

from vouch.access import Rule, RuleBook
from vouch.adapters.ledger import open_ledger
from vouch.adapters.ledger.engine.database import Database
from vouch.adapters.ledger.engine.migrate import upgrade

STAFF, PUBLIC = (frozenset({tag}) for tag in ("group:staff", "public"))


def test_rules_in_force_at_the_upgrade_count_as_those_of_the_last_scan(memory_folder: Path) -> None:
    file = memory_folder / "ledger.sqlite"
    database = Database(file)
    body = {"rules": [{"match": "**", "allow": ["group:staff"]}], "broken": ""}
    with database.write() as connection:
        upgrade(connection, "0003")
        connection.execute(text("INSERT INTO sources VALUES ('docs', 'folder', '/docs', NULL)"))
        connection.execute(text("INSERT INTO rulebooks VALUES ('docs', 'd', :body)"), {"body": json.dumps(body)})
    database.close()
    ledger = open_ledger(file)
    assert ledger.access.permissions().label("docs", "a.md", None).allows(STAFF)
    ledger.access.set_rules("docs", RuleBook((Rule("**", PUBLIC),)), "e")
    assert not ledger.access.permissions().label("docs", "a.md", None).allows(PUBLIC)
    ledger.close()


def test_what_was_let_in_before_the_upgrade_is_not_known(memory_folder: Path) -> None:
    """Of versions that were left before it; the one that was current then has the rules of when it is left."""
    file = memory_folder / "ledger.sqlite"
    database = Database(file)
    body = {"rules": [{"match": "**", "allow": ["group:staff"]}], "broken": ""}
    with database.write() as connection:
        upgrade(connection, "0005")
        connection.execute(text("INSERT INTO sources VALUES ('docs', 'folder', '/docs', NULL, NULL)"))
        connection.execute(text("INSERT INTO sources VALUES ('new', 'folder', '/new', NULL, NULL)"))
        row = text("INSERT INTO rulebooks VALUES ('docs', 'd', :body, 1, '[]')")
        connection.execute(row, {"body": json.dumps(body)})
        for number in (1, 2):
            row = text("INSERT INTO versions VALUES (:number, NULL, 'published', '2026-11-01 00:00:00', NULL)")
            connection.execute(row, {"number": number})
        connection.execute(text("UPDATE pointers SET version = 2"))
    database.close()
    ledger = open_ledger(file)
    assert ledger.versions.former_rules(1) == {"docs": None, "new": None}
    ledger.versions.swap(2, ledger.versions.allocate(2).number)
    assert ledger.versions.former_rules(1) == {"docs": None, "new": None}
    assert ledger.versions.former_rules(2) == {"docs": (RuleBook((Rule("**", STAFF),)),), "new": None}
    ledger.close()
