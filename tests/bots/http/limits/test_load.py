"""However much is asked for at once, the rest of the service goes on."""

import http.client
import socket
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from dataclasses import replace
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

import anyio
import pytest
from homes.memory import folder_in_memory
from http_scene.http_client import Client
from http_scene.http_place import HEADER, SECRET, Place, http_place

from bots.http.app import Service
from bots.http.load import Slots
from vouch.errors import Overloaded


class Stuck:
    """Searches wait until `go`; everything else is the real library's."""

    def __init__(self) -> None:
        self.go, self.begun, self.lock = threading.Event(), 0, threading.Lock()
        self.library: Any = None

    def of(self, service: Service) -> Service:
        self.library = service.library
        return replace(service, library=self)  # type: ignore[arg-type]

    def search(self, *words: Any) -> Any:
        with self.lock:
            self.begun += 1
        self.go.wait(30)
        return self.library.search(*words)


@pytest.mark.slow
def test_searches_that_hang_leave_health_and_answers_alone() -> None:
    stuck = Stuck()
    with folder_in_memory() as folder, http_place(folder, changed=stuck.of) as place, ThreadPoolExecutor(60) as pool:
        people = [place.visitor(), place.person("ana"), place.person("ben")]
        asked = [pool.submit(people[n % 3].post, "/v1/search", {"query": "leave"}) for n in range(60)]
        assert wait_until(lambda: sum(one.done() for one in asked) == 24, seconds=15)
        refused = [one.result() for one in asked if one.done()]
        assert {one.status for one in refused} == {503} and stuck.begun == 4
        assert {one.json["detail"] for one in refused} == {"too many searches at once"}
        assert place.visitor().get("/healthz").status == place.visitor().get("/readyz").status == 200
        answer = place.person("ana").post("/v1/ask", {"question": "How many days of paid leave has everybody?"})
        assert answer.status == 200 and "thirty days" in answer.text
        stuck.go.set()
        assert sorted(one.result(30).status for one in asked) == [200] * 36 + [503] * 24


@pytest.mark.slow
def test_one_reader_leaves_room_for_others() -> None:
    stuck = Stuck()
    with folder_in_memory() as folder, http_place(folder, changed=stuck.of) as place, ThreadPoolExecutor(60) as pool:
        strangers = [pool.submit(place.visitor().post, "/v1/search", {"query": "leave"}) for _ in range(50)]
        assert wait_until(lambda: sum(one.done() for one in strangers) == 32, seconds=15)
        mine = pool.submit(place.person("ana").post, "/v1/search", {"query": "leave"})
        stuck.go.set()
        assert mine.result(30).status == 200


def wait_until(true: Callable[[], bool], seconds: float) -> bool:
    for _ in range(int(seconds / 0.05)):
        if true():
            return True
        threading.Event().wait(0.05)
    return true()


def test_one_reader_has_eight_streams_and_others_have_theirs() -> None:
    with folder_in_memory() as folder, http_place(folder, works=False) as place:
        pending = {name: place.person(name).post("/v1/ask", {"question": "How much leave?", "wait": 0}).json
                   for name in ("ana", "ben")}
        streams = [opened(place, "ana", pending["ana"]["question_id"]) for _ in range(8)]
        events = f"/v1/answers/{pending['ana']['question_id']}/events"
        refused = place.person("ana").get(events)
        assert refused.status == 429 and "8 event streams" in refused.json["detail"]
        opened(place, "ben", pending["ben"]["question_id"]).close()
        for one in streams:
            one.close()

        def is_free() -> bool:
            try:
                opened(place, "ana", pending["ana"]["question_id"]).close()
            except AssertionError:
                return False
            return True

        assert wait_until(is_free, seconds=10)


def opened(place: Place, name: str, question: str) -> socket.socket:
    """A stream whose first bytes are there."""
    host, port = place.address.removeprefix("http://").split(":")
    made = socket.create_connection((host, int(port)), timeout=10)
    made.sendall(f"GET /v1/answers/{question}/events HTTP/1.1\r\nHost: {host}:{port}\r\n{HEADER}: {name}\r\n"
                 f"X-Vouch-Proxy-Secret: {SECRET}\r\n\r\n".encode())
    assert made.recv(100).startswith(b"HTTP/1.1 200")
    return made


def test_a_place_is_free_again_after_a_failure() -> None:
    async def played() -> None:
        slots = Slots(1, 0, 1)
        for _ in range(3):
            with pytest.raises(ZeroDivisionError):
                await slots.run("ana", lambda: 1 // 0)
        go = threading.Event()
        async with anyio.create_task_group() as group:
            group.start_soon(slots.run, "ana", go.wait)
            await anyio.sleep(0.05)
            with pytest.raises(Overloaded):
                await slots.run("ben", lambda: None)
            go.set()
        assert await slots.run("ana", lambda: 7) == 7

    anyio.run(played)


@pytest.mark.slow
def test_who_asks_too_often_is_told_no_name_that_anything_waits_under(monkeypatch: pytest.MonkeyPatch) -> None:
    def limited(service: Service) -> Service:
        return replace(service, questions=replace(service.questions, per_minute=1))  # type: ignore[type-var]

    with folder_in_memory() as folder, http_place(folder, changed=limited) as place:
        monkeypatch.setattr(type(place.home.bench.ledger.pace), "wait", lambda *_: timedelta(seconds=7))
        ana: Client = place.person("ana")
        told = ana.post("/v1/ask", {"question": "How much leave?"})
        assert told.status == 429 and told.headers["retry-after"] and "7 seconds" in told.json["cure"]
        words = f"{told.json['detail']} {told.json['cure']}".split()
        assert all(ana.get(f"/v1/answers/{word.strip('.,')}").status == 404 for word in words)


def test_however_many_ask_whether_it_is_ready_all_are_told() -> None:
    looks: list[float] = []

    class Slow:
        def unready(self) -> list[str]:
            looks.append(time.monotonic())
            time.sleep(0.2)
            return []

        def sick(self) -> list[str]:
            return []

    with folder_in_memory() as folder, http_place(
        folder, works=False, changed=lambda service: replace(service, standing=Slow())
    ) as place, ThreadPoolExecutor(40) as many:
        told = list(many.map(lambda _: place.visitor().get("/readyz").status, range(40)))
    assert set(told) == {200} and len(looks) < 20


def test_strangers_elsewhere_do_not_take_streams_of_pages_from_each_other() -> None:
    with folder_in_memory() as folder, http_place(folder, works=False) as place, ExitStack() as opened:
        asked = place.visitor().post("/v1/ask", {"question": "Who?", "wait": 0}).json["question_id"]
        where = urlsplit(place.address)

        def stream(source: str) -> int:
            made = opened.enter_context(closing(http.client.HTTPConnection(
                where.hostname or "", where.port, timeout=10, source_address=(source, 0))))
            made.request("GET", f"/answers/{asked}/events")
            return made.getresponse().status

        assert [stream("127.0.0.1") for _ in range(9)] == [200] * 8 + [429]
        assert stream("127.0.0.2") == 200
