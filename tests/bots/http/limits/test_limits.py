"""What is refused before anything looks at it: foreign names, large and slow requests."""

import socket
import time
from collections.abc import Iterator

import pytest
from homes.memory import folder_in_memory
from http_scene.http_place import Place, http_place


@pytest.fixture(scope="module")
def place() -> Iterator[Place]:
    with folder_in_memory() as folder, http_place(
        folder, works=False, limits={"body_bytes": 2000, "body_seconds": 0.3}
    ) as made:
        yield made


def test_only_its_own_names_are_answered_to(place: Place) -> None:
    port = place.address.rpartition(":")[2]
    for host, status in ((f"localhost:{port}", 200), ("127.0.0.1", 200), ("evil.example", 421), ("127.0.0.1.evil", 421),
                         (f"evil.example:{port}", 421), ("", 421)):
        assert place.visitor().get("/v1/me", Host=host).status == status, host


def test_a_whole_address_is_taken_as_its_path_and_its_host_counts(place: Place) -> None:
    visitor = place.visitor()
    assert visitor.get(f"{place.address}/v1/me?a=b").json == visitor.get("/v1/me").json
    assert visitor.get(f"{place.address}/v1/me", Host="evil.example").status == 200
    assert visitor.get("http://evil.example/v1/me").status == visitor.get("HTTP:///v1/me").status == 421
    assert visitor.get("ftp://127.0.0.1/v1/me").status == 404


def test_large_bodies_and_headers_are_refused(place: Place) -> None:
    assert place.visitor().post("/v1/ask", {"question": "a" * 3000}).status == 413
    assert place.visitor().get("/v1/me", X_Long="a" * 17_000).status == 431


def test_who_does_not_finish_is_cut_off(place: Place) -> None:
    host, port = place.address.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), 10) as slow:
        slow.sendall(b"POST /v1/ask HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 50\r\n\r\n{")
        began = time.monotonic()
        assert slow.recv(100).startswith(b"HTTP/1.1 408")
        assert time.monotonic() - began < 5


def test_every_request_has_a_number_of_its_own(place: Place) -> None:
    numbers = {place.visitor().get("/v1/me").headers["x-request-id"] for _ in range(3)}
    assert len(numbers) == 3


def test_no_server_and_no_library_is_named(place: Place) -> None:
    headers = place.visitor().get("/").headers
    assert "server" not in headers and "x-powered-by" not in headers
    assert place.visitor().get("/docs").status == 404
