"""The API over a real socket: what programs get, and that nobody gets what they may not read."""

import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from homes.memory import folder_in_memory
from http_scene.http_place import PAPERS, Paper, Place, http_place
from starlette.testclient import TestClient

from bots.http.app import build_fastapi
from bots.http.problems import MEDIA_TYPE
from indexers.search.view import LiveView
from vouch.answering.answer import Answer
from vouch.errors import LedgerDown

LEAVE, TOKENS = "How many days of paid leave has everybody?", "How often are the vault tokens rotated?"


@pytest.fixture(scope="module")
def place() -> Iterator[Place]:
    with folder_in_memory() as folder, http_place(folder) as made:
        yield made


def test_a_question_is_answered_with_its_citations(place: Place) -> None:
    told = place.visitor().post("/v1/ask", {"question": LEAVE})
    assert told.status == 200 and told.headers["content-type"] == "application/json"
    answer = Answer.model_validate(told.json)
    assert "thirty days" in answer.answer and answer.citations[0].path == "leave.md"
    again = place.visitor().get(f"/v1/answers/{answer.id}")
    assert again.json == told.json == place.visitor().get(f"/v1/answers/{answer.question_id}").json


def test_each_gets_what_they_may_read(place: Place) -> None:
    asked = {name: place.person(name).post("/v1/ask", {"question": TOKENS}).json for name in ("ana", "ben")}
    assert asked["ana"]["action"].startswith("answered") and "ninety" in asked["ana"]["answer"]
    assert asked["ben"]["action"] == "declined" and "ninety" not in str(asked["ben"])


def test_added_readers_make_the_answer_smaller(place: Place) -> None:
    together = place.person("ana").post("/v1/ask", {"question": TOKENS, "audience": ["user:ben"]})
    assert together.json["action"] == "declined" and "ninety" not in together.text
    assert place.person("ben").get(f"/v1/answers/{together.json['id']}").json == together.json
    assert place.person("olga").get(f"/v1/answers/{together.json['id']}").status == 404


def test_an_answer_made_for_others_is_told_as_one_that_does_not_exist(place: Place) -> None:
    mine = place.person("ana").post("/v1/ask", {"question": TOKENS}).json
    for reader in (place.person("ben"), place.visitor()):
        for named in (mine["id"], mine["question_id"]):
            hidden, unknown = reader.get(f"/v1/answers/{named}"), reader.get(f"/v1/answers/{'0' * len(named)}")
            assert hidden.status == unknown.status == 404
            assert hidden.json | {"request_id": ""} == unknown.json | {"request_id": ""}
        voted = reader.post("/v1/feedback", {"answer_id": mine["id"], "vote": "up"})
        assert voted.status == 404


def test_what_takes_longer_is_at_an_address() -> None:
    with folder_in_memory() as folder, http_place(folder, works=False) as place:
        ana = place.person("ana")
        told = ana.post("/v1/ask", {"question": LEAVE, "wait": 0})
        assert told.status == 202 and told.headers["location"] == told.json["answer_at"]
        assert ana.get(told.json["answer_at"]).status == 202
        assert place.person("ben").get(told.json["answer_at"]).status == 404      # it is not theirs, there or not


def test_a_revocation_hides_an_answer_that_was_given() -> None:
    with folder_in_memory() as folder, http_place(folder) as place:
        ana = place.person("ana")
        given = ana.post("/v1/ask", {"question": TOKENS}).json
        place.home.put_rules("docs", [("**", ["public"]), ("eng/**", [])])
        told = ana.get(f"/v1/answers/{given['id']}")
        assert told.status == 403 and "ninety" not in told.text and "ask again" in told.json["cure"]
        chunk = given["citations"][0]["chunk_id"]
        assert ana.get(f"/v1/chunks/{chunk}").status == 403
        assert ana.get("/v1/documents/docs/eng/tokens.md").status == 403
        assert ana.post("/v1/search", {"query": "vault tokens"}).json["results"] == [
            one for one in ana.post("/v1/search", {"query": "vault tokens"}).json["results"]
            if one["path"] != "eng/tokens.md"]


def test_the_same_key_is_the_same_question(place: Place) -> None:
    ana, body = place.person("ana"), {"question": TOKENS}
    first, second = (ana.post("/v1/ask", body, Idempotency_Key="k1").json for _ in range(2))
    assert first == second
    assert ana.post("/v1/ask", body, Idempotency_Key="k2").json["id"] != first["id"]
    assert ana.post("/v1/ask", {"question": LEAVE}, Idempotency_Key="k1").json["id"] != first["id"]
    assert place.person("ben").post("/v1/ask", body, Idempotency_Key="k1").json["id"] != first["id"]


def test_search_and_documents_are_those_of_the_reader(place: Place) -> None:
    found = place.person("ana").post("/v1/search", {"query": "vault tokens"}).json["results"]
    assert found[0]["path"] == "eng/tokens.md"
    shown = place.person("ana").get(f"/v1/chunks/{found[0]['chunk_id']}").json
    assert "ninety days" in shown["passages"][0]["text"]
    document = place.person("ana").get("/v1/documents/docs/eng/tokens.md").json
    start, end = document["passages"][0]["characters"]
    assert PAPERS["eng/tokens.md"][start:end] == document["passages"][0]["text"]
    for reader in (place.person("ben"), place.visitor()):
        told = [reader.get(f"/v1/{one}") for one in (
            f"chunks/{found[0]['chunk_id']}", f"chunks/{'0' * 32}", "documents/docs/eng/tokens.md",
            "documents/docs/eng/nothing.md", "documents/nothing/eng/tokens.md")]
        assert {one.status for one in told} == {403}
        assert told[0].json["detail"] == told[1].json["detail"]
        assert len({one.json["detail"] for one in told[2:]}) == 1


def test_documents_are_listed_in_pages_as_far_as_their_reader_may_read_them(place: Place) -> None:
    readable = {"ana": ["eng/tokens.md", "leave.md"], "ben": ["leave.md", "people/salaries.md"], "": ["leave.md"]}
    for name, paths in readable.items():
        reader = place.person(name) if name else place.visitor()
        whole = reader.get("/v1/documents").json
        assert [one["path"] for one in whole["documents"]] == paths and whole["next"] is None
        assert whole["documents"][-1]["title"] and whole["index_version"] == (1 if name else 0)
        found, path = [], "/v1/documents?limit=1"
        while path:
            page = reader.get(path).json
            found += page["documents"]
            path = page["next"]
            assert len(found) <= len(paths)
        assert found == whole["documents"]
    assert place.visitor().get("/v1/documents?limit=0").status == 422
    assert place.visitor().get("/v1/documents?after=zzz/a.md").json["documents"] == []


@pytest.mark.parametrize(("asked", "told"), [
    ("documents?after=nope", "query.after is not SOURCE/PATH"), ("documents?after=docs/", "query.after is not"),
    ("documents?after=/leave.md", "query.after is not"), ("documents?first=2", "query.first is not known here"),
    ("documents/docs/leave.md?after=docs/leave.md", "query.after is not known here"),
    ("questions?after=1", "query.after is not known here")])
def test_what_would_lead_to_the_first_page_again_and_again_is_refused(place: Place, asked: str, told: str) -> None:
    refused = place.person("ana").get(f"/v1/{asked}")
    assert refused.status == 422 and told in refused.json["detail"]


def test_strangers_have_no_vote_that_each_could_take_from_the_other(place: Place) -> None:
    asked = place.visitor().post("/v1/ask", {"question": LEAVE})
    voted = place.visitor().post("/v1/feedback", {"answer_id": asked.json["id"], "vote": "down"})
    assert asked.status == 200 and voted.status == 403 and "sign in" in voted.text


def test_a_vote_is_counted_once(place: Place) -> None:
    ana = place.person("ana")
    answer = ana.post("/v1/ask", {"question": LEAVE}).json
    said = {"answer_id": answer["id"], "reason": "so"}
    for wrong in ({"vote": "up", "category": "wrong"}, {"vote": "down", "category": "rude"}):
        assert ana.post("/v1/feedback", said | wrong).status in (400, 422)
    for vote in ({"vote": "up"}, {"vote": "down", "category": "wrong"}):
        assert ana.post("/v1/feedback", said | vote).status == 202
    feedback = place.home.bench.ledger.feedback
    for _ in range(200):
        if [one.vote for one in feedback.list(answer["id"])] == ["down"]:
            break
        place.stop.wait(0.02)
    [vote] = feedback.list(answer["id"])
    assert (vote.person, vote.vote, vote.category) == ("user:ana", "down", "wrong")


def paged(client: Any, path: str, name: str) -> list[Any]:
    """The whole list, page by page as each names the next."""
    found: list[Any] = []
    while path:
        page = client.get(path).json
        found += page[name]
        assert len(page[name]) <= 2
        path = page["next"]
    return found


def test_a_page_of_a_document_reads_no_more_of_it_than_it_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    papers = {"long.md": "".join(f"# Part {n}\n\nThe words of part {n} are many.\n\n" for n in range(9))}
    with folder_in_memory() as folder, http_place(folder, papers) as place:
        read, passages = list[int](), LiveView.passages
        monkeypatch.setattr(LiveView, "passages", lambda view, ids: read.append(len(ids)) or passages(view, ids))
        page = place.visitor().get("/v1/documents/docs/long.md?first=4&limit=2").json
        assert [one["section"] for one in page["passages"]] == [["Part 4"], ["Part 5"]] and page["next"]
        beyond = place.visitor().get("/v1/documents/docs/long.md?first=40").json
        assert beyond["passages"] == [] and beyond["next"] is None and beyond["title"] == page["title"]
        assert max(read) <= 3                   # one more, for what is said of the whole document


def test_lists_come_in_pages_that_lead_to_the_next() -> None:
    papers = {"long.md": "".join(f"# Part {n}\n\nThe words of part {n} are many.\n\n" for n in range(5))}
    with folder_in_memory() as folder, http_place(folder, papers) as place:
        ana, olga = place.person("ana"), place.person("olga")
        whole = ana.get("/v1/documents/docs/long.md").json
        assert whole["next"] is None and len(whole["passages"]) == 5
        assert paged(ana, "/v1/documents/docs/long.md?limit=2", "passages") == whole["passages"]
        for number in range(3):
            place.home.put("docs", "more.md", Paper(f"# More {number}\n\nMore words, {number} of them.\n"))
            assert place.home.ingest(["docs"])
            ana.post("/v1/ask", {"question": f"How many words are in part {number}?"})
        versions = olga.get("/v1/versions").json["versions"]
        assert len(versions) >= 4 and paged(olga, "/v1/versions?limit=2", "versions") == versions
        own = paged(ana, "/v1/questions?limit=2", "questions")
        assert own == ana.get("/v1/questions").json["questions"] and len(own) == 3
        assert place.person("ben").get("/v1/questions").json == place.visitor().get("/v1/questions").json == {
            "questions": [], "next": None}
        for wrong in ("limit=0", "limit=501", "first=-1", "first=x"):
            assert olga.get(f"/v1/versions?{wrong}").status == 422


def test_versions_are_for_operators(place: Place) -> None:
    assert place.person("olga").get("/v1/versions").json["versions"][0]["current"]
    assert place.person("ana").get("/v1/versions").status == 403
    assert place.visitor().get("/v1/versions").status == 403


@pytest.mark.parametrize(("method", "path", "body", "status"), [
    ("POST", "/v1/ask", b"{", 400),
    ("POST", "/v1/ask", b"{}", 422),
    ("POST", "/v1/ask", b'{"question": ""}', 422),
    ("POST", "/v1/ask", b'{"question": "a", "audience": ["everybody"]}', 422),
    ("POST", "/v1/ask", b'{"question": "\\ud800"}', 422),
    ("POST", "/v1/ask", b'{"question": "a", "as": "user:ana"}', 422),
    ("POST", "/v1/search", b'{"query": "a", "top": 0}', 422),
    ("GET", "/v1/chunks/zzzzzz", None, 422),
    ("GET", "/v1/nothing", None, 404),
    ("DELETE", "/v1/ask", None, 405),
    ("GET", "/v1/answers/%00", None, 422),
])
def test_errors_are_problem_details(place: Place, method: str, path: str, body: bytes | None, status: int) -> None:
    told = place.visitor().send(method, path, body, Content_Type="application/json")
    assert (told.status, told.headers["content-type"]) == (status, MEDIA_TYPE)
    assert told.json["status"] == status and told.json["detail"]
    assert told.json["request_id"] == told.headers["x-request-id"]


@pytest.mark.parametrize(("path", "cure"), [
    ("/v1/ask", 'send POST /v1/ask with a JSON body {"question": "…"}'),
    ("/v1/search", 'send POST /v1/search with a JSON body {"query": "…"}'),
    ("/v1/feedback", 'send POST /v1/feedback with a JSON body {"answer_id": "…", "vote": "up"}'),
])
def test_a_wrong_method_is_told_with_the_request_to_send(place: Place, path: str, cure: str) -> None:
    told = place.visitor().get(path)
    assert (told.status, told.headers["allow"], told.headers["content-type"]) == (405, "POST", MEDIA_TYPE)
    assert (told.json["detail"], told.json["cure"]) == (f"{path} is not for GET", cure)
    other = place.visitor().send("DELETE", "/healthz", None)
    assert other.headers["allow"] == "GET" and other.json["cure"] == "send GET /healthz"


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_who_watches_may_ask_for_the_status_alone(place: Place, path: str) -> None:
    told = place.visitor().send("HEAD", path, None)
    assert (told.status, told.body) == (200, b"")


def test_a_program_is_told_how_to_ask_aright(place: Place) -> None:
    assert place.visitor().post("/v1/ask", {"qestion": "a"}).json["cure"] == "/v1/openapi.json describes each request"
    empty = place.visitor().post("/v1/ask", {"question": " "})
    assert empty.status == 422 and empty.json["detail"] == "body.question is empty"
    reader = place.person("ana").post("/v1/ask", {"question": "a", "audience": ["ben"]})
    assert reader.status == 422 and "'ben' is not an access tag" in reader.json["detail"]
    assert reader.json["cure"] == "write public, user:NAME or group:NAME"


@pytest.mark.parametrize("path", ["/v1/ask", "/v1/search", "/v1/feedback", "/v1/sources/docs/changed"])
@pytest.mark.parametrize("kind", ["application/x-www-form-urlencoded", "text/plain", "multipart/form-data", ""])
def test_a_body_that_is_not_sent_as_json_is_told_the_header_that_it_needs(place: Place, path: str, kind: str) -> None:
    told = place.person("ana").send("POST", path, b'{"question": "a"}', **({"Content_Type": kind} if kind else {}))
    assert (told.status, told.json["title"], told.json["cure"]) == (
        415, "Another content type is needed", "send the header Content-Type: application/json")
    for sent in ("application/json; charset=utf-8", "Application/JSON", "application/problem+json"):
        assert place.person("ana").send("POST", path, b"[]", Content_Type=sent).status == 422


def test_titles_and_details_are_those_of_what_was_refused(place: Place) -> None:
    ana = place.person("ana")
    refused = [ana.post("/v1/sources/docs/changed", {}), ana.get("/v1/versions"), ana.get("/metrics")]
    assert {(one.status, one.json["title"]) for one in refused} == {(403, "Not allowed")}
    nothing, off = place.visitor().get("/v1/none"), place.visitor().post("/mcp", {})
    assert (nothing.status, nothing.json["detail"]) == (404, "there is nothing at this address")
    assert (off.status, off.json["detail"]) == (404, "assistants may not ask here")
    assert "VOUCH_HTTP__MCP=true" in off.json["cure"]


def test_what_fails_inside_tells_nothing_of_it(caplog: pytest.LogCaptureFixture) -> None:
    class Broken:
        def look(self, named: str, reader: str, acts_for: object) -> Any:
            if named == "down":
                raise LedgerDown("the ledger of hidden.md is away", cure="/secret/place")
            raise RuntimeError("hidden.md")

    with folder_in_memory() as folder, http_place(
        folder, works=False, changed=lambda service: replace(service, questions=Broken())  # type: ignore[arg-type]
    ) as place:
        for named, status in (("down", 503), ("broken", 500)):
            told = place.visitor().get(f"/v1/answers/{named}")
            assert told.status == status and told.headers["content-type"] == MEDIA_TYPE
            assert "hidden" not in told.text and "secret" not in told.text and "Runtime" not in told.text
            assert told.json["request_id"] in caplog.text


def test_it_is_ready_once_the_models_are_loaded() -> None:
    with folder_in_memory() as folder, http_place(folder, works=False) as place:
        assert place.visitor().get("/readyz").json == {"well": True, "wrong": []}
        place.service.standing.loaded.clear()  # type: ignore[attr-defined]
        told = place.visitor().get("/readyz")
        assert told.status == 503 and told.json["wrong"] == ["the models are being loaded"]
        assert place.visitor().get("/healthz").status == 200


@pytest.mark.parametrize("assistants", [False, True])
def test_its_lifespan_begins_to_load_and_does_not_wait(assistants: bool) -> None:
    begun, may_end, loads = threading.Event(), threading.Event(), []

    def load() -> None:
        loads.append(threading.current_thread().name)
        begun.set()
        may_end.wait(60)
        place.service.standing.loaded.set()  # type: ignore[attr-defined]

    with folder_in_memory() as folder, http_place(folder, works=False) as place:
        place.service.standing.loaded.clear()  # type: ignore[attr-defined]
        with TestClient(build_fastapi(replace(place.service, load=load, assistants=assistants))) as client:
            assert begun.wait(60) and client.get("/readyz").status_code == 503
            may_end.set()
            until = time.monotonic() + 60
            while client.get("/readyz").status_code != 200 and time.monotonic() < until:
                time.sleep(0.01)
            assert client.get("/readyz").status_code == 200 and loads == ["load"]


def test_the_application_holds_the_service_and_asks_that_one_how_it_is() -> None:
    with folder_in_memory() as folder, http_place(folder, works=False) as place:
        app = build_fastapi(place.service)
        assert app.state.service is place.service
        told: Any = SimpleNamespace(sick=lambda: ["a loop"], unready=lambda: ["a model"])
        app.state.service = replace(place.service, standing=told)
        client = TestClient(app)
        assert client.get("/healthz").json()["wrong"] == ["a loop"]
        assert client.get("/readyz").json()["wrong"] == ["a model"]


@pytest.mark.slow
def test_an_edited_document_takes_its_old_answers_away() -> None:
    with folder_in_memory() as folder, http_place(folder) as place:
        given = place.visitor().post("/v1/ask", {"question": LEAVE}).json
        place.home.put("docs", "leave.md", Paper("# Leave\n\nEverybody has ten days of paid leave in a year.\n"))
        assert place.home.ingest(["docs"])
        assert place.visitor().get(f"/v1/answers/{given['id']}").status == 403
        assert "ten days" in place.visitor().post("/v1/ask", {"question": LEAVE}).json["answer"]
