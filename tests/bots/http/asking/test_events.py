"""Server-sent events: stages, then sentences whose passages this reader may read, then the answer."""

import http.client
import json
import re
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest
from homes.memory import folder_in_memory
from homes.small_world import NOW, small_world
from http_scene.http_client import Client
from http_scene.http_place import PATIENT, Place, http_place, working

from bots.http.app import Service
from bots.http.backend import Event
from bots.http.events import last_sentences
from bots.http.identity.local import COOKIE, LocalSessions
from consumers.questions.progress import Listeners, ProgressPublisher
from services.answering.progress import TOPICS, Heard, ProgressBoard, keep_hearing
from vouch.correction.loop import answer_question
from vouch.correction.progress import Course
from vouch.messages import HTTP, QuestionAsked, QuestionProgress

TOKENS = "How often are the vault tokens rotated?"
SURE = "Are the vault tokens rotated every ninety days by the engineers?"


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
    assert stages == ["retrieve", "rerank", "evaluate", "refine", "cite"]
    assert [one["stage"] for one in events[-1 - len(outcome.answer.sentences)].data["done"]] == stages[:-1]
    sentences = [event for event in events if event.kind == "sentence"]
    assert [event.data["text"] for event in sentences] == [one.text for one in outcome.answer.sentences]
    assert all(set(event.chunks) <= set(outcome.given) and event.chunks for event in sentences)
    assert [event.number for event in events] == list(range(1, len(events) + 1))
    assert board.after("q1", len(events) - 1) == [events[-1]] and board.after("q2", 0) == []
    board.forget_words()
    assert [(one.number, one.kind) for one in board.after("q1", 0)] == [(one.number, one.kind) for one in events]
    assert [one.data for one in board.after("q1", 0) if one.kind == "sentence"] == [{}] * len(sentences)
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

    def when_noted(self, tell: object) -> None: ...


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


def read_for(place: Place, at: str, blocks: int, last: str = "") -> bytes:
    """What comes of a stream for Ana, until so many events were read, or it ended."""
    from http_scene.http_place import HEADER, SECRET

    came_back = {"Last-Event-ID": last} if last else {}
    with streaming(place, at, {HEADER: "ana", "X-Vouch-Proxy-Secret": SECRET, **came_back}) as response:
        body = b""
        while body.count(b"\n\n") < blocks and (part := response.read1(65_536)):
            body += part
    return body


@contextmanager
def streaming(place: Place, at: str, headers: dict[str, str]) -> Iterator[http.client.HTTPResponse]:
    host, port = place.address.removeprefix("http://").split(":")
    with closing(http.client.HTTPConnection(host, int(port), timeout=20)) as connection:
        connection.request("GET", f"{at}/events", headers=headers)
        yield connection.getresponse()


def test_who_comes_back_is_told_what_came_since_and_all_anew_by_another_process() -> None:
    slow = Slow(())
    with folder_in_memory() as folder, http_place(
        folder, works=False, changed=lambda service: replace(service, progress=slow)
    ) as place:
        at = place.person("ana").post("/v1/ask", {"question": TOKENS, "wait": 0}).json["answer_at"]
        first, second = re.findall(r"id: (\S+)", read_for(place, at, 2).decode())
        run = first.removesuffix("-1")
        assert second == f"{run}-2" and re.fullmatch("[0-9a-f]{8}", run)
        assert [kind for kind, _ in frames(read_for(place, at, 1, first))] == ["sentence"]
        for other in (f"{'0' * 8}-1", "1", "nonsense", f"{run}-", f"{run}-{'9' * 50}"):
            assert [kind for kind, _ in frames(read_for(place, at, 3, other))] == ["anew", "stage", "sentence"]


@pytest.mark.parametrize("told_by_board", [True, False])
def test_once_somebody_has_signed_out_their_open_stream_tells_no_words(told_by_board: bool) -> None:
    """Neither sentences as they are verified, nor those out of the answer, nor the answer."""
    local, stop = LocalSessions("user:ana"), threading.Event()
    board: ProgressBoard[Event] = ProgressBoard(Event, HTTP)  # type: ignore[arg-type]
    with folder_in_memory() as folder, http_place(
        folder, local=local, works=False, changed=lambda service: replace(service, progress=board)
    ) as place:
        session = local.enter(local.token, "127.0.0.1")
        at = Client(place.address, cookies={COOKIE: session}).post("/v1/ask", {"question": SURE, "wait": 0}).json[
            "answer_at"]
        board.note(at.rpartition("/")[2], "stage", {"stage": "retrieve", "done": []})
        tells = board if told_by_board else ProgressBoard(Event, HTTP)  # type: ignore[arg-type]
        threads: list[threading.Thread] = []
        with streaming(place, at, {"Cookie": f"{COOKIE}={session}"}) as response:
            begun = response.read1(65_536)
            local.leave(session)
            threads += working(place.home, place.log, tells, stop, PATIENT)
            try:
                rest = response.read()
            finally:
                stop.set()
                for thread in threads:
                    thread.join()
        assert frames(begun)[0][0] == "stage" and b"ninety" not in rest
        kinds = [kind for kind, _ in frames(rest)]
        assert set(kinds[:-1]) <= {"stage"} and frames(rest)[-1][1]["status"] == 401 and kinds[-1] == "problem"


def test_sentences_whose_words_were_purged_are_not_told_empty() -> None:
    board: ProgressBoard[Event] = ProgressBoard(Event, HTTP)  # type: ignore[arg-type]
    with folder_in_memory() as folder, http_place(
        folder, works=False, changed=lambda service: replace(service, progress=board)
    ) as place:
        ana = place.person("ana")
        chunk = ana.post("/v1/search", {"query": "vault tokens"}).json["results"][0]["chunk_id"]
        at = ana.post("/v1/ask", {"question": TOKENS, "wait": 0}).json["answer_at"]
        named = at.rpartition("/")[2]
        board.note(named, "sentence", {"text": "It is rotated every ninety days."}, (chunk,))
        board.forget_words()
        board.note(named, "stage", {"stage": "cite", "done": []})
        assert [kind for kind, _ in frames(read_for(place, at, 1))] == ["stage"]


CITED = {"number", "chunk_id", "source", "path", "title", "quote"}


def test_stages_of_another_process_come_by_the_log_and_its_sentences_out_of_the_answer() -> None:
    board: ProgressBoard[Event] = ProgressBoard(Event, HTTP)  # type: ignore[arg-type]
    stop, seen = threading.Event(), threading.Event()
    with folder_in_memory() as folder, http_place(
        folder, works=False, changed=lambda service: replace(service, progress=board)
    ) as place:
        publisher = ProgressPublisher(place.log.producer, lambda: place.home.now)
        heard = Heard(partial(place.log.follow, TOPICS))
        assert heard.begin()
        listening = SimpleNamespace(listener=lambda asked: Listeners([publisher.listener(asked), Waits(seen)]))
        threads = [threading.Thread(target=keep_hearing, args=(heard, board.hear, stop)),
                   *working(place.home, place.log, listening, stop, PATIENT)]
        threads[0].start()
        try:
            ana = place.person("ana")
            at = ana.post("/v1/ask", {"question": SURE, "wait": 0}).json["answer_at"]
            threading.Timer(1.0, seen.set).start()
            told = frames(ana.get(f"{at}/events").body)
            late, answer = frames(ana.get(f"{at}/events").body), ana.get(at).json
        finally:
            seen.set()
            stop.set()
            publisher.close()
            for thread in threads:
                thread.join()
        kinds = [kind for kind, _ in told]
        stages = [data["stage"] for kind, data in told if kind == "stage"]
        assert stages == ["retrieve", "rerank", "evaluate", "refine", "cite"]
        assert kinds[5:] == ["sentence"] * len(answer["sentences"]) + ["answer"] and answer["sentences"]
        assert [data["text"] for _, data in told[5:-1]] == [one["text"] for one in answer["sentences"]]
        assert [set(data["citations"][0]) for _, data in told[5:-1]] == [CITED] * len(answer["sentences"])
        assert told[-1][1] == answer and late == [("answer", answer)]


class Revoked:
    """Questions whose answer is taken away as soon as somebody has looked at it."""

    def __init__(self, questions: Any) -> None:
        self._questions = questions
        self.take_away: Any = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._questions, name)

    def look(self, *words: Any) -> Any:
        found = self._questions.look(*words)
        if found is not None:
            self.take_away()
        return found


def test_no_sentence_comes_out_of_an_answer_that_was_taken_away_meanwhile() -> None:
    questions: Any = None

    def planted(service: Service) -> Service:
        nonlocal questions
        questions = Revoked(service.questions)
        return replace(service, questions=questions, progress=ProgressBoard(Event, HTTP))  # type: ignore[arg-type]

    def take_away() -> None:
        place.home.put_rules("docs", [("**", ["public"]), ("eng/**", [])])

    with folder_in_memory() as folder, http_place(folder, works=False, changed=planted) as place:
        questions.take_away = take_away
        ana, stop = place.person("ana"), threading.Event()
        at = ana.post("/v1/ask", {"question": SURE, "wait": 0}).json["answer_at"]
        threads: list[threading.Thread] = []

        def work() -> None:
            threads.extend(working(place.home, place.log, ProgressBoard(Event, HTTP), stop, PATIENT))  # type: ignore[arg-type]

        later = threading.Timer(0.5, work)
        later.start()
        try:
            told = ana.get(f"{at}/events")
        finally:
            later.join()
            stop.set()
            for thread in threads:
                thread.join()
        assert [kind for kind, _ in frames(told.body)] == ["problem"] and "ninety" not in told.text


def of_an_answer(action: str, *sentences: str) -> dict[str, Any]:
    origins = ("internal", "external")
    return {
        "action": action,
        "sentences": [{"text": text, "citations": [place + 1]} for place, text in enumerate(sentences)],
        "citations": [{"number": place + 1, "chunk_id": f"c{place}", "source": "docs", "path": "a.md", "title": "A",
                       "quote": text, "section": [], "origin": origins[place % 2]}
                      for place, text in enumerate(sentences)],
    }  # fmt: skip


def test_what_was_told_is_not_told_again_out_of_the_answer() -> None:
    stage, again = Event(1, "stage", {"stage": "retrieve"}), Event(3, "stage", {"stage": "retrieve"})
    said = Event(2, "sentence", {"text": "One."}, ("c0",))
    answer = of_an_answer("answered", "One.", "Two.")
    whole = list(last_sentences(answer, [stage], 1))
    assert [(one.number, one.data["text"], one.chunks) for one in whole] == [(2, "One.", ("c0",)), (3, "Two.", ())]
    assert whole[0].data["citations"] == [
        {"number": 1, "chunk_id": "c0", "source": "docs", "path": "a.md", "title": "A", "quote": "One."}]
    assert [one.data["text"] for one in last_sentences(answer, [stage, said], 2)] == ["Two."]
    assert [one.data["text"] for one in last_sentences(answer, [stage, said, again], 3)] == ["One.", "Two."]
    assert [one.number for one in last_sentences(answer, [], 7)] == [8, 9]
    for action in ("answered_with_caution", "declined", "replied"):
        assert list(last_sentences(of_an_answer(action, "One."), [], 0)) == []


class Waits:
    """A listener that lets the answer be written once somebody has `seen` how far it is."""

    def __init__(self, seen: threading.Event) -> None:
        self._seen = seen

    def stage(self, name: str) -> None:
        assert name != "verify" or self._seen.wait(20)

    def counted(self, name: str, number: int) -> None: ...

    def over(self) -> None: ...

    def sentence(self, sentence: object, citations: object) -> None: ...


def test_a_board_hears_lost_late_and_repeated_messages_and_a_second_try() -> None:
    board: ProgressBoard[Event] = ProgressBoard(Event, HTTP)  # type: ignore[arg-type]
    sent: list[QuestionProgress] = []
    asked = QuestionAsked.model_validate({
        "id": "q1", "text": "Who?", "surface": HTTP, "asker": "public", "audience": {"tags": ["public"]},
        "asked_at": NOW})
    for begun in (NOW, NOW.replace(minute=30)):
        course = Course(asked, begun, sent.append)
        for name in ("retrieve", "rerank", "evaluate"):
            course.stage(name)
    for place in (0, 2, 1, 2, 3, 2, 5):
        board.hear(sent[place])
    board.hear(sent[5].model_copy(update={"surface": "slack", "number": 9}))
    stages = ["retrieve", "rerank", "evaluate"]
    assert [event.data["stage"] for event in board.after("q1", 0)] == stages * 2
