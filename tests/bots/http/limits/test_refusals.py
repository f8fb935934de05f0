"""What the HTTP service refuses before anything of it runs, without a socket."""

import asyncio
import json
import threading
import time
from typing import Any

import pytest
from joserfc.jwk import KeySet, RSAKey

from bots.http.identity.jwks import Jwks
from bots.http.middleware import Gate, Limits
from bots.http.problems import Problem, for_readers, plain_problem, problem, response
from vouch.errors import LedgerDown, NotFound, Overloaded, Unavailable


def for_programs(request: Any, told: Problem, headers: Any) -> Any:
    return response(told, headers)


def test_a_body_that_breaks_off_reaches_nobody() -> None:
    reached: list[Any] = []
    told = iter([{"type": "http.request", "body": b"vote=up", "more_body": True}, {"type": "http.disconnect"}])

    async def app(scope: Any, receive: Any, send: Any) -> None:
        reached.append(await receive())

    async def receive() -> Any:
        return next(told)

    async def send(message: Any) -> None:
        raise AssertionError(message)

    scope: Any = {"type": "http", "method": "POST", "headers": [(b"host", b"localhost")], "raw_path": b"/vote",
                  "path": "/vote"}
    asyncio.run(Gate(app, Limits(frozenset({"localhost"})), for_programs)(scope, receive, send))
    assert reached == []


def test_a_body_with_two_lengths_is_refused_and_its_connection_closed() -> None:
    told: list[Any] = []

    async def reached(scope: Any, receive: Any, send: Any) -> None:
        raise AssertionError("a request that others may read otherwise")

    async def receive() -> Any:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        told.append(message)

    scope: Any = {"type": "http", "method": "POST", "path": "/v1/ask", "raw_path": b"/v1/ask", "headers": [
        (b"host", b"localhost"), (b"transfer-encoding", b"chunked"), (b"content-length", b"4")]}
    asyncio.run(Gate(reached, Limits(frozenset({"localhost"})), for_programs)(scope, receive, send))
    assert told[0]["status"] == 400 and (b"connection", b"close") in told[0]["headers"]


@pytest.mark.parametrize(("path", "operates", "status"), [
    ("/operate/upload", True, 200), ("/operate/upload", False, 408), ("/vote", True, 408)])
def test_a_large_form_has_longer_to_come_from_those_who_may_send_it(path: str, operates: bool, status: int) -> None:
    told: list[int] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        assert (await receive())["body"] == b"slow"
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def receive() -> Any:
        await asyncio.sleep(0.4)
        return {"type": "http.request", "body": b"slow", "more_body": False}

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            told.append(message["status"])

    scope: Any = {"type": "http", "method": "POST", "headers": [(b"host", b"localhost")], "raw_path": path.encode(),
                  "path": path, "query_string": b""}
    limits = Limits(frozenset({"localhost"}), upload_bytes=5_000_000, body_seconds=0.1)
    assert limits.upload_seconds == pytest.approx(10.1)
    assert Limits(frozenset(), upload_bytes=10**8).upload_seconds == 210
    asyncio.run(Gate(app, limits, for_programs, lambda request: operates)(scope, receive, send))
    assert told == [status]


def test_no_problem_is_without_a_cure() -> None:
    told = problem(NotFound("there is none"), "r1")
    assert told.cure and Problem.model_json_schema()["required"].count("cure") == 1


def test_old_keys_are_refused_between_two_tries() -> None:
    keys = KeySet([RSAKey.generate_key(2048, {"kid": "one", "use": "sig"})]).as_dict(private=False)
    reads, clock = [json.dumps(keys).encode()], [0.0]

    def read() -> bytes:
        if not reads:
            raise OSError("away")
        return reads.pop()

    jwks = Jwks(read, lambda: clock[0])
    assert jwks.keys()
    for moment in (3600.0, 3601.0):         # the second comes before the place is asked again
        clock[0] = moment
        with pytest.raises(Unavailable):
            jwks.keys()


def test_who_has_keys_does_not_wait_for_a_place_that_hangs() -> None:
    keys = KeySet([RSAKey.generate_key(2048, {"kid": "one", "use": "sig"})]).as_dict(private=False)
    asked, answered, clock = threading.Event(), threading.Event(), [0.0]

    def read() -> bytes:
        if clock[0]:
            asked.set()
            assert answered.wait(30)
        return json.dumps(keys).encode()

    jwks = Jwks(read, lambda: clock[0])
    first = jwks.keys()
    clock[0] = 400.0                        # time for a new copy
    waiting = threading.Thread(target=jwks.keys)
    waiting.start()
    assert asked.wait(10)
    assert jwks.keys() is first
    answered.set()
    waiting.join(10)
    assert jwks.keys() is not first


@pytest.mark.parametrize("moment", [0.0, 20.0, 4000.0], ids=["first", "rotated", "too old"])
def test_who_comes_while_keys_are_read_gets_those(moment: float) -> None:
    sets = [json.dumps(KeySet([RSAKey.generate_key(2048, {"kid": kid, "use": "sig"})]).as_dict(private=False)).encode()
            for kid in ("old", "new")]
    clock, asked, answered = [0.0], threading.Event(), threading.Event()

    def read() -> bytes:
        if clock[0] == moment:
            asked.set()
            assert answered.wait(30)
            return sets[1]
        return sets[0]

    jwks = Jwks(read, lambda: clock[0])
    if moment:
        jwks.keys()
    clock[0] = moment
    found: list[Any] = []
    threads = [threading.Thread(target=lambda: found.append(jwks.keys(fresh=True))) for _ in range(3)]
    threads[0].start()
    assert asked.wait(10)
    for thread in threads[1:]:
        thread.start()
    answered.set()
    for thread in threads:
        thread.join(10)
    assert len(found) == 3 and all(keys.keys[0].kid == "new" for keys in found)


def test_overload_is_told_as_what_it_is_and_a_failure_inside_is_not() -> None:
    told = problem(Overloaded("too many searches at once", cure="try again in a moment"), "r1")
    assert (told.status, told.detail) == (503, "too many searches at once")
    hidden = problem(LedgerDown("the ledger of hr/plans.md is away"), "r1")
    assert hidden.status == 503 and "hr/plans" not in hidden.detail


@pytest.mark.parametrize(("status", "cure"), [
    (403, "send it from a page of this service, or from a program without Origin and Sec-Fetch-Site"),
    (413, "send less at a time"), (421, "ask who runs vouch"), (503, "try again in a moment"),
])
def test_people_are_told_what_they_can_do_and_programs_what_to_set(status: int, cure: str) -> None:
    told = plain_problem(status, "refused", "r1")
    assert for_readers(told).cure == cure and ("VOUCH_HTTP__" in told.cure) is (status in (413, 421))
    assert for_readers(told.model_copy(update={"cure": ""})).cure == ""


def test_while_the_first_keys_are_read_few_wait_and_the_others_are_told_at_once() -> None:
    """Each that waits takes a thread, and all other requests need those too."""
    keys = KeySet([RSAKey.generate_key(2048, {"kid": "one", "use": "sig"})]).as_dict(private=False)
    asked, go_on = threading.Event(), threading.Event()

    def read() -> bytes:
        asked.set()
        go_on.wait(20)
        return json.dumps(keys).encode()

    jwks, told = Jwks(read), list[str]()

    def look() -> None:
        try:
            jwks.keys()
            told.append("keys")
        except Unavailable:
            told.append("away")

    threads = [threading.Thread(target=look) for _ in range(40)]
    threads[0].start()
    assert asked.wait(10)
    for thread in threads[1:]:
        thread.start()
    until = time.monotonic() + 4
    while len(told) < 31 and time.monotonic() < until:
        time.sleep(0.01)
    assert told == ["away"] * 31
    go_on.set()
    for thread in threads:
        thread.join()
    assert told.count("keys") == 9
