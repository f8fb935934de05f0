"""An answer reaches its surface once, and only while everybody who will see it may read what it rests on."""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import pytest
from ledger_place import LedgerPlace

from consumers.backoff import Backoff
from consumers.questions import QuestionHandler
from consumers.replies import ReplySender
from consumers.vitals import Vitals
from vouch.adapters.ledger import Ledger
from vouch.adapters.log_embedded import EmbeddedLog
from vouch.errors import BadInput, Denied, IndexDown, LedgerDown, LogDown, ModelDown, SurfaceDown, Unavailable
from vouch.messages import AnswerReady, QuestionAsked, TagsAudience, decode
from vouch.ports.surface import AfterDoubt, Delivery

Asked = Callable[..., QuestionAsked]


@pytest.fixture
def ledger(ledger_place: LedgerPlace) -> Ledger:
    """Here the outbox is on trial, so on every kind of database."""
    return ledger_place.open()


@dataclass
class Wall:
    """A surface that anybody can look at; it fails as told, before or after the post is there."""

    before: list[Exception] = field(default_factory=list)
    after: list[Exception] = field(default_factory=list)
    posts: list[Delivery] = field(default_factory=list)
    after_doubt: AfterDoubt = "ask"

    def has(self, delivery: Delivery) -> bool:
        return any(post.question_id == delivery.question_id for post in self.posts)

    def post(self, delivery: Delivery) -> None:
        if self.before:
            raise self.before.pop(0)
        self.posts.append(delivery)
        if self.after:
            raise self.after.pop(0)


@dataclass
class Rights:
    """Which chunks may be read now."""

    readable: set[str] = field(default_factory=lambda: {"c1"})
    asked: list[tuple[TagsAudience, tuple[str, ...]]] = field(default_factory=list)

    def still_visible(self, audience: TagsAudience, chunks: Sequence[str]) -> bool:
        self.asked.append((audience, tuple(chunks)))
        return set(chunks) <= self.readable


@pytest.fixture
def wall() -> Wall:
    return Wall()


@pytest.fixture
def rights() -> Rights:
    return Rights()


@pytest.fixture
def sender(
    log: EmbeddedLog, ledger: Ledger, loop: Any, clock: Any, wall: Wall, rights: Rights
) -> Callable[..., ReplySender]:
    def made(**changes: Any) -> ReplySender:
        return ReplySender(
            ledger, changes.get("still_visible", rights.still_visible), loop.answer, loop.decline,
            changes.get("surfaces", {"terminal": wall}), changes.get("producer", log.producer()), clock,
            backoff=Backoff(1, 1), served=changes.get("served"), vitals=changes.get("vitals"),
        )  # fmt: skip

    return made


@pytest.fixture
def answered(ledger: Ledger, loop: Any, clock: Any, question: Asked) -> None:
    QuestionHandler(loop.answer, loop.decline, ledger, clock).handle(question())


def settle(sender: ReplySender, clock: Any, most: int = 40) -> None:
    for _ in range(most):
        if not sender.step():
            clock.now += timedelta(seconds=2)


def announced(log: EmbeddedLog) -> list[AnswerReady]:
    found = [decode("answers", record.value) for record in log.read("answers")]
    assert all(isinstance(message, AnswerReady) for message in found)
    return found  # type: ignore[return-value]


@pytest.mark.usefixtures("answered")
def test_an_answer_is_posted_announced_and_done_with(
    log: EmbeddedLog, ledger: Ledger, sender: Callable[..., ReplySender], wall: Wall, rights: Rights, clock: Any
) -> None:
    settle(sender(), clock, 5)
    assert [post.answer for post in wall.posts] == [{"id": "q1-1", "answer": "so"}]
    [message] = announced(log)
    assert (message.question_id, message.answer_id, message.surface) == ("q1", "q1-1", "terminal")
    assert rights.asked == [(TagsAudience(tags=("public",)), ("c1",))]
    assert ledger.outbox.counts() == {"sent": 1}


@pytest.mark.usefixtures("answered")
def test_an_answer_whose_ground_fell_away_is_never_posted_and_made_anew(
    ledger: Ledger, sender: Callable[..., ReplySender], wall: Wall, rights: Rights, loop: Any, clock: Any
) -> None:
    rights.readable, loop.given = {"c2"}, ["c2"]
    settle(sender(), clock, 5)
    assert [post.answer["id"] for post in wall.posts] == ["q1-2"]
    assert ledger.answers.by_question("q1") == {"id": "q1-2", "answer": "so"}


@pytest.mark.usefixtures("answered")
def test_one_lost_chunk_of_several_is_enough(
    ledger: Ledger, sender: Callable[..., ReplySender], wall: Wall, rights: Rights, loop: Any, clock: Any
) -> None:
    rights.readable, loop.given = {"c2"}, ["c1", "c2"]
    one = sender()
    one.step()
    assert wall.posts == []


@pytest.mark.usefixtures("answered")
def test_a_question_whose_ground_never_holds_is_declined_in_the_end(
    sender: Callable[..., ReplySender], wall: Wall, rights: Rights, loop: Any, clock: Any
) -> None:
    rights.readable = set()
    settle(sender(), clock)
    assert loop.made == 5               # the first answer, three anew, the decline
    [post] = wall.posts
    assert "could not be answered" in post.answer["reason"]


@pytest.mark.usefixtures("answered")
def test_a_failure_while_answering_anew_is_no_silence(
    sender: Callable[..., ReplySender], wall: Wall, rights: Rights, loop: Any, clock: Any
) -> None:
    rights.readable = set()
    loop.fails = [ModelDown("down")] * 7 + [Denied("not visible")] * 5
    settle(sender(), clock)
    [post] = wall.posts
    assert "could not be answered" in post.answer["reason"]
    assert loop.fails == []


def test_answering_anew_ends_at_the_deadline(
    ledger: Ledger, sender: Callable[..., ReplySender], wall: Wall, rights: Rights, loop: Any, clock: Any,
    question: Asked,
) -> None:  # fmt: skip
    QuestionHandler(loop.answer, loop.decline, ledger, clock).handle(question(deadline=timedelta(seconds=5)))
    rights.readable = set()
    loop.fails = [ModelDown("down")] * 99
    settle(sender(), clock)
    [post] = wall.posts
    assert "time" in post.answer["reason"]


@pytest.mark.usefixtures("answered")
def test_permissions_that_cannot_be_looked_up_post_nothing(
    ledger: Ledger, sender: Callable[..., ReplySender], wall: Wall, clock: Any
) -> None:
    def unknown(audience: Any, chunks: Any) -> bool:
        raise Unavailable("no permissions")

    settle(sender(still_visible=unknown), clock)
    assert wall.posts == [] and ledger.outbox.counts() == {"pending": 1}
    settle(sender(), clock, 3)
    assert len(wall.posts) == 1


@pytest.mark.usefixtures("answered")
def test_a_surface_that_is_down_is_tried_again_until_it_is_back(
    ledger: Ledger, sender: Callable[..., ReplySender], wall: Wall, clock: Any
) -> None:
    wall.before = [Unavailable("slow down")] * 12
    settle(sender(), clock)
    assert len(wall.posts) == 1 and ledger.outbox.counts() == {"sent": 1}


@pytest.mark.usefixtures("answered")
def test_a_post_that_arrived_though_it_seemed_to_fail_is_not_repeated(
    log: EmbeddedLog, ledger: Ledger, sender: Callable[..., ReplySender], wall: Wall, clock: Any
) -> None:
    wall.after = [ConnectionResetError("reset")]
    settle(sender(), clock, 6)
    assert len(wall.posts) == 1 and len(announced(log)) == 1
    assert ledger.outbox.counts() == {"sent": 1}


@pytest.mark.usefixtures("answered")
def test_a_log_that_is_down_after_the_post_repeats_the_announcement_only(
    log: EmbeddedLog, ledger: Ledger, sender: Callable[..., ReplySender], wall: Wall, clock: Any
) -> None:
    class Down:
        def send(self, *message: Any) -> Any:
            raise LogDown("gone")

    settle(sender(producer=Down()), clock, 3)
    assert len(wall.posts) == 1 and ledger.outbox.counts() == {"pending": 1}
    settle(sender(), clock, 4)
    assert len(wall.posts) == 1 and len(announced(log)) == 1
    assert ledger.outbox.counts() == {"sent": 1}


@pytest.mark.usefixtures("answered")
def test_what_a_surface_will_never_take_is_not_tried_again(
    ledger: Ledger, sender: Callable[..., ReplySender], wall: Wall, clock: Any
) -> None:
    wall.before = [Denied("not in that channel")]
    settle(sender(), clock, 5)
    assert wall.posts == [] and ledger.outbox.counts() == {"failed": 1}


@pytest.mark.usefixtures("answered")
def test_an_answer_that_breaks_its_surface_gives_way_to_a_plain_decline(
    ledger: Ledger, sender: Callable[..., ReplySender], wall: Wall, clock: Any
) -> None:
    wall.before = [ValueError("cannot be shown")] * 5
    settle(sender(), clock)
    [post] = wall.posts
    assert "could not be answered" in post.answer["reason"]
    assert ledger.outbox.counts() == {"sent": 1}


@pytest.mark.usefixtures("answered")
def test_a_surface_that_takes_not_even_a_decline_is_given_up_on(
    ledger: Ledger, sender: Callable[..., ReplySender], wall: Wall, clock: Any
) -> None:
    wall.before = [ValueError("cannot be shown")] * 99
    settle(sender(), clock)
    assert ledger.outbox.counts() == {"failed": 1} and len(wall.before) == 89


@pytest.mark.usefixtures("answered")
def test_answers_of_another_surface_are_left_to_its_process(
    ledger: Ledger, sender: Callable[..., ReplySender], wall: Wall
) -> None:
    assert sender(surfaces={"slack": wall}).step() is False
    assert ledger.outbox.counts() == {"pending": 1}


def test_senders_side_by_side_post_each_answer_once(
    ledger: Ledger, sender: Callable[..., ReplySender], wall: Wall, loop: Any, clock: Any, question: Asked
) -> None:
    handler = QuestionHandler(loop.answer, loop.decline, ledger, clock)
    for i in range(30):
        handler.handle(question(f"q{i}"))

    def work(one: ReplySender) -> None:
        while one.step():
            pass

    threads = [threading.Thread(target=work, args=(sender(),)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(post.question_id for post in wall.posts) == sorted(f"q{i}" for i in range(30))
    assert ledger.outbox.counts() == {"sent": 30}


def test_the_sender_runs_until_it_is_stopped_and_waits_out_an_outage(
    ledger: Ledger, sender: Callable[..., ReplySender], loop: Any, clock: Any, question: Asked, log: EmbeddedLog,
    rights: Rights, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    real, failures = ledger.outbox.claim, [Unavailable("gone")] * 2

    def claim(*arguments: Any, **named: Any) -> Any:
        if failures:
            raise failures.pop()
        return real(*arguments, **named)

    monkeypatch.setattr(ledger.outbox, "claim", claim)
    running = ReplySender(
        ledger, rights.still_visible, loop.answer, loop.decline, {"terminal": ledger.surface}, log.producer(), clock,
        backoff=Backoff(0.001, 0.001),
    )  # fmt: skip
    stop = threading.Event()
    thread = threading.Thread(target=running.run, args=(stop,), kwargs={"idle_s": 0.005})
    thread.start()
    QuestionHandler(loop.answer, loop.decline, ledger, clock).handle(question())
    for _ in range(400):
        if ledger.surface.read("q1"):
            break
        stop.wait(0.01)
    stop.set()
    thread.join()
    assert ledger.surface.read("q1") == {"id": "q1-1", "answer": "so"}


def test_an_answer_made_in_this_process_is_sent_at_once(
    ledger: Ledger, sender: Callable[..., ReplySender], loop: Any, clock: Any, question: Asked, wall: Wall
) -> None:
    stop, sending, handler = threading.Event(), sender(), QuestionHandler(loop.answer, loop.decline, ledger, clock)
    thread = threading.Thread(target=sending.run, args=(stop,), kwargs={"idle_s": 20.0})
    thread.start()
    began = time.monotonic()
    for number in range(5):
        handler.handle(question(f"q{number}"))
        while len(wall.posts) <= number and time.monotonic() - began < 15:
            time.sleep(0.005)
    stop.set()
    handler.handle(question("q5"))
    thread.join()
    assert len(wall.posts) >= 5 and time.monotonic() - began < 10


@pytest.mark.usefixtures("answered")
def test_a_surface_that_is_down_is_left_alone_as_long_as_it_asks_for(
    ledger: Ledger, sender: Callable[..., ReplySender], wall: Wall, loop: Any, clock: Any, question: Asked
) -> None:
    for number in range(2, 6):
        QuestionHandler(loop.answer, loop.decline, ledger, clock).handle(question(f"q{number}"))
    wall.before = [SurfaceDown("busy", retry_after_s=60)]
    one, tries = sender(), []
    for _ in range(40):
        tries.append((clock.now, one.step()))
        clock.now += timedelta(seconds=2)
    worked = [at for at, moved in tries if moved]
    assert worked[1] - worked[0] >= timedelta(seconds=60)      # none of the five was even looked at
    assert sorted(post.question_id for post in wall.posts) == ["q1", "q2", "q3", "q4", "q5"]


@pytest.mark.usefixtures("answered")
def test_one_surface_that_is_down_holds_up_no_other(
    ledger: Ledger, sender: Callable[..., ReplySender], wall: Wall, loop: Any, clock: Any, question: Asked
) -> None:
    other = Wall()
    QuestionHandler(loop.answer, loop.decline, ledger, clock).handle(question("q2", surface="other"))
    wall.before = [SurfaceDown("gone")] * 99
    vitals = Vitals()
    settle(sender(surfaces={"terminal": wall, "other": other}, vitals=vitals), clock, 10)
    assert [post.question_id for post in other.posts] == ["q2"] and wall.posts == []
    [wait] = vitals.waiting()
    assert (wait.machine, wait.cause) == ("surface terminal", "gone")


@pytest.mark.usefixtures("answered")
def test_permissions_that_are_away_hold_up_everything_and_are_waited_for(
    ledger: Ledger, sender: Callable[..., ReplySender], wall: Wall, clock: Any
) -> None:
    vitals, away = Vitals(), [IndexDown("no index")] * 3

    def visible(audience: Any, chunks: Any) -> bool:
        if away:
            raise away.pop()
        return True

    one = sender(still_visible=visible, vitals=vitals)
    one.step()
    assert [wait.machine for wait in vitals.waiting()] == ["index"]
    settle(one, clock)
    assert len(wall.posts) == 1 and vitals.waiting() == [] and away == []


@pytest.mark.usefixtures("answered")
@pytest.mark.parametrize("change", ["sent", "posting", "later"])
def test_what_an_outage_of_the_ledger_kept_back_is_told_when_it_is_over(
    ledger: Ledger, sender: Callable[..., ReplySender], wall: Wall, clock: Any, change: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """Within seconds: the claim would run out after two minutes, and the asker would wait for those."""
    away = [change, "later"] if change == "posting" else [change]
    wall.before = [SurfaceDown("gone")] if change == "later" else []
    for name in away:
        real, failures = getattr(ledger.outbox, name), [LedgerDown("gone")] * 2

        def fails(*words: Any, real: Any = real, failures: list[Exception] = failures, **named: Any) -> Any:
            if failures:
                raise failures.pop()
            return real(*words, **named)

        monkeypatch.setattr(ledger.outbox, name, fails)
    sending, began = sender(), clock.now
    for _ in range(2):
        with pytest.raises(LedgerDown):
            sending.step()
    settle(sending, clock, 10)
    assert ledger.outbox.counts() == {"sent": 1} and len(wall.posts) == 1
    assert clock.now - began < timedelta(seconds=30)


@pytest.mark.usefixtures("answered")
def test_a_sender_that_was_away_too_long_before_it_posts_leaves_it_to_the_other(
    ledger: Ledger, sender: Callable[..., ReplySender], wall: Wall, clock: Any
) -> None:
    def slow(audience: Any, chunks: Any) -> bool:
        clock.now += timedelta(minutes=10)      # its lease is over
        assert ledger.outbox.claim(["terminal"], clock.now, timedelta(minutes=2))
        return True

    sender(still_visible=slow).step()
    assert wall.posts == [] and ledger.outbox.counts() == {"sending": 1}


@pytest.mark.usefixtures("answered")
def test_a_sender_that_died_before_it_posted_leaves_no_doubt(
    ledger: Ledger, sender: Callable[..., ReplySender], wall: Wall, clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert ledger.outbox.claim(["terminal"], clock.now, timedelta(minutes=2))
    clock.now += timedelta(minutes=3)
    monkeypatch.setattr(wall, "has", lambda delivery: pytest.fail("nobody needs to be asked"))
    settle(sender(), clock, 3)
    assert len(wall.posts) == 1


def test_a_receiver_that_drops_repeats_is_sent_the_same_again_and_never_asked(
    ledger: Ledger, sender: Callable[..., ReplySender], wall: Wall, loop: Any, clock: Any, question: Asked,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    QuestionHandler(loop.answer, loop.decline, ledger, clock).handle(question())
    wall.after_doubt, wall.after = "repeat", [SurfaceDown("reply lost")]
    monkeypatch.setattr(wall, "has", lambda delivery: pytest.fail("it cannot be asked"))
    settle(sender(), clock, 6)
    assert [post.answer["id"] for post in wall.posts] == ["q1-1", "q1-1"]


@pytest.mark.usefixtures("answered")
def test_what_a_receiver_rejects_is_no_doubt_and_gives_way_to_a_decline(
    ledger: Ledger, sender: Callable[..., ReplySender], wall: Wall, clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    wall.before = [BadInput("too large")] * 5
    monkeypatch.setattr(wall, "has", lambda delivery: pytest.fail("it said that it did not take it"))
    settle(sender(), clock)
    [post] = wall.posts
    assert "could not be answered" in post.answer["reason"]


@pytest.mark.usefixtures("answered")
def test_an_answer_whose_surface_nobody_serves_ends_as_failed_with_the_reason(
    ledger: Ledger, sender: Callable[..., ReplySender], wall: Wall, loop: Any, clock: Any, question: Asked
) -> None:
    handler = QuestionHandler(loop.answer, loop.decline, ledger, clock)
    handler.handle(question("q2", surface="elsewhere"))
    handler.handle(question("q3", surface="nowhere"))
    one = sender(served=["terminal", "elsewhere"])
    settle(one, clock, 3)
    clock.now += timedelta(hours=23, minutes=50)
    settle(one, clock, 3)
    assert ledger.outbox.counts() == {"sent": 1, "pending": 2}, "nothing ends before a day is over"
    clock.now += timedelta(minutes=15)
    settle(one, clock, 3)
    assert ledger.outbox.counts() == {"sent": 1, "pending": 1, "failed": 1}
    assert list(ledger.outbox.waiting()) == ["elsewhere"]


def test_a_process_that_lacks_the_settings_of_a_surface_ends_no_answer_of_those_who_serve_it(
    ledger: Ledger, sender: Callable[..., ReplySender], wall: Wall, loop: Any, clock: Any, question: Asked,
    caplog: pytest.LogCaptureFixture,
) -> None:
    QuestionHandler(loop.answer, loop.decline, ledger, clock).handle(question("q2", surface="callback"))
    without = sender(served=["terminal"])
    for _ in range(5):
        without.step()
        clock.now += timedelta(minutes=5)
    assert ledger.outbox.counts() == {"pending": 1}
    assert len([one for one in caplog.records if "'callback'" in one.getMessage()]) == 1
    settle(sender(surfaces={"callback": wall}, served=["callback"]), clock, 3)
    assert [post.question_id for post in wall.posts] == ["q2"]


@pytest.mark.usefixtures("answered")
def test_a_pause_ends_with_whatever_goes_through_after_it(
    sender: Callable[..., ReplySender], rights: Rights, clock: Any
) -> None:
    """Also with an answer that has to be made anew."""
    vitals, away = Vitals(), [IndexDown("no index")]

    def visible(audience: Any, chunks: Any) -> bool:
        if away:
            raise away.pop()
        return False

    one = sender(still_visible=visible, vitals=vitals)
    one.step()
    assert vitals.waiting() != []
    clock.now += timedelta(seconds=5)
    assert one.step() and vitals.waiting() == []
