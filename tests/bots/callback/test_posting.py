"""What a callback may be, what it is sent, and what its replies mean."""

import json
import logging
import queue
import re
import shutil
import socket
import ssl
import subprocess
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import pytest
from http_scene.callback_receiver import SECRET, CallbackReceiver, babbles, cuts, drips, hangs, resets, says
from http_scene.dripping import Dripping

from bots.callback.surface import LARGEST_REPLY, LONGEST_PAUSE_S, HttpCallback, retry_after
from vouch.errors import BadInput, Denied, SurfaceDown, Usage
from vouch.ports.surface import Delivery

pytestmark = pytest.mark.integration    # sockets, and waits that are meant to be waited for
SECRETS = "the salary of the director is 123456"
ONE = Delivery("q/1.2%?", "C1/171.2", {"id": "a1", "answer": SECRETS})


@pytest.fixture
def receiver():
    with CallbackReceiver() as started:
        yield started


@pytest.fixture
def callback(receiver):
    return HttpCallback(receiver.url, SECRET, ["127.0.0.1"])


def test_the_receiver_gets_the_answer_signed_and_finds_nothing_to_complain_about(receiver, callback):
    callback.post(ONE)
    assert receiver.complaints == []
    assert receiver.posts == [{
        "schema": 1, "type": "Answer", "question_id": ONE.question_id, "thread": "C1/171.2", "answer": dict(ONE.answer),
    }]
    assert callback.has(ONE) and receiver.asked == [ONE.question_id]
    assert "127.0.0.1" in callback.probe()


def test_a_receiver_that_cannot_be_asked_is_only_connected_to(receiver):
    callback = HttpCallback(receiver.url, SECRET, ["127.0.0.1"], after_doubt="repeat")
    assert "accepts connections" in callback.probe() and receiver.arrivals == []
    receiver.shutdown()
    receiver.server_close()
    with pytest.raises(SurfaceDown):
        callback.probe()


def test_the_docs_show_what_is_sent_and_what_is_to_be_replied(receiver, callback):
    page = (Path(__file__).parents[3] / "docs" / "delivery.md").read_text(encoding="utf-8")
    [sent] = re.findall(r"```json\n(.*?)\n```", page, re.DOTALL)
    callback.post(ONE)
    assert set(json.loads(sent)) == set(receiver.posts[0])
    [reply] = re.findall(r'`(\{"question_id": [^`]+\})`', page)
    receiver.to_asks.append(says(200, json.loads(reply)))
    assert callback.knows(json.loads(reply)["question_id"]) is json.loads(reply)["known"]


def test_a_wrong_secret_is_found_out_by_the_receiver(receiver):
    with pytest.raises(SurfaceDown):
        HttpCallback(receiver.url, SECRET.replace("MDEy", "MTEy"), ["127.0.0.1"]).post(ONE)
    assert receiver.complaints == ["signature does not fit"] and receiver.posts == []


@pytest.mark.parametrize(("status", "error"), [
    (400, BadInput), (413, BadInput), (415, BadInput), (422, BadInput), (410, Denied),
    *((status, SurfaceDown) for status in (301, 302, 307, 308, 401, 403, 404, 405, 408, 425, 429, 500, 502, 503, 504)),
])
def test_each_status_means_one_thing(receiver, callback, status, error):
    receiver.to_posts.append(says(status))
    with pytest.raises(error) as raised:
        callback.post(ONE)
    assert type(raised.value) is error and receiver.posts == []


@pytest.mark.parametrize("status", [200, 201, 202, 204, 409])
def test_what_counts_as_taken(receiver, callback, status):
    receiver.to_posts.append(says(status))
    callback.post(ONE)
    assert [method for _, method in receiver.arrivals] == ["POST"] and receiver.complaints == []


@pytest.mark.parametrize("part", [resets, hangs, drips, babbles, cuts])
def test_an_exchange_that_fails_is_an_outage_and_takes_no_longer_than_it_may(receiver, part):
    hasty = HttpCallback(receiver.url, SECRET, ["127.0.0.1"], timeout_s=0.4)
    receiver.to_asks.append(part)
    began = time.monotonic()
    with pytest.raises(SurfaceDown):
        hasty.has(ONE)
    assert time.monotonic() - began < 5


def test_a_reply_that_ends_with_its_connection_takes_no_longer_than_it_may():
    with Dripping([b"HTTP/1.0 200 OK\r\n\r\n", *([b" "] * 100)], 0.05) as server:
        hasty = HttpCallback(server.address, SECRET, ["127.0.0.1"], timeout_s=0.4)
        began = time.monotonic()
        with pytest.raises(SurfaceDown):
            hasty.has(ONE)
        assert time.monotonic() - began < 5 - 0.1


@pytest.mark.parametrize("reply", [
    lambda handler, keep: handler.send(200, b"[" * 60_000),
    says(404), says(204), says(200, {}), says(200, []), says(200, {"question_id": "other", "known": True}),
    says(200, {"question_id": ONE.question_id, "known": "yes"}), says(200, {"question_id": ONE.question_id}),
])
def test_only_a_plain_yes_or_no_is_believed(receiver, callback, reply):
    receiver.to_asks.append(reply)
    with pytest.raises(SurfaceDown):
        callback.has(ONE)


def test_a_huge_reply_is_not_read_to_its_end(receiver, callback):
    sent = queue.Queue()

    def huge(handler, keep):
        try:
            handler.send(200, b"x" * (400 * LARGEST_REPLY))     # more than sockets hold
        except OSError as error:
            sent.put(type(error))
        else:
            sent.put(None)

    receiver.to_posts.append(huge)
    callback.post(ONE)
    assert sent.get(timeout=10) in (BrokenPipeError, ConnectionResetError)


def test_redirects_and_proxies_are_not_followed(receiver, callback, monkeypatch):
    """What another process sends to a port that was its own a moment ago is not ours."""
    with CallbackReceiver() as other:
        for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "https_proxy"):
            monkeypatch.setenv(name, other.url)
        receiver.to_posts.append(says(307, Location=f"{other.url}/followed"))
        receiver.to_asks.append(says(302, Location=f"{other.url}/followed"))
        for act in (callback.post, callback.has):
            with pytest.raises(SurfaceDown):
                act(ONE)
        callback.post(ONE)
        assert not [one for one in other.complaints if "/followed" in one or receiver.url in one]
        assert other.posts == [] == other.asked and len(receiver.posts) == 1


def test_a_receiver_says_how_long_it_wants_to_be_left_alone(receiver, callback):
    receiver.to_posts.append(says(429, Retry_After="7"))
    with pytest.raises(SurfaceDown) as raised:
        callback.post(ONE)
    assert raised.value.retry_after_s == 7


def test_a_wish_to_be_left_alone_is_read_in_both_forms_and_has_a_limit():
    now = datetime(2026, 11, 21, tzinfo=UTC)
    at = format_datetime(now + timedelta(seconds=90), usegmt=True)
    assert retry_after({"retry-after": at}, now.timestamp()) == 90
    assert retry_after({"Retry-After": " 12 "}, 0) == 12
    assert retry_after({"Retry-After": "9" * 30}, 0) == LONGEST_PAUSE_S
    assert retry_after({"Retry-After": format_datetime(now, usegmt=True)}, now.timestamp() + 5) == 0
    for nonsense in ("", "soon", "-5", "1e9", "\u0661"):
        assert retry_after({"Retry-After": nonsense}, 0) is None


@pytest.mark.parametrize(("url", "hosts", "why"), [
    ("https://bots.example.org/answers", [], "may not go to bots.example.org"),
    ("https://bots.example.org/answers", ["example.org"], "may not go"),
    ("https://bots.example.org.evil.test/", ["bots.example.org"], "may not go"),
    ("https://bots.example.org@evil.test/", ["bots.example.org", "evil.test"], "plain"),
    ("http://bots.example.org/answers", ["bots.example.org"], "https only"),
    ("file:///etc/passwd", [""], "plain"),
    ("https://bots.example.org/a b", ["bots.example.org"], "plain"),
    ("https://bots.example.org/\r\nX: y", ["bots.example.org"], "plain"),
    ("https://bots.example.org:99999/", ["bots.example.org"], "understood"),
    ("https://[::1", ["::1"], "understood"),
])
def test_answers_go_only_where_they_may(url, hosts, why):
    with pytest.raises(Usage, match=why) as raised:
        HttpCallback(url, SECRET, hosts)
    assert raised.value.cure


def test_nothing_of_an_answer_or_a_reply_is_in_errors_or_logs(receiver, callback, caplog):
    caplog.set_level(logging.DEBUG)
    for status in (400, 401, 410, 500):
        receiver.to_posts.append(says(status, {"error": SECRETS}))
        with pytest.raises((SurfaceDown, BadInput, Denied)) as raised:
            callback.post(ONE)
        for words in ("salary", "123456", SECRET):
            assert words not in f"{raised.value} {raised.value.cure}" and words not in caplog.text


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed")
def test_only_a_trusted_certificate_of_that_host_will_do(tmp_path, monkeypatch):
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", certificate, "-days", "2",
         "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"], check=True, capture_output=True,
    )  # fmt: skip
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server = CallbackReceiver()
    server.socket = context.wrap_socket(server.socket, server_side=True)
    with server as receiver:
        port = receiver.server_address[1]
        named = HttpCallback(f"https://localhost:{port}/answers", SECRET, ["localhost"])
        with pytest.raises(SurfaceDown):
            named.post(ONE)
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        with pytest.raises(SurfaceDown):
            HttpCallback(f"https://127.0.0.1:{port}/answers", SECRET, ["127.0.0.1"]).post(ONE)
        assert receiver.posts == []
        named.post(ONE)
        assert len(receiver.posts) == 1 and named.has(ONE) and receiver.complaints == []


def test_authorities_that_cannot_be_read_are_an_outage(tmp_path, monkeypatch):
    broken = tmp_path / "ca.pem"
    broken.write_text("no certificates")
    whole = ssl.create_default_context
    monkeypatch.setattr("ssl.create_default_context", lambda: whole(cafile=broken))
    with pytest.raises(SurfaceDown, match="authorities"):
        HttpCallback("https://bots.example.org/", SECRET, ["bots.example.org"]).post(ONE)


def test_a_host_that_takes_no_connection_is_an_outage():
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{closed.getsockname()[1]}/answers"
        with pytest.raises(SurfaceDown):
            HttpCallback(url, SECRET, ["127.0.0.1"], timeout_s=0.3).post(ONE)
