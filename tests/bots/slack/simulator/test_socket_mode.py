"""A connection of Socket Mode to the loopback Slack ends whenever it is told to."""

import logging
import threading
import time

import pytest
from faults.slack.forging import let_in
from slack_bolt import App
from slack_sdk.errors import SlackApiError
from slack_sdk.socket_mode.builtin.connection import Connection

from bots.slack.api import web_client
from bots.slack.connection import SocketConnection
from bots.slack.simulator import SlackServer
from bots.slack.simulator.server import APP_TOKEN, BOT_TOKEN

pytestmark = pytest.mark.integration


class Patient(Connection):
    """Waits for minutes for what comes."""

    def connect(self) -> None:
        super().connect()
        assert self.sock is not None
        self.sock.settimeout(300.0)


class Slow(logging.Logger):
    """Is just about to begin a session when `go` lets it."""

    def __init__(self) -> None:
        super().__init__("slow")
        self.begins, self.go = threading.Event(), threading.Event()

    def info(self, msg: object, *args: object, **kwargs: object) -> None:
        if str(msg).startswith("Starting to receive"):
            self.begins.set()
            self.go.wait(10.0)


def test_it_ends_while_it_waits_for_an_event(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("slack_sdk.socket_mode.builtin.client.Connection", Patient)
    with SlackServer() as slack:
        app = App(client=web_client(BOT_TOKEN, slack.url, 20.0), signing_secret="s", token_verification_enabled=False)
        connection = SocketConnection(app, APP_TOKEN)
        connection._handler.client.current_app_monitor.interval_seconds = 300.0     # or it pings, and hears something
        connection.connect()
        session, until = connection._handler.client.current_session, time.monotonic() + 20
        assert session is not None
        slack.sockets.wait_for_app(20.0)
        while session.last_ping_pong_time is None:
            assert time.monotonic() < until
            time.sleep(0.01)
        time.sleep(0.5)                 # Slack's hello has come too, and nothing more does
        closing = threading.Thread(target=connection.close, daemon=True)
        closing.start()
        closing.join(10.0)              # a ping of Slack, after twenty, would end it too
        assert not closing.is_alive() and session.sock is None


def test_it_ends_while_a_session_begins() -> None:
    with SlackServer() as slack:
        app = App(client=web_client(BOT_TOKEN, slack.url, 20.0), signing_secret="s", token_verification_enabled=False)
        connection, slow = SocketConnection(app, APP_TOKEN), Slow()
        client = connection._handler.client
        client.logger = slow
        connection.connect()
        assert slow.begins.wait(10.0)
        closing = threading.Thread(target=connection.close, daemon=True)
        closing.start()
        while not client.current_session_state.terminated:
            pass
        slow.go.set()                   # now it takes the sign to end back
        closing.join(10.0)
        assert not closing.is_alive()


def test_a_ticket_lets_one_connection_in_and_without_one_nobody_comes_in() -> None:
    with SlackServer() as slack:
        given = str(web_client(APP_TOKEN, slack.url, 20.0).apps_connections_open(app_token=APP_TOKEN)["url"])
        assert let_in(given) and not let_in(given)
        for forged in (given.partition("?")[0], f"{given}0", given.replace("ticket=", "ticket=0")):
            assert not let_in(forged), forged
        with pytest.raises(SlackApiError, match="not_allowed_token_type"):
            web_client(BOT_TOKEN, slack.url, 20.0).apps_connections_open(app_token=BOT_TOKEN)
