"""A machine that is away for a while sends nothing to the dead topic, and all is answered once it is back."""

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from typing import Any

import pytest
from faults.delivery.poison import Company, judge
from faults.delivery.poison_places import SAID, Opener
from http_scene.callback_receiver import CallbackReceiver
from running.soak_table import Figures

from consumers.questions.handler import QuestionHandler
from vouch.errors import LogDown, SurfaceDown, Unavailable
from vouch.ports.log import Record
from vouch.ports.surface import Delivery

SERVERS = {"ledger": "postgres_server", "log": "kafka_server"}
Away = Callable[[Company, str], Any]
ANYWHERE = [(place, machine) for place in ("files", "servers") for machine in ("index", "surface there")]
SHORT = [("files", "index", 2.0), ("files", "surface there", 2.0), ("servers", "ledger", 3.0), ("servers", "log", 5.0)]
LONG = [*ANYWHERE, ("servers", "ledger"), ("servers", "log")]


@pytest.fixture
def away(request: pytest.FixtureRequest) -> Away:
    """In it the machine is away."""

    @contextmanager
    def leaves(found: Company, machine: str) -> Iterator[None]:
        if machine == "index":
            found.answering.down.set()
            yield
            found.answering.down.clear()
        elif machine == "surface there":
            first = found.receiver
            first.shutdown()
            first.server_close()
            yield
            found.receiver = CallbackReceiver(port=first.server_address[1])
            found.receiver.posts = first.posts
            request.addfinalizer(lambda: found.receiver.__exit__())     # it knows what the first one knew
            first.shutdown = lambda: None       # type: ignore[method-assign]
            found.receiver.__enter__()
        else:
            server = request.getfixturevalue(SERVERS[machine])
            server.stop()
            try:
                yield
            finally:
                server.start()

    return leaves


def outage(found: Company, away: Away, machine: str, seconds: float,
           until_then: Callable[[], bool] = lambda: True) -> list[str]:
    """Questions come before, during and after; what is waited for at the end of the outage.

    It lasts so many seconds, and until that is true (a minute at most).
    What the log does not take is asked again later, as whoever brings questions does.
    """
    refused = []
    for number in range(10):
        found.send_healthy(f"before{number}")
    assert found.wait(lambda: len(found.receiver.posts) >= 3, 20)
    with away(found, machine):
        until = time.monotonic() + seconds
        for number in range(30):
            try:
                found.send_healthy(f"during{number}")
            except LogDown:
                refused.append(f"during{number}")
                break
        time.sleep(max(0.0, until - time.monotonic()))
        found.wait(until_then, 60)
        waiting = [wait.machine for wait in found.telemetry.waiting()]
    assert bool(refused) is (machine == "log")
    for name in [*refused, *(f"after{number}" for number in range(10))]:
        found.send_healthy(name)
    found.wait(lambda: found.settled() and len(found.receiver.posts) + len(found.dead()) >= len(found.sent), 40)
    return waiting


def outage_adds_nothing(opener: Opener, away: Away, machine: str, seconds: float) -> tuple[int, int, int]:
    """How many were asked and answered, and how many are dead."""
    before = at_work_for_kafka()
    with opener() as found, found.at_work(found.worker(patience_s=60), found.sender()):
        waiting = outage(found, away, machine, seconds)
        assert (judge(found, set()), waiting) == ([], [machine])
        assert found.wait(lambda: found.telemetry.waiting() == [], 10)
        assert found.ledger.outbox.counts() == {"sent": len(found.sent)}
        figures = len(found.sent), len(found.receiver.posts), len(found.dead())
    assert found.wait(lambda: at_work_for_kafka() <= before, 5), "a producer was given up and works on"
    return figures


def at_work_for_kafka() -> set[threading.Thread]:
    """The threads of all producers in this process."""
    return {thread for thread in threading.enumerate() if type(thread).__module__ == "kafka.producer.sender"}


@pytest.mark.slow
@pytest.mark.parametrize(("opener", "machine", "seconds"), SHORT, indirect=["opener"])
def test_an_outage_of_some_seconds_adds_nothing_to_the_dead(
    opener: Opener, away: Away, machine: str, seconds: float
) -> None:
    outage_adds_nothing(opener, away, machine, seconds)


@pytest.mark.soak
@pytest.mark.parametrize(("opener", "machine"), LONG, indirect=["opener"])
def test_an_outage_of_thirty_seconds_adds_nothing_to_the_dead(
    opener: Opener, away: Away, machine: str, request: pytest.FixtureRequest, figures: Figures
) -> None:
    asked, answered, dead = outage_adds_nothing(opener, away, machine, 30.0)
    place = SAID[request.node.callspec.params["opener"]]
    figures(f"{machine.replace('surface there', 'receiver')} away; {place}", f"{asked} questions, 30 s",
            f"{answered} answered once, {dead} dead")


class Blames(QuestionHandler):
    """The planted bug: an outage counts as the message's own fault."""

    def handle(self, question: Any) -> None:
        try:
            super().handle(question)
        except Unavailable as error:
            raise RuntimeError("counted as the message's own fault") from error

    def give_up(self, question: Any) -> None:
        with suppress(Unavailable):
            super().give_up(question)


class Remembered:
    """Attempts counted where no outage reaches, so that the planted bug does."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[int, int]] = Counter()

    def begun(self, group: str, record: Record) -> int:
        return self._counts[record.partition, record.offset]

    def put(self, group: str, record: Record, count: int, at: datetime) -> datetime:
        self._counts[record.partition, record.offset] = count
        return at

    def end(self, group: str, record: Record) -> None:
        del self._counts[record.partition, record.offset]


class BlamesAnswers:
    """The same of a surface: that it is down counts as the answer's own fault."""

    after_doubt = "ask"

    def __init__(self, surface: Any) -> None:
        self._surface = surface
        self.failed = Counter[str]()

    def has(self, delivery: Delivery) -> bool:
        return bool(self._blamed(self._surface.has, delivery))

    def post(self, delivery: Delivery) -> None:
        self._blamed(self._surface.post, delivery)

    def _blamed(self, act: Callable[[Delivery], Any], delivery: Delivery) -> Any:
        try:
            return act(delivery)
        except SurfaceDown as error:
            self.failed[delivery.question_id] += 1
            raise RuntimeError("counted as the answer's own fault") from error


# One that drains to the dead topic while the log is away is planted in test_kafka_log.py.
@pytest.mark.slow
@pytest.mark.parametrize(("opener", "machine", "seconds"), SHORT[:3], indirect=["opener"])
def test_the_harness_sees_a_drain_to_the_dead_topic_during_an_outage(
    opener: Opener, away: Away, machine: str, seconds: float
) -> None:
    with opener() as found:
        handler = Blames(found.answering.answer, found.answering.decline, found.ledger, lambda: datetime.now(UTC))
        worker = found.worker(patience_s=60, handler=handler, attempts=Remembered())
        surface = BlamesAnswers(found.surface)

        def went_wrong() -> bool:
            return bool(found.dead()) or max(surface.failed.values(), default=0) > 5

        with found.at_work(worker, found.sender(surface=surface)):
            outage(found, away, machine, seconds, went_wrong)
        wrong = judge(found, set())
        assert any("is on the dead topic" in line or "times" in line for line in wrong), wrong
