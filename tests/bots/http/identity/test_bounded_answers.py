"""A provider that answers without end, or drop by drop, holds nobody up: each answer is bounded in size and in time."""

import gzip
import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from http_scene.dripping import Dripping
from http_scene.oidc_provider import CLIENT, KEY, SECRET, OidcProvider
from joserfc.jwk import KeySet

from bots.http.identity import exchange
from bots.http.identity.addresses import is_safe
from bots.http.identity.jwks import open_jwks
from bots.http.identity.oidc.provider import Provider, ProviderKeys
from vouch.errors import Unavailable

CALLBACK = "http://127.0.0.1:1/sign-in/callback"
WHOLE_S = 0.4
GOOD = json.dumps({                                                                 # right for each of them
    **KeySet([KEY]).as_dict(private=False), "access_token": "a", "token_type": "Bearer", "sub": "1",
}).encode()
LONG = b" " * exchange.LARGEST + GOOD
PARTS = (b" " * 900_000, b" " * 900_000, GOOD, b"")
CHUNKED = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in PARTS)


def head(more: bytes = b"Connection: close\r\n") -> bytes:
    return b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n" + more + b"\r\n"


def length(count: int) -> bytes:
    return b"Content-Length: %d\r\n" % count


LARGE = {
    "endless": [head(), LONG],
    "as long as it says": [head(length(len(LONG))), LONG],
    "in chunks": [head(b"Transfer-Encoding: chunked\r\n"), CHUNKED],
    "larger than it looks": [head(b"Content-Encoding: gzip\r\n"), gzip.compress(LONG)],
}
SLOW = {
    "status": [bytes([one]) for one in head() + GOOD],
    "headers": [b"HTTP/1.1 200 OK\r\n", *(b"X-%d: a\r\n" % number for number in range(80)), b"\r\n", GOOD],
    "body": [head(), *([b" "] * 80), GOOD],
    "body of a known length": [head(length(80 + len(GOOD))), *([b" "] * 80), GOOD],
    "chunks": [head(b"Transfer-Encoding: chunked\r\n"), *([b"1\r\n \r\n"] * 80),
               b"%x\r\n%s\r\n0\r\n\r\n" % (len(GOOD), GOOD)],
    "body of an older protocol": [b"HTTP/1.0 200 OK\r\n\r\n", *([b" "] * 80), GOOD],
}


@contextmanager
def provider_with(name: str, address: str) -> Iterator[Provider]:
    """One whose `name` is elsewhere."""
    with OidcProvider(callback=CALLBACK, metadata={name: address}) as told:
        yield Provider(told.issuer, CLIENT, SECRET, CALLBACK)


def keys(address: str) -> object:
    return open_jwks(f"{address}/jwks").keys()


def keys_of_provider(address: str) -> object:
    with provider_with("jwks_uri", address) as provider:
        return ProviderKeys(provider).keys()


def metadata(address: str) -> object:
    return Provider(address, CLIENT, SECRET, CALLBACK).metadata()


def userinfo(address: str) -> object:
    with provider_with("userinfo_endpoint", address) as provider:
        return provider.person("access-1")


def token(address: str) -> object:
    with provider_with("token_endpoint", address) as provider:
        return provider.redeem("code", "v" * 43)


READERS = [keys, keys_of_provider, userinfo, token]
Reader = Callable[[str], object]


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exchange, "WHOLE_S", WHOLE_S)


@pytest.mark.parametrize("read", READERS)
def test_what_is_small_and_comes_in_time_is_read(read: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exchange, "WHOLE_S", 15.0)
    for parts in ([head(), GOOD], [head(length(len(GOOD))), GOOD]):
        with Dripping(parts) as server:
            assert read(server.address) and server.begun == 1


@pytest.mark.parametrize("read", [*READERS, metadata])
@pytest.mark.parametrize("kind", LARGE)
def test_what_is_too_large_is_not_read(read: Reader, kind: str) -> None:
    with Dripping(LARGE[kind]) as server, pytest.raises(Unavailable):
        read(server.address)
    assert server.begun == 1


@pytest.mark.slow
@pytest.mark.parametrize("read", [*READERS, metadata])
@pytest.mark.parametrize("kind", SLOW)
def test_what_comes_too_slowly_is_given_up(read: Reader, kind: str) -> None:
    with Dripping(SLOW[kind], 0.05) as server, pytest.raises(Unavailable):
        began = time.monotonic()
        try:
            read(server.address)
        finally:
            took = time.monotonic() - began
    assert server.begun == 1 and took < 4.0                 # as long as it takes to the end


@pytest.mark.parametrize("read", [*READERS, metadata])
def test_a_nest_that_is_too_deep_to_be_read_is_no_answer(read: Reader) -> None:
    with Dripping([head(), b"[" * 200_000]) as server, pytest.raises(Unavailable):
        read(server.address)


@pytest.mark.parametrize(("address", "safe"), [
    ("https://login.acme.test/keys?a=b", True), ("http://127.0.0.1:1/", True), ("http://[::1]:1/", True),
    ("http://localhost/", True), ("http://127.0.0.2/", True), ("http://localhost.evil.example/", False),
    ("http://login.acme.test/", False), ("https://ana:word@acme.test/", False), ("https://ana@acme.test/", False),
    ("https://acme.test:x/", False), ("https://", False), ("https://[", False), ("ftp://acme.test/", False),
    ("http://127.0.0.1@evil.example/", False), ("/sign-in", False), ("", False),
])
def test_who_somebody_is_is_asked_by_https_or_on_this_machine(address: str, safe: bool) -> None:
    assert is_safe(address) is safe
