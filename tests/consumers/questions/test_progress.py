"""The worker tells how far a question is, and neither waits for it nor fails with it."""

import threading
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import pytest
from homes.small_world import small_world

from consumers.questions.progress import Listeners, ProgressPublisher
from vouch.correction.loop import answer_question
from vouch.correction.progress import Course
from vouch.errors import LogDown
from vouch.messages import QuestionAsked, QuestionProgress, TagsAudience, decode

NOW = datetime(2026, 11, 23, 10, tzinfo=UTC)
LEAVE = "How many weeks of paid leave do parents get?"


def asked(name: str = "q1") -> QuestionAsked:
    return QuestionAsked(id=name, text=LEAVE, surface="slack", asker="public",
                         audience=TagsAudience(tags=("public",)), asked_at=NOW)


class Producer:
    """`hold`: it takes nothing until that is set."""

    def __init__(self, hold: threading.Event | None = None, failures: int = 0) -> None:
        self.hold, self.failures, self.sent, self.closed = hold, failures, list[QuestionProgress](), False

    def send(self, topic: str, key: bytes, value: bytes, headers: Sequence[Any] = ()) -> tuple[int, int]:
        if self.hold is not None:
            assert self.hold.wait(10)
        if self.failures:
            self.failures -= 1
            raise LogDown("the log is away")
        message = decode(topic, value)
        assert isinstance(message, QuestionProgress) and key == message.question_id.encode()
        self.sent.append(message)
        return 0, 0

    def close(self) -> None:
        self.closed = True


def until(look: Any) -> None:
    end = time.monotonic() + 5
    while not look():
        assert time.monotonic() < end
        time.sleep(0.005)


def test_each_message_says_the_whole_course_in_the_stages_that_people_know() -> None:
    told: list[QuestionProgress] = []
    clock = iter(float(n) for n in range(100))
    world = small_world()
    outcome = answer_question(world.ask(LEAVE), world.components,
                              Course(asked(), NOW, told.append, lambda: next(clock)))
    assert [one.stage for one in told] == ["retrieve", "rerank", "evaluate", "refine", "cite"]
    assert [one.number for one in told] == [1, 2, 3, 4, 5]
    last = {done.stage: done.count for done in told[-1].done}
    assert list(last) == ["retrieve", "rerank", "evaluate", "refine"]
    assert last["retrieve"] == last["rerank"] == 5
    assert last["refine"] == sum(row["shown"] is not None for row in outcome.candidates)
    assert all(done.ms >= 1000 and done.ms % 1000 == 0 for done in told[-1].done)


def test_a_second_retrieve_begins_anew() -> None:
    told: list[QuestionProgress] = []
    course = Course(asked(), NOW, told.append)
    for name in ("retrieve", "fuse", "rerank", "retrieve", "unknown", "rerank"):
        course.stage(name)
        course.counted(name, 7)
    stages = [("retrieve", 0), ("rerank", 1)]
    assert [(one.stage, len(one.done)) for one in told] == stages * 2
    assert [one.number for one in told] == [1, 2, 3, 4]


def test_the_publisher_holds_nobody_up_and_only_the_newest_waits() -> None:
    hold = threading.Event()
    producer = Producer(hold)
    publisher = ProgressPublisher(lambda: producer, lambda: NOW)  # type: ignore[arg-type,return-value]
    began = time.monotonic()
    course = publisher.listener(asked())
    for name in ("retrieve", "rerank", "evaluate", "refine", "write"):
        course.stage(name)
    assert time.monotonic() - began < 1.0
    hold.set()
    until(lambda: producer.sent and producer.sent[-1].stage == "cite")
    assert len(producer.sent) <= 3 and len(producer.sent[-1].done) == 4
    publisher.close()
    until(lambda: producer.closed)
    course.stage("retrieve")                # nobody hears it, and nothing fails


def test_a_log_that_is_away_is_left_alone_for_a_while() -> None:
    producer = Producer(failures=1)
    publisher = ProgressPublisher(lambda: producer, lambda: NOW, pause_s=0.2)  # type: ignore[arg-type,return-value]
    publisher.listener(asked("lost")).stage("retrieve")
    until(lambda: not producer.failures)
    publisher.listener(asked("lost-too")).stage("retrieve")
    time.sleep(0.4)
    publisher.listener(asked("later")).stage("retrieve")
    until(lambda: producer.sent)
    assert [one.question_id for one in producer.sent] == ["later"]
    publisher.close()


@pytest.mark.parametrize("count", [0, 2])
def test_all_listeners_are_told(count: int) -> None:
    told: list[QuestionProgress] = []
    courses = [Course(asked(f"q{n}"), NOW, told.append) for n in range(count)]
    both = Listeners(courses)
    both.stage("retrieve")
    both.counted("fuse", 3)
    both.stage("rerank")
    both.sentence(None, ())  # type: ignore[arg-type]
    assert len(told) == 2 * count and all(one.done[0].count == 3 for one in told if one.done)
