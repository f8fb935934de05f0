"""Events over a connection that the bot opens itself. It connects again by itself."""

import socket
from contextlib import suppress
from threading import Thread

from slack_bolt import App
from slack_bolt.adapter.socket_mode import SocketModeHandler

from bots.slack.api import slack_errors, web_client

_LOOK_S = 0.05


class SocketConnection:
    def __init__(self, app: App, app_token: str) -> None:
        client = app.client
        own = web_client(app_token, client.base_url, client.timeout)
        self._handler = SocketModeHandler(app, app_token, web_client=own)

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
