"""Socket Mode: envelopes to whoever is connected, and the acknowledgements that come back."""

import json
import os
import socket
import threading
import uuid
from contextlib import ExitStack
from typing import Any

from websockets.exceptions import ConnectionClosed
from websockets.sync.server import Server, ServerConnection, serve


class SocketMode:
    def __init__(self) -> None:
        self._server: Server = serve(self._serve, "127.0.0.1", 0)
        self._connections: list[ServerConnection] = []
        self._changed = threading.Condition()
        self._deaf = False
        self._acked: dict[str, Any] = {}
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._ending = ExitStack()
        for handle in (self._server.shutdown_watcher, self._server.shutdown_notifier):
            self._ending.callback(os.close, handle)     # which the library leaves open
        self._ending.callback(self._server.socket.close)

    @property
    def url(self) -> str:
        return f"ws://127.0.0.1:{self._server.socket.getsockname()[1]}/link?ticket=1"

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
        with self._changed:
            if not self._connections:
                return False, None
            connection = self._connections[-1]
        envelope = uuid.uuid4().hex
        try:
            connection.send(json.dumps({
                "envelope_id": envelope, "type": kind, "payload": payload, "accepts_response_payload": True, **rest,
            }))
        except ConnectionClosed:
            return False, None
        with self._changed:
            done = self._changed.wait_for(lambda: envelope in self._acked, seconds)
            return done, self._acked.get(envelope)

    def _serve(self, connection: ServerConnection) -> None:
        if self._deaf:
            connection.socket.shutdown(socket.SHUT_RDWR)
            return
        connection.send(json.dumps({"type": "hello", "num_connections": 1, "connection_info": {"app_id": "A0VOUCH"}}))
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
