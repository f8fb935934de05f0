"""Events over a connection that the bot opens itself. It connects again by itself."""

from slack_bolt import App
from slack_bolt.adapter.socket_mode import SocketModeHandler

from bots.slack.api import slack_errors, web_client


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
        self._handler.close()  # type: ignore[no-untyped-call]
