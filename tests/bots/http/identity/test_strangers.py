"""What nobody known is told: no number that counts what they may not read, and no turn that is somebody else's."""

import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from homes.memory import folder_in_memory
from http_scene.http_client import Client
from http_scene.http_place import Place, http_place

from bots.http.app import Service
from bots.http.load import Pace

LEAVE = {"question": "How many days of paid leave has everybody?"}


@pytest.fixture(scope="module")
def place() -> Iterator[Place]:
    with folder_in_memory() as folder, http_place(folder) as made:
        yield made


def numbers(place: Place, client: Client) -> set[int]:
    """Those of index and permissions in everything that the API shows of one answer and its documents."""
    answer = client.post("/v1/ask", LEAVE).json
    found = client.post("/v1/search", {"query": "paid leave"}).json
    shown: list[Any] = [
        answer, client.get(f"/v1/answers/{answer['id']}").json, found,
        client.get(f"/v1/chunks/{found['results'][0]['chunk_id']}").json,
        client.get("/v1/documents/docs/leave.md").json,
    ]  # fmt: skip
    return {one[name] for one in shown for name in ("index_version", "access_epoch") if name in one}


def test_strangers_are_told_no_number_of_index_or_permissions(place: Place) -> None:
    assert numbers(place, place.visitor()) == {0}
    assert numbers(place, place.person("somebody-else")) == {0}         # whom the directory does not know
    assert 0 not in numbers(place, place.person("ana"))


def test_strangers_do_not_learn_who_works_here_from_owners(tmp_path: Path) -> None:
    """A visitor, whom the directory does not know, and an assistant for nobody; who is known may narrow by owners."""
    def mcp(client: Client, tool: str, name: str, filters: Any) -> Any:
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                "params": {"name": tool, "arguments": {name: LEAVE["question"], "filters": filters}}}
        return client.post("/mcp", call, Accept="application/json, text/event-stream").json["result"]

    with http_place(tmp_path, changed=lambda service: replace(service, assistants=True)) as place:
        owners = [{"match": "leave.md", "owners": ["user:ben"]}]
        rules = [{"match": "**", "allow": ["public"]}]
        place.home.rules_file("docs").write_text(json.dumps({"owners": owners, "rules": rules}))
        for owner in ("user:ben", "user:zed"):
            filters = {"owners": [owner]}
            for client in (place.visitor(), place.person("somebody-else")):
                told = [client.post("/v1/search", {"query": "leave", "filters": filters}),
                        client.post("/v1/ask", {**LEAVE, "filters": filters})]
                assert [one.status for one in told] == [403, 403] and "owners" in told[0].json["detail"]
                told = [mcp(client, "search", "query", filters), mcp(client, "ask", "question", filters)]
                assert all(one["isError"] and "owners" in one["content"][0]["text"] for one in told)
            found = place.person("ana").post("/v1/search", {"query": "leave", "filters": filters}).json["results"]
            assert bool(found) == (owner == "user:ben")
            assert place.person("ana").post("/v1/ask", {**LEAVE, "filters": filters}).status == 200


def test_an_answered_question_is_not_put_on_the_log_again_by_its_key(place: Place) -> None:
    ana, named = place.person("ana"), {"Idempotency_Key": "again"}
    first = ana.post("/v1/ask", LEAVE, **named)
    on_log = len(list(place.log.read("questions")))
    assert [ana.post("/v1/ask", LEAVE, **named).json["id"] for _ in range(3)] == [first.json["id"]] * 3
    assert len(list(place.log.read("questions"))) == on_log


def test_two_keys_are_refused_and_none_of_them_is_taken(place: Place) -> None:
    address, body = urlsplit(place.address), json.dumps({**LEAVE, "wait": 0}).encode()
    for other, status in (("a", 202), ("b", 422)):
        with closing(HTTPConnection(address.hostname or "", address.port, timeout=30)) as connection:
            connection.putrequest("POST", "/v1/ask")
            for name, value in (("Content-Type", "application/json"), ("Content-Length", str(len(body))),
                                ("Idempotency-Key", "a"), ("Idempotency-Key", other)):
                connection.putheader(name, value)
            connection.endheaders(body)
            assert connection.getresponse().status == status


def test_no_name_of_an_answer_or_field_of_a_form_holds_what_the_ledger_cannot(place: Place) -> None:
    ana = place.person("ana")
    for path in ("", "/events", "/trace", "/citations/1"):
        told = ana.get(f"/answers/%00{path}")
        assert told.status == 422 and "ledger" not in told.text
    vote, ask = {"answer": "a\x00", "vote": "up"}, {"question": "Who?", "follows": "a\x00"}
    for path, fields in (("/vote", vote), ("/ask", ask)):
        assert ana.form(path, {"mark": ana.get("/").mark, **fields}).status == 404


def test_pages_for_strangers_leave_them_out(place: Place) -> None:
    for client, told in ((place.visitor(), False), (place.person("ana"), True)):
        answer = client.post("/v1/ask", LEAVE).json
        pages = [client.get(f"/answers/{answer['id']}{more}") for more in ("", "/trace")]
        assert [page.status for page in pages] == [200, 200]
        assert "uoted from the documents, " in pages[0].text and "extractive" not in pages[0].text + pages[1].text
        assert all(("Index version" in page.text) is told for page in pages)


def test_strangers_of_two_addresses_share_no_idempotency_key(place: Place) -> None:
    ask, body = place.service.questions.ask, LEAVE["question"]
    one, again, other = (ask(body, ["public"], "k1", stranger=f"192.0.2.{number}") for number in (1, 1, 2))
    assert one == again != other
    assert ask(body, ["user:ana"], "k1") not in (one, other)


def test_questions_that_wait_on_the_log_count_too() -> None:
    def limited(service: Service) -> Service:
        questions: Any = service.questions
        return replace(service, questions=replace(questions, per_minute=3, turns=Pace(3, "question")))

    with folder_in_memory() as folder, http_place(folder, changed=limited, works=False) as place:
        ana = place.person("ana")
        asked = [ana.post("/v1/ask", {**LEAVE, "wait": 0}).status for _ in range(5)]
        assert asked == [202, 202, 202, 429, 429]
        assert place.person("ben").post("/v1/ask", {**LEAVE, "wait": 0}).status == 202


@pytest.mark.parametrize(("method", "path", "headers", "status"), [
    ("GET", "/v1/me", {"Host": "evil.example"}, 421), ("GET", "/v1/me", {"X_Long": "a" * 17_000}, 431),
    ("GET", "/v1/nothing", {}, 404), ("GET", "/v1/ask", {}, 405),
    ("POST", "/v1/ask", {"Origin": "http://evil.example"}, 403),
])  # fmt: skip
def test_every_refusal_of_the_protocol_says_what_to_do(
    place: Place, method: str, path: str, headers: dict[str, str], status: int
) -> None:
    client = place.visitor()
    told = client.get(path, **headers) if method == "GET" else client.post(path, LEAVE, **headers)
    assert told.status == status and told.json["cure"]


def test_a_body_that_is_too_large_is_told_with_a_cure(place: Place) -> None:
    told = place.visitor().post("/v1/ask", {"question": "a" * 70_000})
    assert told.status == 413 and "VOUCH_HTTP__BODY_BYTES" in told.json["cure"]
