"""Pages by https: the certificate is checked against the name, though the connection goes to a checked address."""

import ssl
import subprocess
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from web_scene.loopback_web import LoopbackWeb, WebHandler

from vouch.adapters.web.guard.fetcher import Fetcher, FetchLimits
from vouch.adapters.web.guard.policy import HostRules
from vouch.errors import FetchRefused, WebDown


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("tls")
    key, cert = folder / "key.pem", folder / "cert.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", cert, "-days", "2",
         "-subj", "/CN=www.site.org", "-addext", "subjectAltName=DNS:www.site.org"],
        check=True, capture_output=True,
    )  # fmt: skip
    return key, cert


@pytest.fixture
def web(certificate: tuple[Path, Path]) -> Iterator[LoopbackWeb]:
    key, cert = certificate
    server = LoopbackWeb()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert, key)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    with server:
        yield server


def drips(handler: WebHandler) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nX: ")
    while not handler.server.leave.wait(0.05):
        handler.wfile.write(b"x")


def fetch(web: LoopbackWeb, host: str, path: str) -> bytes:
    rules = HostRules(ports=frozenset({web.port}), test_loopback=("127.0.0.1", web.port))
    fetcher = Fetcher(rules, FetchLimits(seconds=2), lambda: datetime.now(UTC), lambda host, port: ["127.0.0.1"])
    return fetcher.fetch(f"https://{host}:{web.port}{path}", time.monotonic() + 2).data


def test_the_name_is_what_the_certificate_must_hold(
    web: LoopbackWeb, certificate: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate[1]))
    web.page("/a", "words", kind="text/plain")
    assert fetch(web, "www.site.org", "/a") == b"words"
    with pytest.raises(WebDown, match="SSLCertVerificationError"):
        fetch(web, "other.org", "/a")


def test_an_unknown_authority_is_not_trusted(web: LoopbackWeb) -> None:
    with pytest.raises(WebDown, match="SSLCertVerificationError"):
        fetch(web, "www.site.org", "/a")


@pytest.mark.slow
def test_nothing_leads_from_https_to_http_and_drips_are_bounded(
    web: LoopbackWeb, certificate: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate[1]))
    web.moved("/down", f"http://www.site.org:{web.port}/a")
    with pytest.raises(FetchRefused, match="from https to http"):
        fetch(web, "www.site.org", "/down")
    web.page("/slow", "")
    web.pages["/slow"].play = drips
    began = time.monotonic()
    with pytest.raises(WebDown, match="in time"):
        fetch(web, "www.site.org", "/slow")
    assert time.monotonic() - began < 4
