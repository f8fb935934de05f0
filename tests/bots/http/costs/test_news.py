"""Event streams: told at once, and at no cost where nothing happens, however many are open."""

import asyncio
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from bots.http.answer_polling import Arrivals
from bots.http.backend import Event
from bots.http.events import Listening, News, Told, told
from services.answering.progress import ProgressBoard
from vouch.messages import HTTP

ANA = Listening("user:ana", lambda: None)
QUICK_S = 0.1                           # from a stage to its event


@dataclass
class Asked:
    """Questions of one asker, none of them answered, that count what is looked up."""

    calls: Counter[str] = field(default_factory=Counter)

    def is_sent(self, named: str) -> bool:
        self.calls["is_sent"] += 1
        return False

    def is_asker(self, named: str, reader: str) -> bool:
        self.calls["is_asker"] += 1
        return True

    def sent_among(self, ids: Sequence[str]) -> list[str]:
        return []

    def when_sent(self, tell: Callable[[str], None]) -> None: ...


class Counting(ProgressBoard[Event]):
    looks = 0

    def after(self, question_id: str, number: int) -> Sequence[Event]:
        self.looks += 1
        return super().after(question_id, number)


@dataclass
class Open:
    """Streams that are read, each into a list."""

    board: Counting
    questions: Any
    seen: dict[str, list[Told]]
    tasks: list[asyncio.Task[None]]

    async def close(self) -> None:
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)


def opened(names: Sequence[str]) -> Open:
    board, questions = Counting(Event, HTTP), Asked()  # type: ignore[arg-type]
    news, arrivals, seen = News(board), Arrivals(questions), {name: [] for name in names}  # type: ignore[arg-type]

    async def read(name: str) -> None:
        async for one in told(questions, news, arrivals, name, ANA):  # type: ignore[arg-type]
            seen[name].append(one)

    return Open(board, questions, seen, [asyncio.create_task(read(name)) for name in names])


async def test_streams_to_which_nothing_happens_cost_nothing() -> None:
    streams = opened([f"q{n}" for n in range(30)])
    await asyncio.sleep(0.5)
    begun, looks = Counter(streams.questions.calls), streams.board.looks
    assert looks == 30                                                  # each once, as it was opened
    await asyncio.sleep(0.5)
    assert (streams.questions.calls, streams.board.looks) == (begun, looks)
    await streams.close()


async def test_what_happens_to_one_question_wakes_its_streams_alone_and_at_once() -> None:
    streams = opened(["q1", "q2"])
    await asyncio.sleep(0.3)
    looks = streams.board.looks
    noted = time.monotonic()
    threading.Thread(target=streams.board.note, args=("q1", "stage", {"stage": "retrieve"})).start()
    while not streams.seen["q1"] and time.monotonic() < noted + 5:
        await asyncio.sleep(0.001)
    assert time.monotonic() - noted < QUICK_S
    assert streams.seen["q1"][0].data == {"stage": "retrieve"} and streams.board.looks == looks + 1
    for stage in ("rerank", "evaluate"):
        streams.board.note("q1", "stage", {"stage": stage})
    await asyncio.sleep(0.1)
    assert [one.data["stage"] for one in streams.seen["q1"]] == ["retrieve", "rerank", "evaluate"]
    assert streams.seen["q2"] == []
    await streams.close()


async def test_a_stream_that_is_gone_is_forgotten_and_silence_is_told_as_life(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bots.http.events.ALIVE_S", 0.1)
    news = News(board := Counting(Event, HTTP))  # type: ignore[arg-type]
    questions = Asked()
    stream = told(questions, news, Arrivals(questions), "q1", ANA)  # type: ignore[arg-type]
    assert (await anext(stream)).kind == "alive"
    await stream.aclose()  # type: ignore[attr-defined]
    board.note("q1", "stage", {"stage": "retrieve"})                    # nobody waits: nothing fails
    with news.of("q1") as woken:
        assert not woken.is_set() and len(news._waiting["q1"]) == 1
    assert news._waiting == {}
