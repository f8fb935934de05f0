"""Socket Mode: envelopes to whoever is connected, and the acknowledgements that come back.

Who connects needs a ticket, which an app-level token gets, and which lets one connection in.
"""

import json
import os
import socket
import threading
import urllib.parse
import uuid
from contextlib import ExitStack
from http import HTTPStatus
from typing import Any

from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response
from websockets.sync.server import Server, ServerConnection, serve

from bots.slack.simulator.workspace import APP_ID


class SocketMode:
    def __init__(self) -> None:
        self._server: Server = serve(self._serve, "127.0.0.1", 0, process_request=self._admit)
        self._tickets: set[str] = set()
        self._connections: list[ServerConnection] = []
        self._changed = threading.Condition()
        self._deaf = False
        self._acked: dict[str, Any] = {}
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._ending = ExitStack()
        for handle in (self._server.shutdown_watcher, self._server.shutdown_notifier):
            self._ending.callback(os.close, handle)     # which the library leaves open
        self._ending.callback(self._server.socket.close)

    def ticket(self) -> str:
        """The address of one connection."""
        made = uuid.uuid4().hex
        with self._changed:
            self._tickets.add(made)
        return f"ws://127.0.0.1:{self._server.socket.getsockname()[1]}/link/?ticket={made}&app_id={APP_ID}"

    def begin(self) -> None:
        self._thread.start()
        self._ending.callback(self._thread.join)
        self._ending.callback(self._server.shutdown)

    def end(self) -> None:
        """May be called again."""
        self._ending.close()

    def wait_for_app(self, seconds: float = 5.0) -> None:
        with self._changed:
            if not self._changed.wait_for(lambda: self._connections, seconds):
                raise TimeoutError("no app has connected")

    def apps(self) -> int:
        """How many are connected."""
        with self._changed:
            return len(self._connections)

    def disconnect(self) -> None:
        """Slack says that it closes the connection, and does; an app connects again by itself."""
        with self._changed:
            gone, self._connections[:] = self._connections[:], []
        for connection in gone:
            connection.send(json.dumps({"type": "disconnect", "reason": "refresh_requested"}))
            connection.close()

    def hang_up(self) -> None:
        """Every connection is lost, and new ones are until `listen`."""
        with self._changed:
            self._deaf = True
            gone, self._connections[:] = self._connections[:], []
        for connection in gone:
            connection.socket.shutdown(socket.SHUT_RDWR)

    def listen(self) -> None:
        with self._changed:
            self._deaf = False

    def send(self, kind: str, payload: dict[str, Any], seconds: float, **rest: Any) -> tuple[bool, Any]:
        """Whether it was acknowledged in time, and what the acknowledgement carried."""
        envelope = uuid.uuid4().hex
        sent = self.push(json.dumps({
            "envelope_id": envelope, "type": kind, "payload": payload, "accepts_response_payload": True, **rest,
        }))
        if not sent:
            return False, None
        with self._changed:
            done = self._changed.wait_for(lambda: envelope in self._acked, seconds)
            return done, self._acked.get(envelope)

    def push(self, text: str) -> bool:
        """As it is given, so that a test can forge one. Whether somebody was there to hear it."""
        with self._changed:
            if not self._connections:
                return False
            connection = self._connections[-1]
        try:
            connection.send(text)
        except ConnectionClosed:
            return False
        return True

    def acknowledged(self, envelope: str) -> bool:
        with self._changed:
            return envelope in self._acked

    def _admit(self, connection: ServerConnection, request: Request) -> Response | None:
        """None lets it in."""
        given = urllib.parse.parse_qs(urllib.parse.urlsplit(request.path).query).get("ticket", [""])[0]
        with self._changed:
            if given in self._tickets:
                self._tickets.remove(given)
                return None
        return connection.respond(HTTPStatus.UNAUTHORIZED, "no such ticket\n")

    def _serve(self, connection: ServerConnection) -> None:
        if self._deaf:
            connection.socket.shutdown(socket.SHUT_RDWR)
            return
        connection.send(json.dumps({"type": "hello", "num_connections": 1, "connection_info": {"app_id": APP_ID}}))
        with self._changed:
            self._connections.append(connection)
            self._changed.notify_all()
        try:
            for text in connection:
                ack = json.loads(text)
                with self._changed:
                    self._acked[ack["envelope_id"]] = ack.get("payload")
                    self._changed.notify_all()
        except ConnectionClosed:
            pass
        with self._changed:
            if connection in self._connections:
                self._connections.remove(connection)
