"""Machines whose clocks differ agree on when a claim ends, by the clock of the server their ledger lies on."""

import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from machines.ledger_place import LedgerPlace, on_a_server
from servers.postgres import Postgres

from consumers.replies.sender import ReplySender
from vouch.adapters.ledger import Ledger
from vouch.messages import QuestionAsked, TagsAudience
from vouch.ports.surface import Delivery

pytestmark = pytest.mark.services
LEASE = timedelta(seconds=120)
SKEWS = [timedelta(minutes=3), timedelta(minutes=-3), timedelta(days=1)]


def now() -> datetime:
    return datetime.now(UTC)


@pytest.fixture
def place(postgres_server: Postgres) -> Iterator[LedgerPlace]:
    with on_a_server(postgres_server) as made:
        yield made


class Machine:
    """A process on a machine whose clock is off."""

    def __init__(self, place: LedgerPlace, off: timedelta) -> None:
        self.off = off
        self.ledger: Ledger = place.open()
        self.ledger._database._clock = self.clock  # type: ignore[assignment]

    def clock(self) -> datetime:
        return now() + self.off

    def answers(self) -> None:
        question = QuestionAsked(
            id="q1", text="hello", surface="wall", asker="public", audience=TagsAudience(tags=("public",)),
            asked_at=self.clock(),
        )  # fmt: skip
        assert self.ledger.answers.record(question, {"id": "a1"}, [], [], self.clock())

    def sender(self, wall: Any) -> ReplySender:
        producer: Any = type("Producer", (), {"send": lambda self, *_: (0, 0)})()
        nothing: Any = None
        return ReplySender(
            self.ledger, lambda audience, chunks: True, nothing, nothing, {"wall": wall}, producer, self.clock,
            lease=LEASE,
        )  # fmt: skip


class Wall:
    """Takes its time: what it was sent is there only when `go` is set."""

    after_doubt = "ask"

    def __init__(self) -> None:
        self.posts: list[str] = []
        self.begun, self.go = threading.Event(), threading.Event()

    def has(self, delivery: Delivery) -> bool:
        return bool(self.posts)

    def post(self, delivery: Delivery) -> None:
        self.begun.set()
        self.go.wait(20)
        self.posts.append(delivery.question_id)


def posts_of_two(place: LedgerPlace, first: Machine, second: Machine) -> int:
    """The second looks while the first is posting."""
    wall = Wall()
    first.answers()
    sending = threading.Thread(target=first.sender(wall).step)
    sending.start()
    assert wall.begun.wait(20)
    other = threading.Thread(target=second.sender(wall).step)
    other.start()
    other.join(1.0)
    wall.go.set()
    for thread in (sending, other):
        thread.join(20)
    return len(wall.posts)


@pytest.mark.parametrize("off", SKEWS, ids=str)
def test_two_senders_whose_clocks_differ_post_once(place: LedgerPlace, off: timedelta) -> None:
    assert posts_of_two(place, Machine(place, timedelta(0)), Machine(place, off)) == 1


def test_a_sender_that_believes_its_own_clock_would_be_found_out(
    place: LedgerPlace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vouch.adapters.ledger.engine.database.Database.behind", lambda self, connection: timedelta(0))
    assert posts_of_two(place, Machine(place, timedelta(0)), Machine(place, timedelta(minutes=3))) == 2


@pytest.mark.parametrize("off", SKEWS, ids=str)
def test_an_answer_is_due_at_once_whichever_machine_made_it(place: LedgerPlace, off: timedelta) -> None:
    Machine(place, off).answers()
    here = Machine(place, timedelta(0))
    [row] = here.ledger.outbox.claim(["wall"], here.clock() + timedelta(seconds=1), LEASE)
    assert row.question.id == "q1"


@pytest.mark.parametrize("off", SKEWS, ids=str)
def test_what_a_sender_puts_off_or_leaves_behind_is_due_for_others_when_it_said(
    place: LedgerPlace, off: timedelta
) -> None:
    there, here = Machine(place, off), Machine(place, timedelta(0))
    there.answers()
    soon, later = timedelta(seconds=58), timedelta(seconds=62)

    def found(after: timedelta) -> int:
        return len(here.ledger.outbox.claim(["wall"], here.clock() + after, timedelta(0)))

    [row] = there.ledger.outbox.claim(["wall"], there.clock() + timedelta(seconds=1), timedelta(minutes=1))
    assert there.ledger.outbox.later(row, there.clock() + timedelta(minutes=1), "away", posted=False)
    assert found(soon) == 0 and found(later) == 1
    [row] = there.ledger.outbox.claim(["wall"], there.clock() + later, timedelta(0))
    assert there.ledger.outbox.posting(row, there.clock(), timedelta(minutes=1))
    assert found(soon) == 0 and found(later) == 1
