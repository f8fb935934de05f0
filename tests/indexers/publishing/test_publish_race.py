"""Eight processes publish at once: each wins or is told, the history is one line, and nothing is lost."""

from pathlib import Path
from typing import Any

import pytest
from machines.ledger_place import LedgerPlace, on_a_server
from running.script_run import run_script
from running.soak_table import Figures
from servers.elastic import Elasticsearch
from servers.postgres import Postgres

pytestmark = pytest.mark.integration


def raced(home: Path, processes: int, publishes: int, *bug: str, **urls: str) -> dict[str, Any]:
    script = Path(__file__).with_name("publish_race.py")
    places = {f"VOUCH_{name.upper()}__URL": urls.get(name, "") for name in ("ledger", "lexical")}
    told: dict[str, Any] = run_script(script, home, processes, publishes, *bug, timeout_s=1800, **places)[0]
    return told


def assert_nothing_lost(home: Path, processes: int, publishes: int, figures: Figures, **urls: str) -> None:
    told = raced(home, processes, publishes, **urls)
    where = "PostgreSQL and Elasticsearch" if "lexical" in urls else "a ledger by URL" if "ledger" in urls else "files"
    figures(f"publishes from several processes at once, {where}", f"{processes} x {publishes}",
            f"{len(told['problems'])} lost or out of line, {told['abandoned']} overtaken and repeated")
    assert told["problems"] == []
    assert [row.get("raised") for row in told["told"]] == [None] * (processes * publishes)
    assert told["abandoned"] > 0, "they never met, which proves nothing"
    for row in told["told"]:            # however often it lost: asked for vectors once, no text analysed twice
        assert (row["asked"], row["analysed"]) == (1, row["new_rows"])
        assert row["encoded"] <= row["new_rows"]


def test_eight_processes_lose_no_publish(tmp_path: Path, ledger_place: LedgerPlace, figures: Figures) -> None:
    assert_nothing_lost(tmp_path, 8, 3, figures, ledger=ledger_place.url)


def test_eight_processes_lose_no_publish_on_servers(
    postgres_server: Postgres, elasticsearch_server: Elasticsearch, tmp_path: Path, figures: Figures
) -> None:
    """Of each version Elasticsearch has the rows of its manifest, and finds what its segments hold."""
    with on_a_server(postgres_server) as place:
        assert_nothing_lost(tmp_path, 8, 1, figures, ledger=place.url, lexical=elasticsearch_server.url)


@pytest.mark.soak
def test_eight_processes_lose_none_of_eighty_on_servers(
    postgres_server: Postgres, elasticsearch_server: Elasticsearch, tmp_path: Path, figures: Figures
) -> None:
    with on_a_server(postgres_server) as place:
        assert_nothing_lost(tmp_path, 8, 10, figures, ledger=place.url, lexical=elasticsearch_server.url)


@pytest.mark.soak
def test_eight_processes_lose_none_of_four_hundred(tmp_path: Path, figures: Figures) -> None:
    assert_nothing_lost(tmp_path, 8, 50, figures)


def test_a_pointer_that_moves_without_being_compared_is_found(tmp_path: Path) -> None:
    told = raced(tmp_path, 8, 3, "blind")
    assert any("is not its parent and its change" in problem for problem in told["problems"])
    assert any("the parent of" in problem for problem in told["problems"])
