"""Poison goes to the dead topic, all of it and nothing else; a machine that is away sends nothing there."""

import random
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from callback_receiver import CallbackReceiver
from faults.poison import KINDS, Company, company, judge

from consumers import handling
from consumers.questions import QuestionHandler
from vouch.errors import IndexDown, SurfaceDown
from vouch.ports import Delivery

SEED = 20261121


def poisoned(found: Company, healthy: int, each: int, **changes: Any) -> set[str]:
    """Runs a worker over healthy questions with poison strewn among them; the names of the poison."""
    names = [("", n) for n in range(healthy)] + [(kind, n) for kind in KINDS for n in range(each)]
    random.Random(SEED).shuffle(names)
    for kind, number in names:
        if kind:
            found.send_poison(kind, number)
        else:
            found.send_healthy(f"q{number}")
    poison = {f"{kind}-{number}" for kind, number in names if kind}
    with found.at_work(found.worker(**changes), found.sender()):
        found.wait(lambda: found.settled() and len(found.dead()) == len(poison), 30 if not changes else 5)
    return poison


@pytest.mark.slow
def test_one_message_in_ten_is_poison_and_the_dead_set_is_exactly_that(memory_folder: Path) -> None:
    with company(memory_folder) as found:
        assert judge(found, poisoned(found, 110, 2)) == []


class Swallows(QuestionHandler):
    """Takes a crash for an answer."""

    def handle(self, question: Any) -> None:
        if not question.id.startswith("crash"):
            super().handle(question)


@pytest.mark.slow
@pytest.mark.parametrize("planted", ["swallows", "gives up early", "knows every version"])
def test_the_harness_sees_poison_that_is_swallowed_given_up_early_or_taken(
    memory_folder: Path, planted: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with company(memory_folder) as found:
        changes: dict[str, Any] = {"max_attempts": 2} if planted == "gives up early" else {"max_attempts": 5}
        if planted == "swallows":
            changes["handler"] = Swallows(
                found.answering.answer, found.answering.decline, found.ledger, lambda: datetime.now(UTC),
                served=["there"],
            )
        elif planted == "knows every version":
            known = handling.decode
            monkeypatch.setattr(handling, "decode", lambda topic, data: known(topic, data.replace(b": 99", b": 1")))
        wrong = judge(found, poisoned(found, 10, 1, **changes))
        name = "version" if planted.startswith("knows") else "crash"
        assert any(name in line for line in wrong), wrong


def outage(found: Company, seconds: float, begin: Callable[[], None], end: Callable[[], None]) -> list[str]:
    """Questions come before, during and after; what is waited for meanwhile."""
    for number in range(10):
        found.send_healthy(f"before{number}")
    assert found.wait(lambda: len(found.receiver.posts) >= 3, 10)
    begin()
    for number in range(30):
        found.send_healthy(f"during{number}")
    time.sleep(seconds / 2)
    waiting = [wait.machine for wait in found.vitals.waiting()]
    time.sleep(seconds / 2)
    end()
    for number in range(10):
        found.send_healthy(f"after{number}")
    found.wait(lambda: found.settled() and len(found.receiver.posts) >= len(found.sent), 15)
    return waiting


def surface_outage(found: Company, seconds: float) -> list[str]:
    """The receiver is gone, its port closed, and comes back with what it knew."""
    first = found.receiver
    port = first.server_address[1]

    def begin() -> None:
        first.shutdown()
        first.server_close()

    def end() -> None:
        back = CallbackReceiver(port=port)
        back.posts = first.posts
        back.__enter__()
        found.receiver = back

    try:
        return outage(found, seconds, begin, end)
    finally:
        first.shutdown = lambda: None   # type: ignore[method-assign]


@pytest.mark.slow
@pytest.mark.parametrize("machine", ["index", "surface there"])
def test_an_outage_of_two_seconds_adds_nothing_to_the_dead(memory_folder: Path, machine: str) -> None:
    outage_adds_nothing(memory_folder, machine, 2.0)


@pytest.mark.soak
@pytest.mark.parametrize("machine", ["index", "surface there"])
def test_an_outage_of_thirty_seconds_adds_nothing_to_the_dead(tmp_path: Path, machine: str) -> None:
    outage_adds_nothing(tmp_path, machine, 30.0)


def outage_adds_nothing(folder: Path, machine: str, seconds: float) -> None:
    with company(folder) as found, found.at_work(found.worker(patience_s=60), found.sender()):
        if machine == "index":
            waiting = outage(found, seconds, found.answering.down.set, found.answering.down.clear)
        else:
            waiting = surface_outage(found, seconds)
        wrong = judge(found, set())
        assert (wrong, waiting) == ([], [machine])
        assert found.vitals.waiting() == [] and found.ledger.outbox.counts() == {"sent": len(found.sent)}
        print(f"\n{machine} away for {seconds:g} s: {len(found.sent)} asked, {len(found.receiver.posts)} answers came, "
              f"{len(found.dead())} dead")


@pytest.mark.slow
@pytest.mark.parametrize("machine", ["index", "surface there"])
def test_the_harness_sees_a_drain_to_the_dead_topic_during_an_outage(memory_folder: Path, machine: str) -> None:
    with company(memory_folder) as found:
        inner = found.answering.answer

        def drains(question: Any) -> Any:
            try:
                return inner(question)
            except IndexDown as error:
                raise RuntimeError("counted as the message's own fault") from error

        class Drains:
            after_doubt = "ask"

            def has(self, delivery: Delivery) -> bool:
                return bool(blamed(found.surface.has, delivery))

            def post(self, delivery: Delivery) -> None:
                blamed(found.surface.post, delivery)

        def blamed(act: Callable[[Delivery], Any], delivery: Delivery) -> Any:
            try:
                return act(delivery)
            except SurfaceDown as error:
                raise RuntimeError("counted as the answer's own fault") from error

        handler = QuestionHandler(drains, found.answering.decline, found.ledger, lambda: datetime.now(UTC))
        with found.at_work(found.worker(patience_s=60, handler=handler), found.sender(surface=Drains())):
            if machine == "index":
                outage(found, 2.0, found.answering.down.set, found.answering.down.clear)
            else:
                surface_outage(found, 2.0)
        assert judge(found, set())


@pytest.mark.soak
def test_healthy_questions_beside_poison_wait_no_twice_as_long(tmp_path: Path) -> None:
    """Sent at a fixed rate, timed from when they were to be sent until the receiver has the answer."""
    times = {}
    for each in (0, 10):
        with company(tmp_path / str(each)) as found:
            arrived: dict[str, float] = {}
            keep = found.receiver.keep

            def timed(sent: dict[str, Any], keep: Any = keep, arrived: dict[str, float] = arrived) -> None:
                arrived[sent["question_id"]] = time.monotonic()
                keep(sent)

            found.receiver.keep = timed     # type: ignore[method-assign]
            names = [("", n) for n in range(540)] + [(kind, n) for kind in KINDS for n in range(each)]
            random.Random(SEED).shuffle(names)
            with found.at_work(found.worker(hold=64, patience_s=2.0), found.sender()):
                began = time.monotonic()
                for position, (kind, number) in enumerate(names):
                    time.sleep(max(0.0, began + position * 0.08 - time.monotonic()))
                    if kind:
                        found.send_poison(kind, number)
                    else:
                        found.send_healthy(f"q{number}")
                        found.sent[f"q{number}"] = began + position * 0.08
                poison = {f"{kind}-{number}" for kind, number in names if kind}
                found.wait(lambda: found.settled() and len(found.dead()) == len(poison), 60)  # noqa: B023
            assert judge(found, poison) == []
            took = sorted(arrived[name] - at for name, at in found.sent.items())
            times[each] = took[int(len(took) * 0.95)]
    print(f"\np95 without poison {times[0]:.3f} s, with one message in ten poison {times[10]:.3f} s")
    assert times[10] < 2 * times[0]
