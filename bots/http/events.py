"""Server-sent events of a question: waiting for them, stages and sentences as they come, then the whole answer."""

import asyncio
import json
import re
import secrets
import time
from collections.abc import AsyncIterator, Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, Literal

from starlette.concurrency import run_in_threadpool

from bots.http.answer_polling import Arrivals
from bots.http.backend import Event, Progress, Questions
from bots.http.problems import problem
from vouch.errors import Denied, VouchError


class News:
    """For one event loop. Where nothing happens it costs nothing, however many wait.

    `run` names this process: numbers of events are its own.
    """

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self.run = secrets.token_hex(4)
        self._waiting: dict[str, set[asyncio.Event]] = {}
        self._loop: asyncio.AbstractEventLoop | None = None

    def after(self, question_id: str, number: int) -> Sequence[Event]:
        """What happened after the event with that number, in order."""
        return self._progress.after(question_id, number)

    @contextmanager
    def of(self, question_id: str) -> Iterator[asyncio.Event]:
        """What is set whenever something happened to the question; who waits clears it before looking."""
        if self._loop is None:
            self._loop = asyncio.get_running_loop()
            self._progress.when_noted(self._told)
        mine = asyncio.Event()
        self._waiting.setdefault(question_id, set()).add(mine)
        try:
            yield mine
        finally:
            others = self._waiting[question_id]
            others.discard(mine)
            if not others:
                del self._waiting[question_id]

    def _told(self, question_id: str) -> None:
        """Called in any thread, at any time."""
        if question_id in self._waiting and self._loop is not None:
            with suppress(RuntimeError):        # the loop has been closed since
                self._loop.call_soon_threadsafe(self._wake, question_id)

    def _wake(self, question_id: str) -> None:
        for each in self._waiting.get(question_id, ()):
            each.set()


_SHOWN = ("number", "chunk_id", "source", "path", "title", "quote")


def last_sentences(answer: Mapping[str, Any], told: Sequence[Event], after: int) -> Iterator[Event]:
    """In order, numbered from `after` on. `told`: what was told before. Of an answer that is not certain none is."""
    sentences = answer["sentences"] if answer["action"] == "answered" else []
    citations = {one["number"]: one for one in answer["citations"]}
    for number, one in enumerate(sentences[_said(told) :], after + 1):
        cited = [citations[mark] for mark in one["citations"]]
        chunks = tuple(each["chunk_id"] for each in cited if each["origin"] != "external")
        shown = [{name: each[name] for name in _SHOWN} for each in cited]
        yield Event(number, "sentence", {"text": one["text"], "citations": shown}, chunks)


def _said(told: Sequence[Event]) -> int:
    """How many sentences of it count: a `retrieve` begins anew."""
    said = 0
    for one in told:
        said = said + 1 if one.kind == "sentence" else 0 if one.data["stage"] == "retrieve" else said
    return said


LOOK_S, ALIVE_S, LONGEST_S = 0.04, 15.0, 300.0
MEDIA_TYPE = "text/event-stream"
KINDS = ("stage", "anew", "sentence", "answer", "problem")
# Of one event, for the OpenAPI document.
SCHEMA = {
    "type": "object", "required": ["event", "data"], "properties": {
        "event": {"type": "string", "enum": list(KINDS)},
        "data": {"type": "string", "contentMediaType": "application/json"},
        "id": {"type": "string", "description": "What Last-Event-ID goes on after; stages and sentences have one."},
    },
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Told:
    """`id` is what Last-Event-ID goes on after; stages and sentences have one. `alive` says nothing."""

    kind: Literal["stage", "anew", "sentence", "alive", "answer", "problem"]
    data: Mapping[str, Any] = field(default_factory=dict)
    id: str = ""
    error: VouchError | None = None


@dataclass(frozen=True, slots=True)
class Listening:
    """Who is told, and the `Last-Event-ID` that they came back with.

    `prove` raises Unidentified once the request would not be taken for theirs any more.
    """

    reader: str
    prove: Callable[[], object]
    acts_for: Collection[str] = ()
    last_id: str = ""


async def told(
    questions: Questions, news: News, arrivals: Arrivals, named: str, listening: Listening,
    clock: Callable[[], float] = time.monotonic,
) -> AsyncIterator[Told]:
    """`stage`, `sentence`, then one `answer` or `problem`, which is the last.

    A sentence, and the answer, come only if it is the reader still who listens, and they may read what it cites.
    Until the answer is there none is final: `anew`, or a second `retrieve`, begins anew.
    Sentences that another process wrote come out of its answer, to whoever waited for it.
    Nothing more comes once nobody may wait any longer: the reader asks the next process.
    """
    reader, acts_for = listening.reader, listening.acts_for
    after = _number(listening.last_id, news.run)
    until, spoke, waited = clock() + LONGEST_S, clock(), False
    if after is None:
        after = 0
        yield Told("anew")
    there = asyncio.create_task(arrivals.wait(named, LONGEST_S, new=True))      # `is_sent` below looks
    with news.of(named) as woken:
        there.add_done_callback(lambda _: woken.set())
        try:
            sent = await run_in_threadpool(questions.is_sent, named)
            while clock() < until:
                woken.clear()
                if sent or not questions.is_asker(named, reader):
                    await run_in_threadpool(listening.prove)
                    answer = await run_in_threadpool(questions.look, named, reader, acts_for)
                    if answer is not None and waited and not acts_for:
                        before, waited = [event for event in news.after(named, 0) if event.number <= after], False
                        for event in last_sentences(answer, before, after):
                            after = event.number
                            yield await _checked(questions, news, listening, event)
                        answer = await run_in_threadpool(questions.look, named, reader)   # time has passed
                    if answer is not None:
                        yield Told("answer", answer)
                        return
                waited = waited or not sent
                for event in news.after(named, after):
                    after, spoke = event.number, clock()
                    if event.chunks and (acts_for or not event.data):
                        continue            # those it asked for are checked when the answer is whole
                    yield await _checked(questions, news, listening, event)
                if clock() - spoke >= ALIVE_S:
                    spoke = clock()
                    yield Told("alive")
                if sent:                                    # and not to be read at this moment
                    await asyncio.sleep(LOOK_S)
                    continue
                if not there.done():
                    await _woken(woken, min(spoke + ALIVE_S, until) - clock())
                if there.done() and not (sent := there.result()):
                    return
        except VouchError as error:
            yield Told("problem", error=error)
        finally:
            there.cancel()


async def _woken(news: asyncio.Event, seconds: float) -> None:
    with suppress(TimeoutError):
        await asyncio.wait_for(news.wait(), max(seconds, 0.0))


async def _checked(questions: Questions, news: News, listening: Listening, event: Event) -> Told:
    """Raises Unidentified, and Denied for words of passages that the reader may not read."""
    if event.kind == "sentence":
        await run_in_threadpool(listening.prove)
    if event.chunks and not await run_in_threadpool(questions.may_read, listening.reader, event.chunks):
        raise Denied("what this answer is made from may not be read any more", cure="ask again")
    return Told(event.kind, event.data, f"{news.run}-{event.number}")


def _number(last_id: str, run: str) -> int | None:
    """Of the event that one goes on after; None where it was another process that told it."""
    told_by, _, number = last_id.rpartition("-")
    if not last_id:
        return 0
    return int(number) if told_by == run and re.fullmatch("[0-9]{1,7}", number) else None


async def events(
    questions: Questions, news: News, arrivals: Arrivals, named: str, listening: Listening, number: str
) -> AsyncIterator[bytes]:
    """What was told, as JSON. `number` is the request's, for a problem."""
    async for one in told(questions, news, arrivals, named, listening):
        if one.kind == "alive":
            yield frame()
        else:
            data = one.data if one.error is None else problem(one.error, number).model_dump()
            yield frame(one.kind, json.dumps(dict(data)), one.id)


def frame(kind: str = "", data: str = "", named: str = "") -> bytes:
    """One event, each line of its data apart; a comment where nothing is told."""
    if not kind:
        return b": still at work\n\n"
    lead = f"id: {named}\n" if named else ""
    lines = "".join(f"data: {line}\n" for line in data.splitlines())
    return f"{lead}event: {kind}\n{lines}\n".encode()
