"""Every search service keeps the port's promises, over a real socket to a server that speaks its protocol."""

import time
from collections.abc import Iterator
from typing import NamedTuple

import pytest
from web_scene.connections import watched
from web_scene.loopback_web import LoopbackWeb
from web_scene.search_services import KEY, SearchServices

from vouch.adapters.web.search_service import SearchService
from vouch.errors import Usage, WebDown

KEYED = ("brave", "serper", "tavily")


class Place(NamedTuple):
    service: SearchService
    queries: list[str]


@pytest.fixture(params=("searxng", *KEYED))
def place(request: pytest.FixtureRequest) -> Iterator[Place]:
    if request.param == "searxng":
        with LoopbackWeb() as web:
            web.results = lambda query: ["https://a.org/1", "https://b.org/2", "https://a.org/1"]
            yield Place(SearchService("searxng", f"{web.url}/", ""), web.queries)
    else:
        with SearchServices() as server:
            yield Place(SearchService(request.param, server.url, KEY), server.queries)


def soon(seconds: float = 5.0) -> float:
    return time.monotonic() + seconds


def test_addresses_come_in_order_and_once(place: Place) -> None:
    assert place.service.addresses("rotation & keys?", 5, soon()) == ["https://a.org/1", "https://b.org/2"]
    assert place.service.addresses("x", 1, soon()) == ["https://a.org/1"]
    assert place.queries == ["rotation & keys?", "x"]


def test_a_long_query_is_cut(place: Place) -> None:
    place.service.addresses("abcdefg " * 100, 5, soon())
    assert len(place.queries[0]) <= 400


@pytest.fixture
def server() -> Iterator[SearchServices]:
    with SearchServices() as made:
        yield made


@pytest.mark.parametrize("engine", KEYED)
@pytest.mark.parametrize(("status", "body", "says"), [
    (500, b"oops", "status 500"), (429, b"{}", "status 429"), (302, b"", "status 302"), (200, b"<html>", "understood"),
    (200, b"[]", "understood"), (200, b"[" * 100_000, "understood"), (200, b"x" * 3_000_000, "too large"),
    (200, b'{"results": 5, "organic": 5, "web": {"results": 5}}', "understood"), (200, b"\xff\xfe", "understood"),
])
def test_every_failure_is_one_error_without_query_or_key(
    engine: str, status: int, body: bytes, says: str, server: SearchServices
) -> None:
    server.instead = status, body
    with watched(("127.0.0.1", server.server_address[1])), pytest.raises(WebDown, match=says) as caught:
        SearchService(engine, server.url, KEY).addresses("salary of Ana", 5, soon())
    assert "Ana" not in str(caught.value) and KEY not in str(caught.value) and engine in caught.value.cause


@pytest.mark.parametrize("engine", KEYED)
def test_a_wrong_key_is_said(engine: str, server: SearchServices) -> None:
    with pytest.raises(WebDown, match=r"refused|422"):
        SearchService(engine, server.url, "wrong").addresses("x", 5, soon())


@pytest.mark.parametrize("engine", KEYED)
def test_rows_of_another_form_are_left_out(engine: str, server: SearchServices) -> None:
    server.found = [None, 5, "https://a.org/1", {"a": 1}]
    assert SearchService(engine, server.url, KEY).addresses("x", 5, soon()) == ["https://a.org/1"]


def test_no_results_is_an_answer(server: SearchServices) -> None:
    server.instead = 200, b"{}"
    assert SearchService("serper", server.url, KEY).addresses("x", 5, soon()) == []


def test_a_service_that_is_down_or_silent_is_said() -> None:
    with pytest.raises(WebDown, match="searxng"):
        SearchService("searxng", "http://127.0.0.1:9", "").addresses("x", 5, soon())
    with LoopbackWeb() as web:
        web.results = lambda query: ["https://a.org/"] if web.leave.wait(3) else []
        with pytest.raises(WebDown, match="in time"):
            SearchService("searxng", web.url, "").addresses("x", 5, soon(0.3))


def test_a_searxng_that_gives_no_json_is_told_how() -> None:
    with SearchServices() as server, pytest.raises(WebDown, match="404"):
        SearchService("searxng", server.url, "").addresses("x", 5, soon())


@pytest.mark.parametrize(("engine", "url", "key"), [("searxng", "", ""), ("brave", "", ""), ("tavily", "", "a\nb")])
def test_settings_that_do_not_fit_are_refused_at_once(engine: str, url: str, key: str) -> None:
    with pytest.raises(Usage):
        SearchService(engine, url, key)
