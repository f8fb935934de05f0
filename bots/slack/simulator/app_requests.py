"""Requests to an app, as Slack sends them: signed over HTTP, or as envelopes of Socket Mode."""

import hashlib
import hmac
import http.client
import json
import time
import urllib.parse
from typing import Any

from bots.slack.simulator.socket_mode import SocketMode

IN_TIME_S = 3.0
_NO_RETRY = "X-Slack-No-Retry"


class AppRequests:
    """Over HTTP once `request_url` is set. `again`: whether the app lets what failed last be told again."""

    def __init__(self, sockets: SocketMode, secret: str) -> None:
        self._sockets = sockets
        self._secret = secret
        self.request_url = ""
        self.in_time = IN_TIME_S
        self.again = True
        self.last: tuple[bytes, dict[str, str]] = b"", {}       # request over HTTP, so that a test can send it again
        self._why = "http_timeout"              # what the last try that failed met

    def send(self, kind: str, payload: dict[str, Any], tries: int = 0) -> tuple[bool, Any]:
        """Whether it was acknowledged in time, and the reply."""
        if not self.request_url:
            self.again = True
            rest = {"retry_attempt": tries, "retry_reason": "timeout"} if tries else {}
            return self._sockets.send(kind, payload, self.in_time, **rest)
        if kind == "events_api":
            body, form = json.dumps(payload).encode(), "application/json"
        else:
            fields = {"payload": json.dumps(payload)} if kind == "interactive" else payload
            body, form = urllib.parse.urlencode(fields).encode(), "application/x-www-form-urlencoded"
        more = {"X-Slack-Retry-Num": str(tries), "X-Slack-Retry-Reason": self._why} if tries else {}
        self.last = body, {"Content-Type": form, **self.signed(body), **more}
        status, reply, headers = self._posted(*self.last)
        self.again = headers.get(_NO_RETRY.lower()) != "1"
        self._why = "http_timeout" if status == 0 else "http_error"
        return status == 200, reply

    def signed(self, body: bytes, moment: int | None = None, secret: str = "") -> dict[str, str]:
        seconds = str(moment if moment is not None else int(time.time()))
        key = (secret or self._secret).encode()
        made = hmac.new(key, f"v0:{seconds}:".encode() + body, hashlib.sha256).hexdigest()
        return {"X-Slack-Request-Timestamp": seconds, "X-Slack-Signature": f"v0={made}"}

    def post(self, body: bytes, headers: dict[str, str]) -> tuple[int, Any]:
        """A request to the app as it is given, so that a test can forge one. Status 0: it did not come back."""
        return self._posted(body, headers)[:2]

    def _posted(self, body: bytes, headers: dict[str, str]) -> tuple[int, Any, dict[str, str]]:
        address = urllib.parse.urlsplit(self.request_url)
        connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=self.in_time)
        try:
            connection.request("POST", address.path, body, headers)
            response = connection.getresponse()
            data = response.read().decode()
        except (OSError, http.client.HTTPException):
            return 0, None, {}
        finally:
            connection.close()
        reply_headers = {name.lower(): value for name, value in response.getheaders()}
        try:
            return response.status, json.loads(data), reply_headers
        except ValueError:
            return response.status, data, reply_headers
