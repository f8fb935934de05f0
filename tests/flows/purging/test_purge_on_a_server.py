"""A purge whose ledger lies on PostgreSQL: no row of it holds the document's words, read as text by psql's own eyes."""

from collections.abc import Iterator

import psycopg
import pytest
from homes.grep_home import forms, grep
from homes.ingest_bench import Bench
from homes.purge_scene import PLACE, QUOTE, SECRET, ingest_history
from learning_scene.flow_answers import AT, answered
from machines.ledger_place import on_a_server
from servers.postgres import Postgres

from flows.runs.purge import purge
from vouch.adapters.ledger import Vote
from vouch.adapters.ledger.removal.erasure import Erasure
from vouch.errors import Damaged


@pytest.fixture
def kept(postgres_server: Postgres, tmp_path) -> Iterator[Bench]:
    with on_a_server(postgres_server) as place:
        bench = Bench(tmp_path / "home")
        bench.ledger.close()
        (tmp_path / "home" / "ledger.sqlite").unlink()
        bench.ledger = place.open()
        bench.url = place.url
        ingest_history(bench, tmp_path / "docs")
        answered(bench, "q", "What is the pay?", cites=[PLACE], text=QUOTE)
        answered(bench, "waits", "What is the pay?", cites=[PLACE], text=QUOTE, given=["1" * 32], sent=False)
        bench.ledger.feedback.record(Vote("a-q", "user:ana@acme.test", "up", f"Right: {QUOTE}", AT))
        bench.ledger.runs.add({"problems": [{"path": "board/pay.md", "reason": f"odd: {QUOTE}"}]}, AT)
        yield bench


def rows_with(url: str) -> list[str]:
    """'table: word' for every row that holds one, whatever column it stands in."""
    found = set()
    with psycopg.connect(url.replace("+psycopg", "")) as connection:
        tables = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall()
        assert len(tables) > 10
        for (table,) in tables:
            for (row,) in connection.execute(f"SELECT t::text FROM {table} t"):
                found |= {f"{table}: {word}" for word in SECRET for form in forms(word)
                          if form in row.encode() and b"\0" not in form}
    return sorted(found)


def test_no_row_is_left_that_holds_its_words(kept: Bench) -> None:
    assert {found.split(":")[0] for found in rows_with(kept.url)} == {"answers", "feedback", "runs"}
    done = purge(kept.components, PLACE, with_copies=False)
    assert (done.answers, rows_with(kept.url), grep(kept.home, SECRET)) == (2, [], [])
    assert [row.state for row in kept.ledger.purges.all()] == ["done"]


def test_answers_left_out_are_found_by_the_proof(kept: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Erasure, "made_from", lambda self, target: {})
    with pytest.raises(Damaged, match="purge is not complete"):
        purge(kept.components, PLACE, with_copies=False)
    assert rows_with(kept.url)
    monkeypatch.undo()
    purge(kept.components, PLACE, with_copies=False)
    assert rows_with(kept.url) == []
