"""Whoever waits for an answer is told at once, and one look serves all who wait."""

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest

from bots.http.answer_polling import Arrivals
from vouch.errors import Unavailable


class Answers:
    """Counts how often it is looked at, and in how many looks at a time."""

    def __init__(self) -> None:
        self.there: set[str] = set()
        self.away = False
        self.looks, self.at_once, self.most = 0, 0, 0
        self.lock = threading.Lock()

    def when_sent(self, tell: Callable[[str], None]) -> None:
        self.tell = tell

    def is_sent(self, question_id: str) -> bool:
        return question_id in self.there

    def sent_among(self, question_ids: Any) -> set[str]:
        with self.lock:
            self.looks += 1
            self.at_once += 1
            self.most = max(self.most, self.at_once)
        if self.away:
            raise Unavailable("the ledger is away", cure="wait")
        self.at_once -= 1
        return self.there.intersection(question_ids)


async def soon(answers: Answers, names: set[str]) -> None:
    await asyncio.sleep(0.05)
    answers.there |= names


async def test_all_who_wait_are_told_by_the_same_looks() -> None:
    answers = Answers()
    arrivals = Arrivals(answers)  # type: ignore[arg-type]
    names = {f"q{number}" for number in range(60)}
    told, _ = await asyncio.gather(
        asyncio.gather(*(arrivals.wait(name, 20) for name in [*names, "q1"])), soon(answers, names))
    assert told == [True] * 61 and answers.most == 1
    looked = answers.looks
    await asyncio.sleep(0.05)
    assert answers.looks == looked          # nobody waits, and nobody looks


async def test_who_waits_too_long_is_told_so_and_others_go_on() -> None:
    answers = Answers()
    arrivals = Arrivals(answers)  # type: ignore[arg-type]
    late, there, _ = await asyncio.gather(
        arrivals.wait("never", 0.02), arrivals.wait("q1", 20), soon(answers, {"q1"}))
    assert (late, there) == (False, True)
    assert await arrivals.wait("never", 0) is False and await arrivals.wait("q1", 0) is True


async def test_a_ledger_that_is_away_is_told_to_everybody_and_looked_at_again_later() -> None:
    answers = Answers()
    answers.away = True
    arrivals = Arrivals(answers)  # type: ignore[arg-type]
    told = await asyncio.gather(*(arrivals.wait(name, 20) for name in ("q1", "q2")), return_exceptions=True)
    assert [type(one) for one in told] == [Unavailable, Unavailable]
    answers.away = False
    there, _ = await asyncio.gather(arrivals.wait("q1", 20), soon(answers, {"q1"}))
    assert there is True


async def test_an_answer_of_this_process_is_told_before_the_next_look(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bots.http.answer_polling._LOOK_S", 20)
    answers = Answers()
    waits = asyncio.create_task(Arrivals(answers).wait("q1", 20))  # type: ignore[arg-type]
    while not hasattr(answers, "tell"):
        await asyncio.sleep(0.01)
    await asyncio.to_thread(answers.tell, "another")
    assert not waits.done()
    await asyncio.to_thread(answers.tell, "q1")
    assert await asyncio.wait_for(waits, 2) is True and answers.looks == 0      # it was told which one


async def test_what_was_asked_a_moment_ago_is_waited_for_without_a_look_of_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("bots.http.answer_polling._LOOK_S", 20)
    answers = Answers()
    arrivals = Arrivals(answers)  # type: ignore[arg-type]
    answers.there.add("q1")
    assert await arrivals.wait("q1", 0, new=True) is False and await arrivals.wait("q1", 0) is True
    assert await arrivals.wait("another", 0.02, new=True) is False              # from now on it hears
    await asyncio.to_thread(answers.tell, "q2")                                 # before anybody waits
    await asyncio.sleep(0)
    assert await asyncio.wait_for(arrivals.wait("q2", 20, new=True), 2) is True and answers.looks == 0


async def test_looks_are_fewer_while_it_is_told_of_every_answer_and_many_again_once_one_is_found() -> None:
    answers = Answers()
    arrivals = Arrivals(answers)  # type: ignore[arg-type]
    assert await arrivals.wait("none", 0.02) is False
    for _ in range(5):
        await asyncio.to_thread(answers.tell, "told")
    await asyncio.sleep(0)
    assert arrivals._pause == 0.2
    there, _ = await asyncio.gather(arrivals.wait("q1", 20), soon(answers, {"q1"}))
    assert there is True and arrivals._pause == 0.025


async def test_at_a_stop_who_waits_is_told_that_it_is_not_there() -> None:
    answers, stopping = Answers(), threading.Event()
    arrivals = Arrivals(answers, stopping.is_set)  # type: ignore[arg-type]
    waits = [asyncio.create_task(arrivals.wait(name, 20)) for name in ("q1", "q2")]
    await asyncio.sleep(0.05)
    answers.there.add("q2")
    stopping.set()
    assert await asyncio.gather(*waits) == [False, True] and await arrivals.wait("q3", 20) is False


@pytest.mark.parametrize("kept", [False, True])
async def test_a_client_that_leaves_is_forgotten(kept: bool) -> None:
    answers = Answers()
    arrivals = Arrivals(answers)  # type: ignore[arg-type]
    waits = [asyncio.create_task(arrivals.wait("q1", 20)) for _ in range(2)]
    await asyncio.sleep(0.03)
    for task in waits[: 1 if kept else 2]:
        task.cancel()
    if kept:
        answers.there.add("q1")
        assert await waits[1] is True
    await asyncio.gather(*waits, return_exceptions=True)
    assert arrivals._waiting == {}
