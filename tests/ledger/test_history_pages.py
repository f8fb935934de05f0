"""Answers are read page by page, and each page begins where the index says: a ledger of years is read in one pass."""

import sqlite3
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from alembic import command
from alembic.config import Config
from learning_scene.past_answers import put
from machines.ledger_place import LedgerPlace
from sqlalchemy import event, inspect

from vouch.adapters.ledger.engine import migrate
from vouch.adapters.ledger.engine.database import Database
from vouch.adapters.ledger.usage.history import History

AT = datetime(2026, 11, 1, 9, tzinfo=UTC)
INDICES = {("answers", "ix_answers_made_at_answer_id"), ("feedback", "ix_feedback_at"),
           ("labels", "ix_labels_question_key"), ("candidates", "ix_candidates_chunk_id")}


def planted(place: LedgerPlace) -> list[str]:
    """Their texts in the order they have: several of one moment, and moments told in other zones."""
    ledger, east = place.open(), timezone(timedelta(hours=9))
    texts = []
    for n in (4, 2, 0, 3, 1):
        for name in "cab":
            at = AT + timedelta(microseconds=n)
            put(ledger, f"{name}{n}", f"{n}{name}?", "user:ana", at.astimezone(east) if name == "a" else at)
            texts.append(f"{n}{name}?")
    return sorted(texts)


@pytest.mark.parametrize("size", [1, 2, 3, 4, 15, 16])
def test_pages_hold_every_answer_once_in_order(ledger_place: LedgerPlace, size: int) -> None:
    texts = planted(ledger_place)
    pages = list(History(Database(ledger_place.url)).answered(size))
    assert [one.question.text for page in pages for one in page] == texts
    assert all(len(page) == size for page in pages[:-1])


def test_a_page_begins_at_its_place_in_the_index_and_nothing_is_sorted(tmp_path: Path) -> None:
    file = tmp_path / "ledger.sqlite"
    place = LedgerPlace(f"sqlite:///{file}")
    planted(place)
    database, run = Database(file), []
    event.listen(database._engine, "before_cursor_execute",
                 lambda connection, cursor, statement, values, *_: run.append((statement, values)))
    list(History(database).answered(6))
    pages = [(statement, values) for statement, values in run if "JOIN outbox" in statement]
    assert len(pages) == 3
    with sqlite3.connect(file) as connection:
        for number, (statement, values) in enumerate(pages):
            plan = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {statement}", values)]
            kind = "SEARCH" if number else "SCAN"
            assert plan[0].startswith(f"{kind} answers USING INDEX ix_answers_made_at_answer_id"), plan
            assert not any("TEMP B-TREE" in step for step in plan), plan
    place.opened[0].close()


def indices(database: Database) -> set[tuple[str, str | None]]:
    with database.read() as connection:
        look = inspect(connection)
        return {(table, one["name"]) for table, _ in INDICES if look.has_table(table)
                for one in look.get_indexes(table)} & INDICES


@pytest.mark.integration
def test_the_indices_go_with_their_migration_and_come_back(ledger_place: LedgerPlace) -> None:
    planted(ledger_place)
    database = Database(ledger_place.url)
    config = Config()
    config.set_main_option("script_location", str(migrate.SCRIPTS))
    assert indices(database) == INDICES
    with database.write() as connection:
        config.attributes["connection"] = connection
        command.downgrade(config, "0006")
    assert indices(database) == set()
    migrate.bring_to_head(database)
    assert indices(database) == INDICES
