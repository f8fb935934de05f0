"""How events come in: by signed requests over HTTP, which can be tried, or by Socket Mode."""

import errno
import http.client
import json
import socket
import sys
import threading
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from slack_bolt import App, BoltRequest
from slack_bolt.adapter.socket_mode import SocketModeHandler
from slack_bolt.response import BoltResponse
from slack_sdk import WebClient
from slack_sdk.signature import SignatureVerifier
from slack_sdk.socket_mode.builtin import SocketModeClient
from slack_sdk.socket_mode.request import SocketModeRequest

from bots.slack.api import slack_errors, web_client
from vouch.errors import Usage, VouchError

PATH = "/slack/events"
LARGEST = 1_000_000

Once = Callable[[str, Callable[[], BoltResponse]], BoltResponse]
"""Does what is signed so, unless that was done. Raises Unavailable."""


class EventsServer:
    """Takes what Slack posts to PATH. Slack itself wants https, which is for whatever stands in front.

    Nothing is read in what is not signed with the `secret`: the library looks into a request before it checks that.
    """

    def __init__(self, app: App, once: Once, host: str, port: int, secret: str) -> None:
        """Raises Usage for an address or a port that is not available."""
        try:
            self._server = _Server((host, port), _Handler)
        except OSError as error:
            of_host = isinstance(error, socket.gaierror) or error.errno == errno.EADDRNOTAVAIL
            what, name = (f"address {host}", "HOST") if of_host else (f"port {port}", "PORT")
            raise Usage(f"{what} is not available: {error.strerror}", cure=f"set VOUCH_SLACK__{name}") from error
        self._server.app, self._server.once, self._server.signatures = app, once, SignatureVerifier(secret)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.2},
                                        name="slack events", daemon=True)

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    def connect(self) -> None:
        self._thread.start()

    def close(self) -> None:
        if self._thread.is_alive():
            self._server.shutdown()
            self._thread.join()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    app: App
    once: Once
    signatures: SignatureVerifier

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Whoever asked did not wait for the answer; anything else is told as the library tells it."""
        if not isinstance(sys.exception(), ConnectionError | TimeoutError):
            super().handle_error(request, client_address)


_DIGITS = 9                              # of a length; leading zeros would hide a long one


_OF_EVENTS = ("event_callback", "url_verification")     # these have an id of their own, by which they count once


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    timeout = 10.0

    def do_POST(self) -> None:
        length, headers = self.headers.get("Content-Length", ""), self._headers()
        if urlsplit(self.path).path != PATH:
            return self._say(404)
        if not (length.isascii() and length.isdigit()) or len(length) > _DIGITS or int(length) > LARGEST:
            return self._say(413)
        moment = self.headers.get("X-Slack-Request-Timestamp", "")
        if not (moment.isascii() and moment.isdigit() and len(moment) <= 12):
            return self._say(401)               # the library's check takes only numbers
        try:
            body = self.rfile.read(int(length)).decode()
        except UnicodeDecodeError:
            return self._say(401)               # no signature of Slack is over such a text
        signature = self.headers.get("X-Slack-Signature", "")
        if not (signature.isascii() and self.server.signatures.is_valid(body, moment, signature)):
            return self._say(401)
        try:
            request = _request(body, headers)
        except (ValueError, AttributeError, RecursionError):        # it is signed, and no message of Slack all the same
            return self._say(400)
        try:
            reply = self._done(request, signature)
        except VouchError:                      # nobody knows whether it was done before, or will know that it was
            return self._say(500)
        return self._say(reply.status, reply.body or "", reply.first_headers().get("content-type", "text/plain"))

    def _done(self, request: BoltRequest, signature: str) -> BoltResponse:
        def act() -> BoltResponse:
            return self.server.app.dispatch(request)

        return act() if request.body.get("type") in _OF_EVENTS else self.server.once(signature, act)

    def _headers(self) -> dict[str, str | Sequence[str]]:
        return {name.lower(): [value] for name, value in self.headers.items()}

    def _say(self, status: int, text: str = "", kind: str = "text/plain") -> None:
        data = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        if status != 200:
            self.send_header("Connection", "close")
            self.close_connection = True
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:
        """Requests are not logged."""


def _request(body: str, headers: dict[str, str | Sequence[str]]) -> BoltRequest:
    """The library takes a form with "payload" anywhere in it for one that has such a field, and finds it empty: a
    command may name it in its words. Written otherwise in the form it means the same."""
    form = not body.startswith("{") and "payload" not in dict(parse_qsl(body, keep_blank_values=True))
    request = BoltRequest(body=body.replace("payload", "%70ayload") if form else body, headers=headers)
    request.raw_body = body             # what is signed
    return request


_LOOK_S = 0.05
_ENVELOPES = ("events_api", "interactive", "slash_commands")


class _Envelopes(SocketModeHandler):
    """Takes those of the kinds that Slack has, to this app. The library takes what is in any envelope."""

    def __init__(self, app: App, app_token: str, web_client: WebClient) -> None:
        super().__init__(app, app_token, web_client=web_client)
        self._app_id = ""               # until Slack has said hello
        self.client.message_listeners.append(self._greeted)

    def handle(self, client: SocketModeClient, req: SocketModeRequest) -> None:  # type: ignore[override]
        mine = self._app_id in ("", req.payload.get("api_app_id", self._app_id))
        if mine and req.type in _ENVELOPES:
            super().handle(client, req)

    def _greeted(self, _: object, message: Mapping[str, Any], __: object) -> None:
        if message.get("type") == "hello" and not self._app_id:
            self._app_id = str((message.get("connection_info") or {}).get("app_id") or "")


class SocketConnection:
    def __init__(self, app: App, app_token: str) -> None:
        client = app.client
        own = web_client(app_token, client.base_url, client.timeout)
        self._handler = _Envelopes(app, app_token, own)

    def connect(self) -> None:
        """Raises SurfaceDown."""
        with slack_errors("apps.connections.open"):
            self._handler.connect()  # type: ignore[no-untyped-call]

    def close(self) -> None:
        """Also while a session begins: slack_sdk then takes its own sign to end back, and would wait for ever."""
        closing = Thread(target=self._handler.close, daemon=True)
        closing.start()
        while closing.is_alive():
            self._handler.client.current_session_state.terminated = True
            self._wait_no_more()
            closing.join(_LOOK_S)

    def _wait_no_more(self) -> None:
        """slack_sdk closes a connection when nobody reads from it, and a read waits three seconds for what comes; what
        works on it looks up once a second, or when there is something, be it nothing."""
        self._handler.client.message_queue.put(None)
        session = self._handler.client.current_session
        connected = session.sock if session is not None else None
        if connected is not None:
            with suppress(OSError):         # closed by now
                socket.socket.shutdown(connected, socket.SHUT_RD)       # TLS's own leaves the rest in the clear


_SECONDS = 5.0
_ANYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}       # noqa: S104 - not listened on, but replaced
_START = "start it on this machine: vouch slack run"


def own_endpoint(host: str, port: int, secret: str) -> str:
    """Asks it as Slack does before it sends any event. Raises Usage with the cure."""
    if port == 0:
        raise Usage("nobody can know the port", cure="set VOUCH_SLACK__PORT")
    challenge = uuid.uuid4().hex
    status, text = _posted(_ANYWHERE.get(host, host), port, secret,
                           json.dumps({"type": "url_verification", "token": "unused", "challenge": challenge}))
    if status == 0:
        raise Usage(f"nobody answers at {host}:{port}", cure=_START)
    if status == 401:
        raise Usage("the bot refuses what is signed with this secret",
                    cure="give the bot the same VOUCH_SLACK__SIGNING_SECRET, and set the clock; then start it again")
    if status != 200 or challenge not in text:
        raise Usage(f"what answers at {host}:{port}{PATH} is not the bot (status {status})", cure=_START)
    return f"http://{host}:{port}{PATH} answers what is signed with the secret"


def _posted(host: str, port: int, secret: str, body: str) -> tuple[int, str]:
    """Status and text; status 0 if nobody answers."""
    moment = str(int(time.time()))
    signature = SignatureVerifier(secret).generate_signature(timestamp=moment, body=body) or ""
    connection = http.client.HTTPConnection(host, port, timeout=_SECONDS)
    try:
        connection.request("POST", PATH, body, {
            "Content-Type": "application/json", "X-Slack-Request-Timestamp": moment, "X-Slack-Signature": signature})
        response = connection.getresponse()
        return response.status, response.read(10_000).decode(errors="replace")
    except (OSError, http.client.HTTPException):
        return 0, ""
    finally:
        connection.close()
