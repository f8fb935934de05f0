"""Twelve pages made to cost: each is over within ten seconds and half a gigabyte, and the next page is read."""

import gzip
import time
import zlib
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from io import BytesIO

import pytest
from pypdf import PdfWriter
from pypdf.generic import DecodedStreamObject, NameObject
from web_scene.loopback_web import LoopbackWeb, Served, WebHandler

from vouch.adapters.models.tokenizer import load_tokenizer
from vouch.adapters.sandbox import process as processes
from vouch.adapters.web.guard.fetcher import Fetcher, FetchLimits
from vouch.adapters.web.guard.policy import HostRules
from vouch.adapters.web.knowledge import PageReader
from vouch.errors import FetchRefused, Unreadable, VouchError, WebDown

pytestmark = [pytest.mark.slow, pytest.mark.integration]
MOST_S, MOST_MB = 10.0, 512
GOOD = "<html><title>Good</title><body><p>A page with some words that can be read well.</p></body></html>"


def drips_headers(handler: WebHandler) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nX: ")
    while not handler.server.leave.wait(0.05):
        handler.wfile.write(b"x")


def drips_body(handler: WebHandler) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 100000\r\n\r\n")
    while not handler.server.leave.wait(0.05):
        handler.wfile.write(b"x")


def says_nothing(handler: WebHandler) -> None:
    handler.server.leave.wait(20)


def never_ends(handler: WebHandler) -> None:
    handler.wfile.write(b"HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n")
    while True:
        handler.wfile.write(b"<p>more</p>" * 1000)


def continues(handler: WebHandler) -> None:
    while not handler.server.leave.wait(0.001):
        handler.wfile.write(b"HTTP/1.1 100 Continue\r\n\r\n")


def many_headers(handler: WebHandler) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\n" + b"A: b\r\n" * 100_000 + b"\r\n")


def zipped(body: bytes, times: int = 1) -> Served:
    for _ in range(times):
        body = gzip.compress(body)
    return Served(body, headers={"Content_Encoding": "gzip" if times == 1 else "gzip, gzip"})


def pdf_bomb() -> Served:
    """A page of a hundred thousand times its size."""
    writer = PdfWriter()
    page = writer.add_blank_page(200, 200)
    stream = DecodedStreamObject()
    stream.set_data(b"BT /F1 12 Tf (a) Tj ET " * 8_000_000)
    page[NameObject("/Contents")] = writer._add_object(stream.flate_encode())
    held = BytesIO()
    writer.write(held)
    return Served(held.getvalue(), "application/pdf")


TAGS = b"<html><body>" + b"<div>" * 300_000
BOMBS: dict[str, tuple[Callable[[], Served], type[VouchError] | None]] = {
    "gzip 1000:1": (lambda: zipped(b"<p>a</p>" * 12_000_000), FetchRefused),
    "gzip in gzip": (lambda: zipped(b"<p>a</p>" * 12_000_000, 2), FetchRefused),
    "gzip cut off": (lambda: Served(gzip.compress(GOOD.encode())[:-9], headers={"Content_Encoding": "gzip"}), WebDown),
    "deflate": (lambda: Served(zlib.compress(b"a" * 9_000_000), headers={"Content_Encoding": "deflate"}), FetchRefused),
    "headers that drip": (lambda: Served(play=drips_headers), WebDown),
    "a body that drips": (lambda: Served(play=drips_body), WebDown),
    "silence": (lambda: Served(play=says_nothing), WebDown),
    "a body without an end": (lambda: Served(play=never_ends), FetchRefused),
    "continue for ever": (lambda: Served(play=continues), WebDown),
    "headers without an end": (lambda: Served(play=many_headers), WebDown),
    "tags in tags": (lambda: Served(TAGS), Unreadable),
    "a table of a million cells": (lambda: Served(b"<table>" + b"<tr>" + b"<td>1" * 390_000), None),
    "entities": (lambda: Served(
        b'<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">' + b"".join(
            b'<!ENTITY %c "%s">' % (98 + n, b"&%c;" % (97 + n) * 10) for n in range(9)) + b"]><p>&j;</p>",
        "application/xhtml+xml"), None),
    "pdf": (pdf_bomb, None),
}


@pytest.fixture(scope="module")
def reader() -> Iterator[PageReader]:
    tokenizer = load_tokenizer(None)
    made = PageReader(lambda: tokenizer, None, size=180, overlap=30)
    yield made
    made.close()


def test_there_are_twelve() -> None:
    assert len(BOMBS) >= 12


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_bounded_and_the_next_page_is_read(
    name: str, reader: PageReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    make, expected = BOMBS[name]
    held = reader._parser._child        # from the page before
    children: list[processes.Child] = [held] if held else []
    start = processes.Child.__init__

    def noted(self: processes.Child, *arguments: object) -> None:
        children.append(self)
        start(self, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(processes.Child, "__init__", noted)
    with LoopbackWeb() as web:
        web.pages["/bomb"], good = make(), web.page("/good", GOOD)
        fetcher = Fetcher(HostRules(test_loopback=("127.0.0.1", web.port)), FetchLimits(seconds=3), _now)
        began = time.monotonic()
        try:
            reader.read(fetcher.fetch(web.at("/bomb"), began + MOST_S), began + MOST_S)
            caught: type[VouchError] | None = None
        except VouchError as error:
            caught = type(error)
        took = time.monotonic() - began
        until = time.monotonic() + MOST_S
        [passage] = reader.read(fetcher.fetch(good, until), until)
    assert took <= MOST_S, took
    assert children and all(child.watch.most_mb <= MOST_MB for child in children)
    assert expected is None or caught is expected
    assert "some words" in passage.text and passage.origin == "external" and passage.title == "Good"


def _now() -> datetime:
    return datetime(2026, 1, 5, tzinfo=UTC)
