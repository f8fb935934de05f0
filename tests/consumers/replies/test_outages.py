"""What a machine that is away keeps back is sent when it is there again, and holds up nothing else."""

import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from machines.reply_wall import Asked, Rights, Wall, settle

from consumers.monitoring.telemetry import Telemetry
from consumers.questions.handler import QuestionHandler
from consumers.replies.sender import ReplySender
from consumers.resilience import Backoff, CircuitBreaker
from vouch.adapters.ledger import Ledger
from vouch.adapters.message_log.embedded.log import EmbeddedLog
from vouch.errors import IndexDown, LedgerDown, SurfaceDown, Unavailable


@pytest.mark.usefixtures("answered")
def test_a_surface_that_is_down_is_tried_again_until_it_is_back(
    ledger: Ledger, sender: Callable[..., ReplySender], wall: Wall, clock: Any
) -> None:
    wall.before = [Unavailable("slow down")] * 12
    settle(sender(), clock)
    assert len(wall.posts) == 1 and ledger.outbox.counts() == {"sent": 1}


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
    telemetry = Telemetry()
    settle(sender(surfaces={"terminal": wall, "other": other}, telemetry=telemetry), clock, 10)
    assert [post.question_id for post in other.posts] == ["q2"] and wall.posts == []
    [wait] = telemetry.waiting()
    assert (wait.machine, wait.cause) == ("surface terminal", "gone")


@pytest.mark.usefixtures("answered")
def test_nor_does_one_that_cannot_tell_who_reads_along(
    ledger: Ledger, sender: Callable[..., ReplySender], wall: Wall, loop: Any, clock: Any, question: Asked
) -> None:
    other, looks = Wall(), [SurfaceDown("who is in the channel?")]
    QuestionHandler(loop.answer, loop.decline, ledger, clock).handle(question("q2", surface="other"))

    def visible(audience: Any, chunks: Any) -> bool:
        if looks:
            raise looks.pop()
        return True

    one = sender(still_visible=visible, surfaces={"terminal": wall, "other": other})
    assert one.step() and one.step()
    assert [post.question_id for post in other.posts] == ["q2"] and wall.posts == []


@pytest.mark.usefixtures("answered")
def test_an_answer_that_cannot_be_made_anew_holds_up_no_other(
    ledger: Ledger, sender: Callable[..., ReplySender], wall: Wall, rights: Rights, loop: Any, clock: Any,
    question: Asked,
) -> None:  # fmt: skip
    loop.given = ["c2"]
    QuestionHandler(loop.answer, loop.decline, ledger, clock).handle(question("q2"))
    rights.readable, loop.fails = {"c2"}, [IndexDown("no index")]
    one = sender()
    assert one.step() and one.step()
    assert [post.question_id for post in wall.posts] == ["q2"]


def test_an_answer_that_rests_on_no_document_waits_for_no_permissions(
    ledger: Ledger, sender: Callable[..., ReplySender], wall: Wall, loop: Any, clock: Any, question: Asked
) -> None:
    def unknown(audience: Any, chunks: Any) -> bool:
        raise IndexDown("no index")

    loop.given = []
    QuestionHandler(loop.answer, loop.decline, ledger, clock).handle(question())
    sender(still_visible=unknown).step()
    assert len(wall.posts) == 1


@pytest.mark.usefixtures("answered")
def test_permissions_that_are_away_hold_up_everything_and_are_waited_for(
    ledger: Ledger, sender: Callable[..., ReplySender], wall: Wall, clock: Any
) -> None:
    telemetry, away = Telemetry(), [IndexDown("no index")] * 3

    def visible(audience: Any, chunks: Any) -> bool:
        if away:
            raise away.pop()
        return True

    one = sender(still_visible=visible, telemetry=telemetry)
    one.step()
    assert [wait.machine for wait in telemetry.waiting()] == ["index"]
    settle(one, clock)
    assert len(wall.posts) == 1 and telemetry.waiting() == [] and away == []


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
def test_a_pause_ends_with_whatever_goes_through_after_it(
    sender: Callable[..., ReplySender], rights: Rights, clock: Any
) -> None:
    """Also with an answer that has to be made anew."""
    telemetry, away = Telemetry(), [IndexDown("no index")]

    def visible(audience: Any, chunks: Any) -> bool:
        if away:
            raise away.pop()
        return False

    one = sender(still_visible=visible, telemetry=telemetry)
    one.step()
    assert telemetry.waiting() != []
    clock.now += timedelta(seconds=5)
    assert one.step() and telemetry.waiting() == []


def test_a_pause_is_over_at_its_end() -> None:
    pauses, now = CircuitBreaker(Backoff(1, 1)), datetime(2026, 1, 1, tzinfo=UTC)
    ends = now + timedelta(seconds=pauses.down("slack", now, 60))
    assert pauses.available(["slack", "other"], ends - timedelta(microseconds=1)) == ["other"]
    assert pauses.available(["slack", "other"], ends) == ["slack", "other"]


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
