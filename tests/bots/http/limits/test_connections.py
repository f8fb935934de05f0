"""Clients who are slow on purpose are cut off, and those who only wait are not."""

import asyncio
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest

from bots.http.server import bound, served

PATIENCE_S = 0.4
REQUEST = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n"
ENDED: list[str] = []


async def application(scope: Any, receive: Any, send: Any) -> None:
    if scope["type"] == "lifespan":
        for _ in range(2):
            kind = (await receive())["type"]
            await send({"type": f"{kind}.complete"})
        return
    size = 20_000_000 if scope["path"] == "/large" else 2
    if scope["path"] == "/late":
        await asyncio.sleep(3 * PATIENCE_S)
    while scope["path"] == "/sent" and (await receive()).get("more_body"):
        pass
    try:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"%d" % size)]})
        await send({"type": "http.response.body", "body": b"a" * size, "more_body": True})
        await send({"type": "http.response.body", "body": b""})
    finally:
        ENDED.append(scope["path"])


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    listening = bound("127.0.0.1", 0)
    with served(application, listening, patience_s=PATIENCE_S):
        yield listening.getsockname()[1]


@contextmanager
def connected(port: int) -> Iterator[socket.socket]:
    with socket.create_connection(("127.0.0.1", port), 10) as made:
        yield made


def cut_off_after(slow: socket.socket, dripped: bytes = b"") -> float:
    """Seconds until the other side is gone, while a byte at a time is sent."""
    began, rest = time.monotonic(), list(dripped)
    slow.settimeout(0.05)
    while time.monotonic() - began < 10:
        try:
            if rest:
                slow.sendall(bytes([rest.pop(0)]))
            if slow.recv(100) == b"":
                break
        except TimeoutError:
            continue
        except OSError:
            break
    return time.monotonic() - began


@pytest.mark.parametrize("begun", [b"", b"G", REQUEST, REQUEST + b"X-A: "])
def test_headers_that_do_not_come_are_not_waited_for(port: int, begun: bytes) -> None:
    with connected(port) as slow:
        slow.sendall(begun)
        assert PATIENCE_S * 0.8 < cut_off_after(slow) < 5


def test_a_byte_now_and_then_gives_no_more_time(port: int) -> None:
    with connected(port) as slow:
        slow.sendall(REQUEST)
        assert cut_off_after(slow, b"X-Long: " + b"a" * 200) < 5


def test_the_second_request_of_a_connection_has_no_more_time(port: int) -> None:
    with connected(port) as slow:
        slow.sendall(REQUEST + b"\r\n")
        assert slow.recv(1000).startswith(b"HTTP/1.1 200")
        assert cut_off_after(slow, REQUEST + b"X-Long: " + b"a" * 200) < 5


def test_who_does_not_take_what_is_sent_is_cut_off(port: int) -> None:
    ENDED.clear()
    with connected(port) as slow:
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        slow.sendall(b"GET /large HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        until = time.monotonic() + 10
        while "/large" not in ENDED and time.monotonic() < until:
            time.sleep(0.05)
        assert ENDED == ["/large"]


@pytest.mark.parametrize("sent", [b"\x00\xff hello\r\n\r\n", REQUEST + b"Content-Length: x\r\n\r\n"])
def test_what_is_no_http_gets_a_line_of_plain_text_and_no_problem_details(port: int, sent: bytes) -> None:
    """The one refusal that is none of ours: docs/http.md names it as the exception."""
    with connected(port) as stranger:
        stranger.sendall(sent)
        told = b"".join(iter(lambda: stranger.recv(1000), b""))
    head, _, line = told.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 400 ") and b"content-type: text/plain" in head.lower()
    assert b"Invalid HTTP request" in line and b"\n" not in line


def test_who_waits_for_a_slow_answer_is_not(port: int) -> None:
    with connected(port) as patient:
        patient.sendall(b"GET /late HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
        assert patient.recv(1000).startswith(b"HTTP/1.1 200")


@pytest.mark.parametrize("begun", [
    b"", REQUEST, b"POST /sent HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9\r\n\r\n",
])
def test_one_place_cannot_hold_all_connections(begun: bytes) -> None:
    listening = bound("127.0.0.1", 0)
    with served(application, listening, patience_s=30, most=8), ExitStack() as opened:
        there = listening.getsockname()
        late = opened.enter_context(connected(there[1]))
        late.sendall(b"GET /late HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
        other = opened.enter_context(socket.create_connection(there, 10, ("127.0.0.2", 0)))
        other.sendall(REQUEST)
        time.sleep(0.3)                 # until both have been read
        for _ in range(30):
            opened.enter_context(connected(there[1])).sendall(begun)
        time.sleep(0.3)
        with connected(there[1]) as new:
            new.sendall(REQUEST + b"\r\n")
            assert new.recv(1000).startswith(b"HTTP/1.1 200")
        other.sendall(b"\r\n")
        assert other.recv(1000).startswith(b"HTTP/1.1 200")
        assert late.recv(1000).startswith(b"HTTP/1.1 200")
