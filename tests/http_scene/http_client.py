"""A browser without a screen, and a program: requests over a real socket, with cookies kept as a browser keeps them."""

import http.client
import json
import re
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode, urlsplit

_MARK = re.compile(r'name="mark" value="([0-9a-f]{64})"')


@dataclass(frozen=True)
class Reply:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def mark(self) -> str:
        """What its forms carry."""
        found = _MARK.search(self.text)
        assert found, self.text
        return found[1]


@dataclass
class Client:
    address: str
    headers: dict[str, str] = field(default_factory=dict)
    cookies: dict[str, str] = field(default_factory=dict)
    set_cookies: list[str] = field(default_factory=list)

    def send(self, method: str, path: str, body: bytes | None = None, **headers: str) -> Reply:
        """Header names are given with `_` for `-`."""
        place = urlsplit(self.address)
        sent = {**self.headers, **{name.replace("_", "-"): value for name, value in headers.items()}}
        if self.cookies:
            sent["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        with closing(http.client.HTTPConnection(place.hostname or "", place.port, timeout=30)) as connection:
            connection.request(method, path, body, sent)
            response = connection.getresponse()
            for value in response.headers.get_all("Set-Cookie") or []:
                self.set_cookies.append(value)
                self._keep(value)
            told = {name.lower(): value for name, value in response.getheaders()}
            return Reply(response.status, told, response.read())

    def _keep(self, cookie: str) -> None:
        """By its name, as it came: no browser takes quotes off or undoes escapes. One whose time is over goes."""
        pair, *attributes = cookie.split(";")
        name, _, value = pair.partition("=")
        if "max-age=0" in (one.strip().lower() for one in attributes):
            self.cookies.pop(name.strip(), None)
        else:
            self.cookies[name.strip()] = value.strip()

    def get(self, path: str, **headers: str) -> Reply:
        return self.send("GET", path, **headers)

    def post(self, path: str, body: Any, **headers: str) -> Reply:
        """JSON, as a program sends it."""
        return self.send("POST", path, json.dumps(body).encode(), Content_Type="application/json", **headers)

    def form(self, path: str, fields: dict[str, str], **headers: str) -> Reply:
        """A form, as a browser sends it from a page of the service."""
        own = {"Origin": self.address, "Sec_Fetch_Site": "same-origin", **headers}
        return self.send("POST", path, urlencode(fields).encode(),
                         Content_Type="application/x-www-form-urlencoded", **own)

    def ask_on_page(self, question: str, **fields: str) -> Reply:
        """From the first page to the page of the answer."""
        sent = self.form("/ask", {"mark": self.get("/").mark, "question": question, **fields})
        assert sent.status == 303, sent.text
        return self.get(sent.headers["location"])
