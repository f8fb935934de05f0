"""A server that dies, a connection that is lost around a commit: reported, and never half done."""

import random
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import pairwise
from typing import TypeVar

import pytest
from machines.ledger_place import LedgerPlace, on_a_server
from machines.ledger_proxy import CommitProxy, Moment, proxy
from running.soak_table import Figures
from servers.postgres import Postgres
from sqlalchemy import text, update

from indexers.publishing.optimistic_publish import swap
from vouch.adapters.ledger import Ledger, open_ledger
from vouch.adapters.ledger.documents.versions import Versions
from vouch.adapters.ledger.engine import postgres_engine
from vouch.adapters.ledger.engine.schema import pointers, versions
from vouch.errors import Conflict, LedgerDown
from vouch.messages import QuestionAsked, TagsAudience
from vouch.ports.stores import Restored

pytestmark = pytest.mark.integration

NOW = datetime(2026, 11, 21, 10, 0, tzinfo=UTC)
KILLS = 6
MANY = pytest.param(120, marks=pytest.mark.soak)
T = TypeVar("T")


@pytest.fixture
def place(postgres_server: Postgres) -> Iterator[LedgerPlace]:
    with on_a_server(postgres_server) as here:
        yield here


@pytest.fixture
def between(place: LedgerPlace) -> Iterator[CommitProxy]:
    assert place.server is not None
    with proxy(place.server.port) as here:
        place.url = place.url.replace(f":{place.server.port}/", f":{here.port}/")
        yield here


def question(name: str) -> QuestionAsked:
    audience = TagsAudience(tags=("user:ana@acme.test",))
    return QuestionAsked(
        id=name, text="Who?", surface="terminal", asker="user:ana@acme.test", audience=audience, asked_at=NOW
    )


def record(ledger: Ledger, name: str) -> bool:
    rows = [{"chunk_id": "c", "cited": False, "evidence": {}, "schema": 1, "features": {}}]
    return ledger.answers.record(question(name), {"id": f"a-{name}"}, rows, ["c"], NOW)


def insist(act: Callable[[], T], failures: list[LedgerDown]) -> T:
    """What `act` gives once the ledger answers; each outage is kept."""
    until = time.monotonic() + 60
    while True:
        try:
            return act()
        except LedgerDown as error:
            failures.append(error)
            assert time.monotonic() < until
            time.sleep(0.02)


def counts(place: LedgerPlace) -> dict[str, int]:
    with open_ledger(place.url)._database.read() as connection:
        return {
            table: connection.execute(text(f"SELECT count(*) FROM {table}")).scalar_one()
            for table in ("inbox", "answers", "outbox", "candidates")
        }


def test_a_server_that_came_back_is_used_at_once(place: LedgerPlace) -> None:
    ledger, server = place.open(), place.server
    assert server is not None
    threads = [threading.Thread(target=ledger.versions.rows) for _ in range(5)]     # several connections in the pool
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    server.stop(kill=True)
    try:
        for act in (ledger.versions.rows, ledger.access.epoch, lambda: ledger.versions.allocate(None)):
            with pytest.raises(LedgerDown, match=str(server.port)) as told:
                act()
            assert "accepts this user" in told.value.cure
    finally:
        server.start()
    ledger.versions.allocate(None)
    server.stop(kill=True)              # and nobody looks before it is there again
    server.start()
    ledger.versions.allocate(None)
    assert len(ledger.versions.rows()) == 2


@pytest.mark.parametrize("kills", [KILLS, MANY])
def test_an_answer_is_stored_whole_and_once_however_often_the_server_dies(
    place: LedgerPlace, kills: int, figures: Figures
) -> None:
    ledger, server = place.open(), place.server
    assert server is not None
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    failures: list[LedgerDown] = []
    stop = threading.Event()
    given: list[str] = []

    def work() -> None:
        while not stop.is_set():
            name = f"q{random.random()}"
            insist(partial(record, ledger, name), failures)
            assert insist(partial(record, ledger, name), failures) is False
            given.append(name)

    under_kills(server, work, stop, random.Random(seed), kills)
    assert failures and len(given) > kills
    assert counts(place) == dict.fromkeys(("inbox", "answers", "outbox", "candidates"), len(given))
    assert all(ledger.answers.answered(name) for name in given)
    figures("PostgreSQL killed while answers are stored", f"{kills} kills, {len(given)} answers",
            f"0 lost, 0 double, 0 half; {len(failures)} outages reported")


class Careless(Versions):
    """Looks at the pointer in one transaction and moves it in another."""

    def swap(
        self, expected: int | None, new: int, *, despite_hold: bool = False, restored: Restored | None = None
    ) -> None:
        if self.current() != expected:
            raise Conflict("somebody else")
        with self._database.write() as connection:
            connection.execute(update(versions).where(versions.c.number == new).values(state="published"))
            connection.execute(update(pointers).values(version=new))


@pytest.mark.parametrize("kills", [KILLS, MANY])
@pytest.mark.parametrize(("kind", "whole"), [(Versions, True), (Careless, False)])
def test_the_pointer_has_one_history_however_often_the_server_dies(
    place: LedgerPlace, kind: type[Versions], whole: bool, kills: int, figures: Figures
) -> None:
    store, server = kind(place.open()._database), place.server
    assert server is not None
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    failures: list[LedgerDown] = []
    moves: list[tuple[int | None, int]] = []
    stop = threading.Event()

    def publish() -> None:
        while not stop.is_set():
            expected: int | None = insist(store.current, failures)
            number = insist(partial(store.allocate, expected), failures).number
            try:
                swap(store, expected, number)
            except Conflict:
                continue
            except LedgerDown as error:             # it may have moved, and somebody moved it on
                failures.append(error)
                continue
            moves.append((expected, number))

    under_kills(server, publish, stop, random.Random(seed), kills)
    rows = {row.number: row for row in store.rows()}
    history = [store.current()]
    while history[-1] is not None:
        history.append(rows[history[-1]].parent)
    published = {row.number for row in rows.values() if row.state == "published"}
    steps = {(parent, number) for number, parent in pairwise(history)}
    assert failures and len(moves) > kills
    found = published == set(history) - {None} and set(moves) <= steps
    figures("PostgreSQL killed while the pointer moves" + ("" if whole else ", planted bug"),
            f"{kills} kills, {len(moves)} moves", "one history" if found else "histories apart")
    assert found is whole


def under_kills(
    server: Postgres, work: Callable[[], None], stop: threading.Event, rng: random.Random, kills: int
) -> None:
    """Four threads work while the server is killed and started again; they have ended."""
    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for _ in range(kills):
        time.sleep(rng.uniform(0.05, 0.4))
        server.stop(kill=True)
        server.start()
    stop.set()
    for thread in threads:
        thread.join(60)
    assert not any(thread.is_alive() for thread in threads)


@pytest.mark.parametrize(("moment", "stored"), [("before", False), ("behind", True)])
def test_an_answer_whose_commit_is_in_doubt_is_told_from_the_inbox(
    place: LedgerPlace, between: CommitProxy, moment: Moment, stored: bool
) -> None:
    ledger = place.open()
    between.at = moment
    with pytest.raises(LedgerDown):
        record(ledger, "q1")
    assert ledger.answers.answered("q1") is stored
    assert record(ledger, "q1") is not stored
    assert counts(place) == {"inbox": 1, "answers": 1, "outbox": 1, "candidates": 1}


@pytest.mark.parametrize(("moment", "moved"), [("before", False), ("behind", True)])
def test_a_move_of_the_pointer_whose_commit_is_in_doubt_is_told_by_the_pointer(
    place: LedgerPlace, between: CommitProxy, moment: Moment, moved: bool
) -> None:
    ledger = place.open()
    number = ledger.versions.allocate(None).number
    between.at = moment
    if moved:
        swap(ledger.versions, None, number)
    else:
        with pytest.raises(LedgerDown):
            swap(ledger.versions, None, number)
    assert ledger.versions.current() == (number if moved else None)
    assert [row.state for row in ledger.versions.rows()] == ["published" if moved else "building"]


def test_a_server_that_falls_silent_is_given_up(
    place: LedgerPlace, between: CommitProxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = place.open()
    monkeypatch.setattr(postgres_engine, "SILENT_S", 1.0)
    between.at = "silent"
    began = time.monotonic()
    with pytest.raises(LedgerDown, match="silent"):
        record(ledger, "q1")
    assert time.monotonic() - began < 10
    assert record(ledger, "q1") is True


def test_senders_do_not_wait_for_one_another(place: LedgerPlace) -> None:
    ledger = place.open()
    for number in range(40):
        record(ledger, f"q{number:02}")
    with ledger._database.write() as connection:
        connection.execute(text("SELECT 1 FROM outbox WHERE question_id = 'q00' FOR UPDATE"))
        [row] = ledger.outbox.claim(["terminal"], NOW, timedelta(minutes=1), limit=1)
        assert row.question.id == "q01"
    claimed: list[str] = []

    def send() -> None:
        while rows := ledger.outbox.claim(["terminal"], NOW, timedelta(minutes=1), limit=3):
            claimed.extend(row.question.id for row in rows)

    threads = [threading.Thread(target=send) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(claimed) == sorted({f"q{number:02}" for number in range(40)} - {"q01"})
