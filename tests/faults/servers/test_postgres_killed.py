"""The ledger's server is lost while a version is published or documents are ingested: whole versions, no orphans."""

import random
import shutil
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from faults.index.publish_scene import make_base, open_scene, wrong_after
from faults.servers.whole import whole
from homes.ingest_bench import Bench
from machines.ledger_place import on_a_server
from machines.ledger_proxy import Moment, proxy
from running.soak_table import Figures
from servers.postgres import Postgres
from sqlalchemy import Connection, event

from vouch.adapters.ledger import Ledger, open_ledger
from vouch.errors import LedgerDown

pytestmark = pytest.mark.services
KILLS, LONG = 5, 40
COMMITS = 10                            # of an ingest, at least


@dataclass(frozen=True)
class Base:
    """A home with two versions, its ledger, and what readers see before and after an edit that nothing disturbs."""

    server: Postgres
    home: Path
    url: str
    before: dict[str, Any]
    after: dict[str, Any]
    commits: int


@pytest.fixture(scope="module")
def base(postgres_server: Postgres, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Base]:
    folder = tmp_path_factory.mktemp("base")
    with on_a_server(postgres_server) as place:
        make_base(folder / "home", place.url)
        copied = postgres_server.copy_database(place.url)
        shutil.copytree(folder / "home", folder / "edited")
        with proxy(postgres_server.port) as between:
            scene = open_scene(folder / "edited", url=through(copied, postgres_server, between.port))
            before = scene.seen()
            between.at, between.after = "behind", 10**6
            scene.edit()
            commits = 10**6 - between.after
            between.at = "never"
            after = scene.seen()
            scene.close()
        postgres_server.drop_database(copied)
        yield Base(postgres_server, folder / "home", place.url, before, after, commits)


def through(url: str, server: Postgres, port: int) -> str:
    return url.replace(f":{server.port}/", f":{port}/")


@pytest.mark.parametrize("moment", ["before", "behind"])
def test_a_publish_whose_ledger_is_lost_around_any_commit_is_whole(
    base: Base, memory_folder: Path, moment: Moment
) -> None:
    problems = []
    reported = 0
    assert base.commits > 3
    for number in range(base.commits):
        home = memory_folder / str(number)
        shutil.copytree(base.home, home)
        url = base.server.copy_database(base.url)
        with proxy(base.server.port) as between:
            scene = open_scene(home, url=through(url, base.server, between.port))
            between.at, between.after = moment, number
            try:
                scene.edit()
            except LedgerDown:
                reported += 1
            assert between.at == "never", "the fault never came"
            scene.close()
        problems += [f"commit {number}: {said}" for said in wrong_after(home, base.before, base.after, url)]
        base.server.drop_database(url)
    assert problems == []
    assert reported > 1


def documents(folder: Path, count: int) -> None:
    folder.mkdir()
    for number in range(count):
        text = "\n\n".join(f"## Part {n}\n\nTravel budget {number} of office {n}, leave and visa." for n in range(5))
        (folder / f"{number}.md").write_text(f"# Rules {number}\n\n{text}\n")


def bench(home: Path, url: str, docs: Path) -> Bench:
    made = Bench(home)
    made.ledger.close()
    made.ledger = open_ledger(url)
    made.folder("docs", docs)
    return made


def test_an_ingest_whose_ledger_is_killed_is_finished_by_the_next(postgres_server: Postgres, tmp_path: Path) -> None:
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    documents(tmp_path / "docs", 12)
    with on_a_server(postgres_server) as place:
        made = bench(tmp_path / "home", place.url, tmp_path / "docs")
        made.ingest()
        failed = 0
        for number in random.Random(seed).sample(range(COMMITS), KILLS):
            (tmp_path / "docs" / f"new{number}.md").write_text(f"# New {number}\n\nTravel budget {number}.\n")
            deadly = Deadly(made.ledger, postgres_server, number)
            try:
                made.ingest()
            except LedgerDown:
                failed += 1
            assert deadly.struck, f"there is no commit {number}"
            made.ingest()
            assert whole(made.components.store, made.home)
            assert len(made.known("docs")) == 12 + len(list((tmp_path / "docs").glob("new*.md")))
        plain = Bench(tmp_path / "plain")
        plain.folder("docs", tmp_path / "docs")
        plain.ingest()
        assert made.known("docs") == plain.known("docs")
        made.ledger.close()
    assert failed >= KILLS - 2          # what goes on with purges says so in the log, and the ingest goes on


class Deadly:
    """Kills the server at the commit of that number, and starts it again."""

    def __init__(self, ledger: Ledger, server: Postgres, number: int) -> None:
        self._server, self._left, self.struck = server, number, False
        event.listen(ledger._database._engine, "commit", self._met)

    def _met(self, connection: Connection) -> None:
        if not self._left:
            self.struck = True
            self._server.stop(kill=True)
            self._server.start()
        self._left -= 1


@pytest.mark.soak
def test_ingests_whose_ledger_is_killed_at_random_lose_nothing(
    postgres_server: Postgres, tmp_path: Path, figures: Figures
) -> None:
    """The ledger is away for up to a second each time, wherever the ingest is just then."""
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    rng, failed = random.Random(seed), 0
    documents(tmp_path / "docs", 12)
    with on_a_server(postgres_server) as place:
        made = bench(tmp_path / "home", place.url, tmp_path / "docs")
        made.ingest()
        (tmp_path / "docs" / "0.md").write_text("# Rules 0\n\nTravel budget, edited.\n")
        began = time.monotonic()
        made.ingest()
        usual = time.monotonic() - began        # the first one took longer
        for number in range(LONG):
            (tmp_path / "docs" / f"new{number}.md").write_text(f"# New {number}\n\nTravel budget {number}.\n")
            killer = threading.Thread(target=kill, args=(postgres_server, rng.uniform(0, usual), rng.uniform(0, 1)))
            killer.start()
            try:
                made.ingest()
            except LedgerDown:
                failed += 1
            killer.join()
            made.ingest()
            assert whole(made.components.store, made.home), number
            assert len(made.known("docs")) == 12 + number + 1
        made.ledger.close()
    figures("PostgreSQL killed at random during ingests", f"{LONG} kills",
            f"{failed} ingests failed and the next one finished them; versions whole, no orphans")
    assert failed > LONG // 8


def kill(server: Postgres, after_s: float, away_s: float) -> None:
    time.sleep(after_s)
    server.stop(kill=True)
    time.sleep(away_s)
    server.start()
