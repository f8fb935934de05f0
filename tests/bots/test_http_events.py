"""Server-sent events: stages, then sentences whose passages this reader may read, then the answer."""

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from http_place import Place, http_place
from memory import folder_in_memory
from small_world import NOW, small_world

from bots.http.app import Service
from bots.http.backend import Event
from services.answering.progress import ProgressBoard
from vouch.correction.loop import answer_question
from vouch.messages import HTTP, QuestionAsked

TOKENS = "How often are the vault tokens rotated?"


@pytest.fixture(scope="module")
def place() -> Iterator[Place]:
    with folder_in_memory() as folder, http_place(folder) as made:
        yield made


def frames(body: bytes) -> list[tuple[str, Any]]:
    """(event, data) of each."""
    found = []
    for block in body.decode().split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith(":"))
        if fields:
            found.append((fields["event"], json.loads(fields["data"])))
    return found


def test_stages_come_first_and_the_answer_last(place: Place) -> None:
    ana = place.person("ana")
    at = ana.post("/v1/ask", {"question": TOKENS, "wait": 0}).json["answer_at"]
    told = ana.get(f"{at}/events")
    assert told.status == 200 and told.headers["content-type"].startswith("text/event-stream")
    seen = frames(told.body)
    assert seen[-1][0] == "answer" and seen[-1][1] == ana.get(at).json
    assert {kind for kind, _ in seen[:-1]} <= {"stage", "sentence"}


def test_the_loop_tells_the_board_of_stages_and_of_sentences_with_their_passages() -> None:
    board: ProgressBoard[Event] = ProgressBoard(Event, HTTP)  # type: ignore[arg-type]
    asked = QuestionAsked.model_validate({
        "id": "q1", "text": "How many weeks of paid leave do parents get?", "surface": HTTP, "asker": "public",
        "audience": {"tags": ["public"]}, "asked_at": NOW})
    world = small_world()
    outcome = answer_question(world.ask(asked.text), world.components, board.listener(asked))
    events = board.after("q1", 0)
    stages = [event.data["stage"] for event in events if event.kind == "stage"]
    assert stages[0] == "retrieve" and stages[-2:] == ["write", "verify"]
    sentences = [event for event in events if event.kind == "sentence"]
    assert [event.data["text"] for event in sentences] == [one.text for one in outcome.answer.sentences]
    assert all(set(event.chunks) <= set(outcome.given) and event.chunks for event in sentences)
    assert [event.number for event in events] == list(range(1, len(events) + 1))
    assert board.after("q1", len(events) - 1) == [events[-1]] and board.after("q2", 0) == []
    board.clear()
    assert board.after("q1", 0) == []
    assert board.listener(asked.model_copy(update={"surface": "terminal"})) is None


def test_nobody_else_is_told_anything(place: Place) -> None:
    at = place.person("ana").post("/v1/ask", {"question": TOKENS}).json["question_id"]
    for reader in (place.person("ben"), place.visitor()):
        told = reader.get(f"/v1/answers/{at}/events")
        assert told.status == 404 and "ninety" not in told.text
    assert place.visitor().get("/v1/answers/nothing/events").status == 404


@dataclass
class Slow:
    """Says that a question is being answered, and what was found, until it is told to stop."""

    chunks: tuple[str, ...]
    asked: threading.Event = field(default_factory=threading.Event)

    def after(self, question_id: str, number: int) -> list[Event]:
        said = [Event(1, "stage", {"stage": "write"}),
                Event(2, "sentence", {"text": "It is rotated every ninety days."}, self.chunks)]
        self.asked.set()
        return said[number:]


@pytest.mark.parametrize("revoked", [False, True])
def test_a_sentence_comes_only_while_its_passages_may_be_read(revoked: bool) -> None:
    slow = Slow(())

    def slowed(service: Service) -> Service:
        return replace(service, progress=slow)

    with folder_in_memory() as folder, http_place(folder, works=False, changed=slowed) as place:
        ana = place.person("ana")
        found = ana.post("/v1/search", {"query": "vault tokens"}).json["results"]
        slow.chunks = (found[0]["chunk_id"],)
        at = ana.post("/v1/ask", {"question": TOKENS, "wait": 0}).json["answer_at"]
        if revoked:
            place.home.put_rules("docs", [("**", ["public"]), ("eng/**", [])])
        body = read_for(place, at, 3 if revoked else 2)
        kinds = [kind for kind, _ in frames(body)]
        assert kinds == (["stage", "problem"] if revoked else ["stage", "sentence"])
        assert (b"ninety" in body) is not revoked


def read_for(place: Place, at: str, blocks: int) -> bytes:
    """What comes of a stream, until so many events were read, or it ended."""
    import http.client

    from http_place import HEADER, SECRET

    host, port = place.address.removeprefix("http://").split(":")
    connection = http.client.HTTPConnection(host, int(port), timeout=10)
    connection.request("GET", f"{at}/events", headers={HEADER: "ana", "X-Vouch-Proxy-Secret": SECRET})
    response, body = connection.getresponse(), b""
    while body.count(b"\n\n") < blocks and (part := response.read1(65_536)):
        body += part
    connection.close()
    return body


def test_who_comes_back_is_told_what_came_since(place: Place) -> None:
    ana = place.person("ana")
    at = ana.post("/v1/ask", {"question": TOKENS}).json["question_id"]
    again = frames(ana.get(f"/v1/answers/{at}/events", Last_Event_ID="3").body)
    assert [kind for kind, _ in again] == ["answer"]
