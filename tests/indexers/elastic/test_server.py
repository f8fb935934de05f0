"""What Elasticsearch may answer, and what becomes of it: an outage is worth waiting for, a refusal is not."""

import base64
import json
from collections.abc import Iterator
from typing import Any

import pytest
from http_scene.local_http import LocalHTTP, QuietHandler
from pydantic import SecretStr

from indexers.elastic.server.client import ElasticOptions, ServerDown
from indexers.elastic.server.server import ElasticServer
from vouch.errors import IndexDown


class Answering(LocalHTTP):
    """Answers everything with one status and body, and remembers the headers it was asked with."""

    status, body, product = 200, {}, "Elasticsearch"    # type: ignore[var-annotated]

    def __init__(self) -> None:
        super().__init__(_Handler)
        self.asked: list[dict[str, str]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Handler(QuietHandler):
    server: Answering

    def _answer(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.server.asked.append({name.lower(): value for name, value in self.headers.items()})
        self.send(self.server.status, json.dumps(self.server.body).encode(), X_Elastic_Product=self.server.product)

    do_GET = do_POST = do_PUT = do_HEAD = _answer       # noqa: N815


@pytest.fixture
def answering() -> Iterator[Answering]:
    with Answering() as server:
        yield server


@pytest.mark.parametrize(("status", "away", "cure"), [
    (429, True, "start it"), (503, True, "start it"), (401, False, "API_KEY"), (403, False, "rights"),
    (404, False, "vouch ingest"), (400, False, "its log"),
])
def test_failures_are_told_apart(answering: Answering, status: int, away: bool, cure: str) -> None:
    answering.status, answering.body = status, {"error": {"type": "some_exception"}, "status": status}
    with pytest.raises(IndexDown, match=str(status)) as failed:
        ElasticServer(ElasticOptions(answering.url)).search("index", {"query": {"match_all": {}}})
    assert isinstance(failed.value, ServerDown) == away and cure in failed.value.cure


@pytest.mark.parametrize("part", [{"timed_out": True, "_shards": {"failed": 0}},
                                  {"timed_out": False, "_shards": {"failed": 1}}])
def test_a_part_of_an_answer_is_a_failure(answering: Answering, part: dict[str, Any]) -> None:
    answering.body = part
    with pytest.raises(ServerDown, match="a part"):
        ElasticServer(ElasticOptions(answering.url)).search("index", {"query": {"match_all": {}}})


def test_another_product_is_refused(answering: Answering) -> None:
    answering.product = "OpenSearch"
    with pytest.raises(IndexDown, match="not an Elasticsearch server"):
        ElasticServer(ElasticOptions(answering.url)).version()


def test_a_key_goes_before_a_user_and_neither_is_shown(answering: Answering) -> None:
    answering.body = {"version": {"number": "9.9.9"}}
    hush = SecretStr("aHVzaDpodXNo")
    for options, wanted in (
        (ElasticOptions(answering.url, api_key=hush, user="ann", password=hush), f"ApiKey {hush.get_secret_value()}"),
        (ElasticOptions(answering.url, user="ann", password=SecretStr("pw")),
         "Basic " + base64.b64encode(b"ann:pw").decode()),
    ):
        assert ElasticServer(options).version() == "9.9.9"
        assert answering.asked[-1]["authorization"] == wanted
        assert "aHVz" not in repr(options) and "pw" not in repr(options)


def test_patience_ends(answering: Answering) -> None:
    answering.status = 503
    server = ElasticServer(ElasticOptions(answering.url, patience_seconds=0.5))
    tries: list[int] = []

    def ask() -> str:
        tries.append(1)
        return server.version()

    with pytest.raises(ServerDown):
        server.patiently(ask)
    assert 2 <= len(tries) <= 6
    answering.status = 401
    tries.clear()
    with pytest.raises(IndexDown):
        server.patiently(ask)                           # a refusal is not waited for
    assert len(tries) == 1


def test_a_missing_file_of_authorities_is_named(answering: Answering) -> None:
    with pytest.raises(IndexDown, match="is not a file"):
        ElasticServer(ElasticOptions("https://127.0.0.1:1", ca_file="/nowhere.pem")).version()
