"""At the desk a person who asks too much is told so before anything is put on the log."""

import threading
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from services.answering.asking import AskClient
from services.answering.progress import TOPICS, Heard
from services.wiring.answering import done_by
from vouch.access import Directory, Permissions, Person
from vouch.adapters.ledger import Ledger
from vouch.adapters.message_log.embedded.log import EmbeddedLog
from vouch.adapters.observability.processes import ProcessEntry
from vouch.correction.progress import Course
from vouch.errors import Guarded, NotFound, Usage, VouchError
from vouch.messages import QuestionAsked, QuestionProgress, decode, encode, key_of, topic_of
from vouch.ports.surface import Delivery


def test_one_question_too_many_is_refused_politely(log: EmbeddedLog, ledger: Ledger, clock: Any) -> None:
    ana = "user:ana@acme.test"
    for number in range(2):
        ledger.pace.admit(f"q{number}", ana, clock.now - timedelta(seconds=40 - number), 2)
    nobody: Any = None
    desk = AskClient(
        ledger=ledger, watched=nobody, producer=log.producer(), worker=nobody, sender=nobody,
        stop=threading.Event(), clock=clock, deadline=timedelta(seconds=1), ready=lambda: None, index=nobody,
        per_minute=2,
    )
    with pytest.raises(Guarded, match=r"2 questions within a minute.* ask again in 20 seconds") as raised:
        desk.ask("Who?", [ana])
    assert raised.value.exit_code == 6 and "VOUCH_ASKING__PER_MINUTE" in raised.value.cure
    assert log.lag("g", "questions") == 0


class Idle:
    """A worker and a sender that count how often they are asked to work."""

    def __init__(self) -> None:
        self.steps, self.sends, self.reading = 0, 0, False

    def step(self, timeout_s: float, *, hold: int | None = None) -> bool:
        self.steps += 1
        return False


class Post:
    def __init__(self) -> None:
        self.looks = 0

    def step(self) -> bool:
        self.looks += 1
        return False


def turned(others: set[str], *, reading: bool = False) -> tuple[int, int]:
    """How often the worker and the sender were set to work in one turn of the desk."""
    nobody: Any = None
    worker: Any = Idle()
    sender: Any = Post()
    worker.reading = reading
    desk = AskClient(
        ledger=nobody, watched=nobody, producer=nobody, worker=worker, sender=sender, stop=threading.Event(),
        clock=nobody, deadline=timedelta(seconds=1), ready=lambda: None, index=nobody, others=lambda: others,
    )
    desk._turn()
    return worker.steps, sender.looks


def test_what_a_living_process_does_is_left_to_it() -> None:
    assert turned(set()) == (1, 1)
    assert turned({"questions", "replies"}) == (0, 0)
    assert turned({"questions"}) == (0, 1)
    assert turned({"replies"}) == (1, 0)


def test_who_began_to_take_messages_goes_on() -> None:
    assert turned({"questions", "replies"}, reading=True) == (1, 0)


def test_a_process_says_what_it_does_as_long_as_it_lives(memory_folder: Path) -> None:
    presence = ProcessEntry(memory_folder, "worker", lambda: {"does": ["questions"]})
    assert done_by(memory_folder) == set()
    presence.begin()
    assert done_by(memory_folder) == {"questions"}
    presence.end()
    assert done_by(memory_folder) == set()


class FixedDirectory:
    def permissions(self) -> Permissions:
        gone = datetime(2020, 2, 1, tzinfo=UTC)
        return Permissions(1, {}, Directory({"ana": Person(()), "cy": Person((), gone)}, {"eng": ()}))


@pytest.mark.parametrize(("person", "error", "said"), [
    ("user:anna", NotFound, "user:anna is not in the directory; did you mean user:ana?"),
    ("user:cy", NotFound, "user:cy expired on 2020-01-31"),
    ("group:eng", Usage, "group:eng is a group"),
    ("group:x", Usage, "group:x is a group"),
])
def test_a_vote_is_one_known_persons(
    log: EmbeddedLog, ledger: Ledger, clock: Any, person: str, error: type[VouchError], said: str
) -> None:
    nobody: Any = None
    watched: Any = FixedDirectory()
    desk = AskClient(
        ledger=ledger, watched=watched, producer=log.producer(), worker=nobody, sender=nobody,
        stop=threading.Event(), clock=clock, deadline=timedelta(seconds=1), ready=lambda: None, index=nobody,
    )
    for known in ("user:ana", "user:Ana", "public"):
        desk._check_voter(known)
    with pytest.raises(error) as raised:
        desk._check_voter(person)
    assert said in raised.value.cause and "--as user:NAME" in raised.value.cure
    for asker in (person, "public"):
        with pytest.raises((Usage, NotFound), match=person if asker == person else "nobody in particular"):
            desk.ask("May others see this?", [asker], share_question=True)


def test_the_asker_hears_how_far_the_question_is_until_the_answer_is_there(
    log: EmbeddedLog, ledger: Ledger, clock: Any
) -> None:
    """Another process works: this one only follows the log."""
    worker: Any = Idle()
    nobody: Any = None
    told: list[QuestionProgress] = []
    asked: list[QuestionAsked] = []
    producer = log.producer()
    desk = AskClient(
        ledger=ledger, watched=nobody, producer=producer, worker=worker, sender=nobody, stop=threading.Event(),
        clock=clock, deadline=timedelta(seconds=60), ready=lambda: None, index=nobody,
        others=lambda: {"questions", "replies"}, heard=Heard(lambda: log.follow(TOPICS)),
    )

    def tell(message: QuestionProgress) -> None:
        told.append(message)
        if message.stage == "cite":
            ledger.answers.record(asked[0], {"id": "a1", "answer": "x"}, [], [], clock())
            ledger.surface.post(Delivery(asked[0].id, None, {"id": "a1"}))

    def put(progress: QuestionProgress) -> None:
        for one in (progress, progress.model_copy(update={"question_id": "another"})):
            producer.send(topic_of(one), key_of(one), encode(one))

    def work() -> None:
        while not (found := list(log.read("questions"))):
            time.sleep(0.01)
        message = decode("questions", found[0].value)
        assert isinstance(message, QuestionAsked)
        asked.append(message)
        course = Course(message, clock(), put)
        for name in ("retrieve", "rerank", "evaluate", "refine", "write"):
            course.stage(name)

    thread = threading.Thread(target=work)
    thread.start()
    assert desk.ask("Who?", [], None, tell)["id"] == "a1"
    thread.join()
    desk.close()
    assert [one.stage for one in told] == ["retrieve", "rerank", "evaluate", "refine", "cite"]
    assert {one.question_id for one in told} == {asked[0].id}
