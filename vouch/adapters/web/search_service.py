"""A search service of the settings, asked over HTTP."""

import socket
from collections.abc import Sequence
from typing import Literal
from urllib.parse import urlsplit

from vouch.adapters.web.engines import DIALECTS, listed
from vouch.adapters.web.guard.exchange import Reply, exchange
from vouch.adapters.web.guard.location import PORTS, Location
from vouch.errors import FetchRefused, Usage, WebDown

_MOST_BYTES = 2_000_000


class SearchService:
    """Implements ports.SearchEngine. Its address is the operator's choice, so it may lie in the own network.

    Redirects are not followed, so the key goes nowhere else. Neither query nor key is in an error.
    """

    def __init__(self, engine: str, url: str, key: str) -> None:
        """`url` is empty where the service has one home. Raises Usage for settings that do not fit."""
        self._name, self._dialect, self._key = engine, DIALECTS[engine], key
        home = url or self._dialect.home
        if not home:
            raise Usage(f"the address of {engine} is not set", cure="set VOUCH_WEB__URL")
        if engine != "searxng" and not key:
            raise Usage(f"{engine} is not asked without a key", cure="set VOUCH_WEB__API_KEY")
        if not (key.isascii() and key.isprintable()):
            raise Usage(f"the key for {engine} holds characters that no key has", cure="fix VOUCH_WEB__API_KEY")
        parts = urlsplit(home)
        self._scheme: Literal["http", "https"] = "https" if parts.scheme == "https" else "http"
        self._host, self._port = parts.hostname or "", parts.port or PORTS[self._scheme]
        self._path = parts.path.rstrip("/")

    def addresses(self, query: str, top: int, until: float) -> Sequence[str]:
        method, target, headers, body = self._dialect.ask(query[: self._dialect.most_characters], top, self._key)
        location = Location(self._scheme, self._host, self._port, self._path + target)
        told = {"User-Agent": "vouch", "Accept": "application/json", **headers}
        try:
            reply = exchange(
                method, location, self._address(), told, body, until=until, most_bytes=_MOST_BYTES
            )
            self._check(reply)
            rows = listed(self._dialect, reply.body)
        except (ValueError, RecursionError) as error:
            raise self._down("its reply cannot be understood") from error
        except FetchRefused as error:
            raise self._down("its reply is too large") from error
        except WebDown as error:
            if error.cause.startswith("search service"):
                raise
            raise self._down(error.cause) from error
        found = [row.get(self._dialect.link) for row in rows]
        return list(dict.fromkeys(url for url in found if isinstance(url, str)))[:top]

    def _address(self) -> str:
        try:
            return str(socket.getaddrinfo(self._host, self._port, type=socket.SOCK_STREAM)[0][4][0])
        except (OSError, UnicodeError) as error:
            raise self._down("its name cannot be looked up") from error

    def _check(self, reply: Reply) -> None:
        if reply.status == 200:
            return
        if reply.status in (401, 403):
            hint = "json must be among search.formats of its settings" if self._name == "searxng" else ""
            raise self._down(f"it refused with status {reply.status}", hint or "check VOUCH_WEB__API_KEY")
        raise self._down(f"it answered with status {reply.status}")

    def _down(self, what: str, cure: str = "check VOUCH_WEB__ENGINE, __URL and __API_KEY") -> WebDown:
        return WebDown(f"search service {self._name}: {what}", cure=cure)
