"""Pages named by strangers: nothing but the public internet is connected to, however it is asked for."""

import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from adapters.web.hostile import CLOSED, FORMS, LITERALS, OPEN
from web_scene.connections import watched
from web_scene.loopback_web import LoopbackWeb, Served

from vouch.adapters.web.guard import policy
from vouch.adapters.web.guard.fetcher import Fetcher, FetchLimits, Page
from vouch.adapters.web.guard.policy import HostRules, Resolve, closed, locate, parse_address
from vouch.errors import FetchRefused, WebDown

NOW = datetime(2026, 1, 5, tzinfo=UTC)
SAME = ("http:///a", "http://")          # as redirects they name the same host, as `/a` does
HTML = "<html><body><p>Words.</p></body></html>"


@pytest.fixture(scope="module")
def web() -> Iterator[LoopbackWeb]:
    with LoopbackWeb() as server:
        yield server


@pytest.fixture
def canary() -> Iterator[LoopbackWeb]:
    with LoopbackWeb() as server:
        yield server


def fetcher(web: LoopbackWeb, resolve: Resolve = policy.resolve, limits: FetchLimits | None = None,
            **rules: Any) -> Fetcher:
    """With the one place of loopback that tests may name."""
    made = HostRules(frozenset(), test_loopback=("127.0.0.1", web.port))
    return Fetcher(replace(made, **rules), limits or FetchLimits(seconds=5), lambda: NOW, resolve)


def fetch(made: Fetcher, url: str) -> Page:
    return made.fetch(url, time.monotonic() + 5)


@pytest.mark.parametrize("address", CLOSED)
def test_closed_addresses(address: str) -> None:
    parsed = parse_address(address)
    assert parsed is not None and closed(parsed)


@pytest.mark.parametrize("address", OPEN)
def test_open_addresses(address: str) -> None:
    parsed = parse_address(address)
    assert parsed is not None and not closed(parsed)


def test_there_are_enough_of_them() -> None:
    assert len(set(LITERALS) | set(FORMS)) >= 60


@pytest.mark.parametrize("url", [*LITERALS, *FORMS])
def test_no_socket_is_opened_for_a_hostile_address(url: str, web: LoopbackWeb) -> None:
    def loopback(host: str, port: int) -> list[str]:
        return ["127.0.0.1"]

    with watched() as connections, pytest.raises(FetchRefused):
        fetch(fetcher(web, loopback), url)
    assert connections.begun == []


@pytest.mark.parametrize("url", [*LITERALS, *(one for one in FORMS if "//" in one and one not in SAME)])
def test_no_redirect_leads_there(url: str, web: LoopbackWeb, canary: LoopbackWeb) -> None:
    if "\r" in url:
        pytest.skip("no header can hold it")
    start = web.moved("/start", url.encode("utf-8").decode("latin-1"))
    place = ("127.0.0.1", web.port)
    with watched(place) as connections, pytest.raises(FetchRefused):
        fetch(fetcher(web, lambda host, port: ["127.0.0.1"]), start)
    assert set(connections.begun) == {place} and canary.asked == []


@pytest.mark.parametrize("address", CLOSED)
@pytest.mark.parametrize("beside", [(), ("93.184.215.14",)])
def test_a_name_with_a_closed_address_is_refused_whatever_else_it_has(
    address: str, beside: tuple[str, ...], web: LoopbackWeb
) -> None:
    with watched() as connections, pytest.raises(FetchRefused, match="closed"):
        fetch(fetcher(web, lambda host, port: [*beside, address]), "http://www.site.org/")
    assert connections.begun == []


def test_a_resolver_that_alternates_is_asked_once_a_hop(web: LoopbackWeb) -> None:
    asked: list[str] = []

    def alternating(host: str, port: int) -> list[str]:
        asked.append(host)
        return ["93.184.215.14"] if len(asked) % 2 else ["127.0.0.1"]

    with watched() as connections, pytest.raises(WebDown):
        fetch(fetcher(web, alternating), "http://www.site.org/a")
    assert connections.begun == [("93.184.215.14", 80)] and asked == ["www.site.org"]


def test_a_resolver_that_alternates_between_robots_and_page_is_noticed(web: LoopbackWeb) -> None:
    answers = [["127.0.0.1"], ["127.0.0.2"], ["10.0.0.1"]]
    web.page("/a", HTML)
    place = ("127.0.0.1", web.port)
    made = fetcher(web, lambda host, port: answers.pop(0), ports=frozenset({web.port}))
    with watched(place) as connections, pytest.raises(FetchRefused, match="closed"):
        fetch(made, f"http://www.site.org:{web.port}/a")
    assert connections.begun == [place]     # robots.txt; the page's own look-up was refused


def test_the_canary_is_never_reached(web: LoopbackWeb, canary: LoopbackWeb) -> None:
    """It is on the very machine that the test may fetch from, at another port."""
    place = ("127.0.0.1", web.port)
    ways = [canary.at("/"), web.moved("/to", canary.at("/")), web.moved("/again", web.moved("/2", canary.at("/x")))]
    with watched(place) as connections:
        for url in ways:
            with pytest.raises(FetchRefused):
                fetch(fetcher(web), url)
    assert canary.asked == [] and set(connections.begun) == {place}


def test_planted_a_guard_that_checks_only_the_first_hop_is_found(
    web: LoopbackWeb, canary: LoopbackWeb, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The negative control: the canary sees what the check keeps away."""
    start = web.moved("/start", canary.page("/secret", HTML))
    monkeypatch.setattr(HostRules, "check", lambda self, location: None)
    monkeypatch.setattr(HostRules, "addresses_of", lambda self, location, resolve: [location.host])
    fetch(fetcher(web), start)
    assert "/secret" in canary.asked


def test_planted_a_guard_that_connects_by_name_is_found(web: LoopbackWeb, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(HostRules, "addresses_of", lambda self, location, resolve: [
        resolve(location.host, location.port), resolve(location.host, location.port)][1])
    answers = [["93.184.215.14"], ["127.0.0.1"]]
    with watched() as connections, pytest.raises(WebDown):
        fetch(fetcher(web, lambda host, port: answers.pop(0)), "http://www.site.org/a")
    assert connections.begun == [("127.0.0.1", 80)]


def test_without_the_setting_for_tests_loopback_is_closed(web: LoopbackWeb) -> None:
    web.page("/a", HTML)
    with watched() as connections, pytest.raises(FetchRefused):
        fetch(fetcher(web, test_loopback=None), web.at("/a"))
    assert connections.begun == []


def test_a_page_is_fetched_with_its_address_kind_and_time(web: LoopbackWeb) -> None:
    moved = web.moved("/old", "/new?q=1")
    web.page("/new?q=1", HTML, kind='text/html; Charset="latin-1"')
    page = fetch(fetcher(web), moved)
    assert page == Page(web.at("/new?q=1"), HTML.encode(), ".html", "latin-1", NOW)
    host, headers = web.seen[-1]
    assert host == f"127.0.0.1:{web.port}"
    assert set(headers) == {"Host", "User-Agent", "Accept", "Accept-Encoding"} and headers["User-Agent"] == "vouch"


def test_the_name_goes_into_the_host_header_and_the_checked_address_into_the_socket(web: LoopbackWeb) -> None:
    web.page("/a", HTML)
    made = fetcher(web, lambda host, port: ["127.0.0.1"], ports=frozenset({web.port}))
    with watched(("127.0.0.1", web.port)) as connections:
        fetch(made, f"http://WWW.Site.org.:{web.port}/a")
    assert web.seen[-1][0] == f"www.site.org:{web.port}" and set(connections.begun) == {("127.0.0.1", web.port)}


def test_proxies_of_the_environment_are_not_taken(web: LoopbackWeb, monkeypatch: pytest.MonkeyPatch) -> None:
    web.page("/a", HTML)
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert fetch(fetcher(web), web.at("/a")).data == HTML.encode()


def test_redirects_are_few_and_never_from_https_to_http(web: LoopbackWeb) -> None:
    loop = web.moved("/loop", "/loop")
    with pytest.raises(FetchRefused, match="too many redirects"):
        fetch(fetcher(web), loop)
    with pytest.raises(FetchRefused):
        locate("http://www.site.org/\u2028")
    assert locate("../b", locate("https://www.site.org/x/a")).url == "https://www.site.org/b"


@pytest.mark.parametrize(("kind", "encoding"), [
    ("text/html", None), ("text/html; charset=UTF-8", "utf-8"), ('text/html;charset="windows-1252"', "windows-1252"),
    ("text/html; charset=nonsense", None), ("text/html; charset=base64", None), ("text/html; charset=a\x00b", None),
])
def test_an_encoding_is_taken_only_if_there_is_one(kind: str, encoding: str | None, web: LoopbackWeb) -> None:
    web.page("/a", HTML, kind=kind)
    assert fetch(fetcher(web), web.at("/a")).encoding == encoding


@pytest.mark.parametrize(("rules", "fits"), [
    ({"allowed": frozenset({"site.org"})}, True),
    ({"allowed": frozenset({"other.org"})}, False),
    ({"blocked": frozenset({"site.org"})}, False),
    ({"blocked": frozenset({"ite.org"})}, True),
    ({"allowed": frozenset({"site.org"}), "blocked": frozenset({"www.site.org"})}, False),
])
def test_hosts_are_allowed_and_blocked_with_all_below_them(rules: dict[str, frozenset[str]], fits: bool) -> None:
    location = locate("https://www.site.org/a")
    if fits:
        HostRules(**rules).check(location)
    else:
        with pytest.raises(FetchRefused):
            HostRules(**rules).check(location)


@pytest.mark.parametrize("kind", ["image/png", "application/octet-stream", "application/json", "", "text/css"])
def test_other_kinds_are_refused(kind: str, web: LoopbackWeb) -> None:
    web.pages["/k"] = Served(b"x", kind)
    with pytest.raises(FetchRefused, match="neither"):
        fetch(fetcher(web), web.at("/k"))


@pytest.mark.parametrize("status", [204, 206, 304, 404, 500])
def test_only_a_whole_page_is_one(status: int, web: LoopbackWeb) -> None:
    web.pages["/s"] = Served(b"" if status in (204, 304) else b"x", status=status)
    with pytest.raises(WebDown, match=f"status {status}"):
        fetch(fetcher(web), web.at("/s"))


ROBOTS = b"User-agent: *\nDisallow: /private\nAllow: /private/open$\n\nuser-agent: Vouch\nDisallow: /vouch*x$"


@pytest.mark.parametrize(("body", "status", "path", "fits"), [
    (ROBOTS, 200, "/private/a", True),      # the group for vouch alone counts
    (ROBOTS, 200, "/vouch/1x", False),
    (ROBOTS, 200, "/vouch/1xy", True),
    (ROBOTS.replace(b"Vouch", b"Other"), 200, "/private/a", False),
    (ROBOTS.replace(b"Vouch", b"Other"), 200, "/private/open", True),
    (b"", 404, "/a", True),
    (b"", 503, "/a", False),
])
def test_robots(body: bytes, status: int, path: str, fits: bool, web: LoopbackWeb) -> None:
    web.pages["/robots.txt"] = Served(body, "text/plain", status)
    web.page(path, HTML)
    try:
        if fits:
            fetch(fetcher(web), web.at(path))
        else:
            with pytest.raises(FetchRefused, match=r"robots\.txt"):
                fetch(fetcher(web), web.at(path))
            assert path not in web.asked
    finally:
        del web.pages["/robots.txt"], web.pages[path]
        web.asked.clear()
