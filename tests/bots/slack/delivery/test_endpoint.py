"""The doctor asks the bot's own endpoint what Slack asks."""

import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from slack_scene.slack_company import LEAVE, at, company

from bots.slack.connection import own_endpoint
from bots.slack.hearing.asking import LOOKING
from bots.slack.how_to_ask import HELP
from bots.slack.simulator.server import SECRET
from vouch.adapters.ledger import Ledger
from vouch.errors import Usage

pytestmark = pytest.mark.integration


def test_the_bot_answers_what_is_signed_with_its_secret(ledger: Ledger, memory_folder: Path) -> None:
    with company(ledger, memory_folder, mode="http") as acme:
        port = int(acme.slack.deliveries.app.request_url.split(":")[2].split("/")[0])
        for host in ("127.0.0.1", "0.0.0.0"):
            assert "answers" in own_endpoint(host, port, SECRET)
        with pytest.raises(Usage, match="refuses"):
            own_endpoint("127.0.0.1", port, "another secret")
    with pytest.raises(Usage, match="nobody answers"):
        own_endpoint("127.0.0.1", port, SECRET)


def test_who_does_not_wait_for_the_answer_leaves_no_trace_of_a_fault(
    ledger: Ledger, memory_folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with company(ledger, memory_folder, mode="http") as acme:
        address = urlsplit(acme.slack.deliveries.app.request_url)
        for sent in (b"", f"POST {address.path} HTTP/1.1\r\nContent-Length: 9\r\n\r\n".encode()):
            with socket.create_connection((address.hostname, address.port)) as gone:
                gone.sendall(sent)
                gone.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))   # ends with a reset
        acme.ask(acme.ben, acme.slack.workspace.channel("C1", "people", [acme.ben.id]), at(LEAVE))
    assert "Traceback" not in capfd.readouterr().err


ODD = (b"ssl_check=1", b'{"ssl_check":"1"}', b'{"a":', b"[1]", b"1", b"null", b"payload=%7B", b"[" * 100_000,
       b"9" * 5000)


@pytest.mark.parametrize("body", ODD, ids=range(len(ODD)))
def test_nothing_is_read_in_what_is_not_signed(
    ledger: Ledger, memory_folder: Path, capfd: pytest.CaptureFixture[str], body: bytes
) -> None:
    kinds = ("application/json", "application/x-www-form-urlencoded")
    with company(ledger, memory_folder, mode="http") as acme:
        app = acme.slack.deliveries.app
        good = app.signed(body)
        for kind in kinds:
            for forged in ("v0=1", "v0=\xe9", "", app.signed(body + b" ")["X-Slack-Signature"]):
                assert app.post(body, {**good, "Content-Type": kind, "X-Slack-Signature": forged})[0] == 401
            assert app.post(body, {**good, "Content-Type": kind})[0] in (200, 400, 404)
    assert "Traceback" not in capfd.readouterr().err


@contextmanager
def somebody_else() -> Iterator[int]:
    """A server that says 200 to everything."""
    class Kind(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.send_response(200)
            self.end_headers()

        def log_message(self, *given: object) -> None: ...

    server = HTTPServer(("127.0.0.1", 0), Kind)
    with closing(server.socket):
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()
            thread.join()


def test_whoever_else_listens_there_is_not_taken_for_it() -> None:
    with somebody_else() as port, pytest.raises(Usage, match="is not the bot"):
        own_endpoint("127.0.0.1", port, SECRET)


def test_a_port_that_nobody_knows_is_named() -> None:
    with pytest.raises(Usage, match="port") as told:
        own_endpoint("127.0.0.1", 0, SECRET)
    assert "VOUCH_SLACK__PORT" in told.value.cure


def test_a_command_may_say_payload(ledger: Ledger, memory_folder: Path) -> None:
    with company(ledger, memory_folder, mode="http") as acme:
        channel = acme.slack.workspace.channel("C1", "payload-team", [acme.ana.id])
        for words, told in (("help", HELP), ("What is the largest %payload? payload=1&a", LOOKING)):
            assert acme.slack.deliveries.command(acme.ana.id, channel, "/vouch", words) == told
        acme.answer_all()
        [answer] = acme.answers(acme.ana, acme.slack.workspace.direct(acme.ana.id))
        assert acme.ledger.answers.get(answer.metadata["event_payload"]["answer_id"])["question"] == (  # type: ignore[index]
            "What is the largest %payload? payload=1&a")
