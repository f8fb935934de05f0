"""Whoever has gone is not waited for, and nobody waits for so many answers that others cannot come."""

import asyncio
import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

import pytest
from homes.memory import folder_in_memory
from http_scene.http_client import Client
from http_scene.http_place import PATIENT, Place, http_place, working

from bots.http.api.assistants import ServiceDesk
from bots.http.identity.caller import Caller, Credentials
from bots.http.load import Streams
from bots.http.waiting import Waits
from cli.wiring.http.serving import _of_strangers
from vouch.errors import Overloaded, Unidentified
from vouch.filters import EVERYTHING
from vouch.settings import Settings

ASK = {"question": "How many days of paid leave has everybody?"}
CALL = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
    "name": "ask", "arguments": {"question": ASK["question"]}}}
STRANGER = "127.0.0.2"
FLOOD = 260                             # more than the server takes at once


@pytest.fixture
def place() -> Iterator[Place]:
    """Nothing is answered there, so that whoever waits waits to the end."""
    with folder_in_memory() as folder, http_place(
        folder, works=False, changed=lambda service: replace(service, assistants=True)
    ) as made:
        yield made


Asked = tuple[str, bytes, str]          # path, body, and headers besides those of every request


def sent(place: Place, asked: Asked, source: str = STRANGER) -> socket.socket:
    host, port = place.address.removeprefix("http://").split(":")
    path, body, more = asked
    made = socket.create_connection((host, int(port)), timeout=10, source_address=(source, 0))
    made.sendall(f"POST {path} HTTP/1.1\r\nHost: {host}:{port}\r\nAccept: application/json, text/event-stream\r\n"
                 f"{more}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
    return made


def kinds(place: Place, kind: str, wait: float = 60) -> Asked:
    """A question that is asked so."""
    if kind == "page":
        browser = place.visitor()
        body = f"mark={browser.get('/').mark}&question=How+much+leave%3F".encode()
        cookies = "; ".join(f"{name}={value}" for name, value in browser.cookies.items())
        return "/ask", body, f"Content-Type: application/x-www-form-urlencoded\r\nCookie: {cookies}"
    path, told = ("/v1/ask", {**ASK, "wait": wait}) if kind == "api" else ("/mcp", CALL)
    return path, json.dumps(told).encode(), "Content-Type: application/json"


def waited(place: Place, source: str) -> float:
    """Seconds that a question from there, which gives it two, is waited for."""
    began = time.monotonic()
    with sent(place, kinds(place, "api", 2), source) as asked:
        assert asked.recv(100).startswith(b"HTTP/1.1 202")
    return time.monotonic() - began


@pytest.mark.parametrize("kind", ["api", "page", "assistant"])
def test_a_flood_of_questions_whose_askers_have_gone_turns_nobody_away(place: Place, kind: str) -> None:
    asked = kinds(place, kind)
    for _ in range(FLOOD):
        gone = sent(place, asked)
        time.sleep(0.005)
        gone.close()
    assert [place.visitor().get("/healthz").status for _ in range(5)] == [200] * 5
    assert place.person("ana").post("/v1/ask", {**ASK, "wait": 0}).status == 202
    until = time.monotonic() + 5
    while waited(place, STRANGER) < 1.8:            # they took the stranger's places, and give them back
        assert time.monotonic() < until
        time.sleep(0.2)


def test_of_one_caller_eight_questions_are_waited_for_and_others_wait_beside_them(place: Place) -> None:
    with ExitStack() as held:
        for _ in range(8):
            held.enter_context(sent(place, kinds(place, "api")))
        time.sleep(0.5)
        assert waited(place, STRANGER) < 1.8 < waited(place, "127.0.0.3")


class Badge:
    """A way to prove who asks that ends when it is taken off."""

    def __init__(self) -> None:
        self.worn = True

    def waits(self, credentials: Credentials) -> bool:
        return False

    def caller(self, credentials: Credentials) -> Caller | None:
        if "x-badge" not in credentials.headers:
            return None
        if not self.worn:
            raise Unidentified("the badge was taken off", cure="put it on")
        return Caller("user:ana", "local")


@pytest.mark.parametrize("ends", [True, False])
@pytest.mark.parametrize("kind", ["api", "page", "mcp"])
def test_who_is_signed_out_while_an_answer_is_made_does_not_get_it(kind: str, ends: bool) -> None:
    badge, heard = Badge(), []
    with folder_in_memory() as folder, http_place(
        folder, works=False, ways=[badge], changed=lambda service: replace(service, assistants=True)
    ) as place:
        path, body, more = kinds(place, kind)
        headers = dict(line.split(": ", 1) for line in more.split("\r\n")) | {"X-Badge": "1"}
        if kind == "page":
            browser = Client(place.address, {"X-Badge": "1"})
            body = f"mark={browser.get('/').mark}&question=How+much+leave%3F".encode()
            headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in browser.cookies.items())
        asking = Client(place.address, {"Accept": "application/json, text/event-stream", **headers})
        waiting = threading.Thread(target=lambda: heard.append(asking.send("POST", path, body)))
        waiting.start()
        until = time.monotonic() + 20
        while not place.log.lag("vouch", "questions") and time.monotonic() < until:
            time.sleep(0.01)
        badge.worn = not ends
        threads = working(place.home, place.log, place.service.progress, place.stop, PATIENT)
        waiting.join()
        place.stop.set()
        for thread in threads:
            thread.join()
    [told] = heard
    got = told.status == 303 if kind == "page" else "thirty days" in told.text
    assert got is not ends, told.text


class Unanswered:
    """Questions and Arrivals in one, which nothing comes to."""

    def __init__(self) -> None:
        self.waits: list[float] = []

    def ask(self, *_: Any, **__: Any) -> str:
        return "q1"

    async def wait(self, question_id: str, seconds: float, *, new: bool = False) -> bool:
        self.waits.append(seconds)
        await asyncio.sleep(min(seconds, 30))
        return False


async def test_an_assistant_without_a_place_to_wait_is_told_so_at_once() -> None:
    nothing: Any = Unanswered()
    streams, caller, left = Streams(1, 10), Caller("user:ana", "proxy"), asyncio.Event()

    async def receive() -> Any:
        await left.wait()
        return {"type": "http.disconnect"}

    desk = ServiceDesk(nothing, Waits(nothing, nothing, streams), nothing, caller, lambda: None, receive)
    first = asyncio.create_task(desk.ask("Who?", "user:ana", EVERYTHING))
    await asyncio.sleep(0.1)
    with pytest.raises(Overloaded):
        await asyncio.wait_for(desk.ask("Who?", "user:ana", EVERYTHING), 5)
    assert nothing.waits == [100.0, 0] and not first.done()
    left.set()
    with pytest.raises(Overloaded):
        await asyncio.wait_for(first, 5)
    assert not streams._open


@pytest.mark.parametrize(("own", "everybody", "most"), [(30, 0, 30), (30, 5, 5), (30, 100, 30), (0, 5, 5), (0, 0, 0)])
def test_strangers_have_the_smaller_limit_of_questions(own: int, everybody: int, most: int) -> None:
    assert Settings().http.stranger_questions == 30
    settings = Settings.model_validate(
        {"http": {"stranger_questions": own}, "asking": {"per_minute": everybody}})
    assert _of_strangers(settings) == most
