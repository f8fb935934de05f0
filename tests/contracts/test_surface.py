"""What every surface promises. A machine joins by a case in `place`: the surface, and how to look at it and end it."""

import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from http_scene.callback_receiver import LOSSES, REFUSALS, SECRET, CallbackReceiver, Part, cuts, resets, says
from sqlalchemy import event, exc

from bots.callback.surface import HttpCallback
from bots.slack.answers.surface import SlackSurface
from bots.slack.api import SlackApi
from bots.slack.simulator import SlackServer
from bots.slack.simulator.server import BOT_TOKEN
from consumers.replies.sender import ReplySender
from consumers.resilience import Backoff
from vouch.adapters.ledger import Ledger
from vouch.adapters.message_log.embedded.log import EmbeddedLog
from vouch.errors import Unavailable
from vouch.messages import QuestionAsked, TagsAudience
from vouch.ports.surface import Delivery, Surface

pytestmark = pytest.mark.integration

NOW = datetime(2026, 11, 21, 10, 0, tzinfo=UTC)
THREAD = "T0ACME/C1"                    # as Slack's are; the others take any


@dataclass
class Place:
    """A surface with what a test needs to know of the other end."""

    surface: Surface
    shown: Callable[[str], list[Any]]   # ids of the answers that are there for the question, each time it arrived
    close: Callable[[], None]           # the other end is gone
    play: Callable[[Part, Part | None], None] | None = None     # what happens to the next post and the next look


@pytest.fixture
def timeout_s() -> float:
    """How long a callback waits for its receiver."""
    return 10.0


@pytest.fixture(params=["ledger", "callback that is asked", "callback that drops repeats", "slack"])
def place(request: pytest.FixtureRequest, ledger: Ledger, timeout_s: float) -> Iterator[Place]:
    if request.param == "ledger":
        yield Place(ledger.surface, lambda q: [a["id"] for a in [ledger.surface.read(q)] if a],
                    lambda: lock_out(ledger))
        return
    if request.param == "slack":
        with in_slack() as there:
            yield there
        return
    drops = "drops" in request.param
    with CallbackReceiver(drops_repeats=drops) as receiver:
        surface = HttpCallback(receiver.url, SECRET, ["127.0.0.1"], after_doubt="repeat" if drops else "ask",
                               timeout_s=timeout_s)

        def play(post: Part, look: Part | None) -> None:
            receiver.to_posts[:], receiver.to_asks[:] = [post], [look] if look else []

        def close() -> None:
            receiver.shutdown()
            receiver.server_close()

        def shown(question_id: str) -> list[Any]:
            return [post["answer"]["id"] for post in receiver.posts if post["question_id"] == question_id]

        yield Place(surface, shown, close, play)
        assert receiver.complaints == []


@contextmanager
def in_slack() -> Iterator[Place]:
    with SlackServer() as slack:
        slack.workspace.channel("C1", "all", [])

        def shown(question_id: str) -> list[Any]:
            told = [m.metadata["event_payload"] for m in slack.workspace.messages if m.metadata]
            return [one["answer_id"] for one in told if one["question_id"] == question_id]

        surface = SlackSurface(SlackApi(BOT_TOKEN, slack.url, 20.0))
        surface.probe()
        yield Place(surface, shown, slack.close)


def lock_out(ledger: Ledger) -> None:
    """As if its file were on a disk that is gone."""

    @event.listens_for(ledger._database._engine, "before_cursor_execute")
    def refuse(*_: Any) -> None:
        raise broken_disk()


def broken_disk() -> exc.OperationalError:
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorcode = sqlite3.SQLITE_IOERR
    return exc.OperationalError("", {}, error)


def delivery(ledger: Ledger, number: int = 1) -> Delivery:
    """An answer as the outbox holds it."""
    answer = {
        "id": f"a{number}", "answer": "Nobody. 你好 \U0001f600", "citations": [], "question": "Who?", "reason": "",
        "action": "declined", "warnings": [], "index_version": 0,
    }  # fmt: skip
    ledger.answers.record(question(number), answer, [], [], NOW)
    return Delivery(f"q{number}", THREAD, answer)


def question(number: int) -> QuestionAsked:
    return QuestionAsked(
        id=f"q{number}", text="Who?", surface="there", asker="public", audience=TagsAudience(tags=("public",)),
        asked_at=NOW, thread=THREAD,
    )


def test_a_post_is_there_and_known_by_its_question(place: Place, ledger: Ledger) -> None:
    first, second = delivery(ledger, 1), delivery(ledger, 2)
    assert place.surface.after_doubt in ("ask", "repeat")
    assert not place.surface.has(first) and place.shown("q1") == []
    place.surface.post(first)
    assert place.shown("q1") == ["a1"] and place.surface.has(first)
    assert place.shown("q2") == [] and not place.surface.has(second)


def test_a_receiver_that_cannot_be_asked_drops_what_it_has(place: Place, ledger: Ledger) -> None:
    one = delivery(ledger)
    place.surface.post(one)
    if place.surface.after_doubt == "repeat":
        place.surface.post(one)
    else:
        assert place.surface.has(one)
    assert place.shown("q1") == ["a1"]


def test_a_receiver_that_is_gone_is_an_outage_and_never_a_no(place: Place, ledger: Ledger) -> None:
    one = delivery(ledger)
    place.close()
    for act in (place.surface.has, place.surface.post):
        with pytest.raises(Unavailable):
            act(one)


def test_threads_may_share_it(place: Place, ledger: Ledger) -> None:
    deliveries = [delivery(ledger, number) for number in range(12)]
    threads = [threading.Thread(target=place.surface.post, args=(one,)) for one in deliveries]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [place.shown(one.question_id) for one in deliveries] == [[one.answer["id"]] for one in deliveries]


class Running:
    """A clock that a test moves on, and the sender of one answer."""

    def __init__(self, place: Place, ledger: Ledger, log: EmbeddedLog) -> None:
        self._step, self.now = timedelta(seconds=2), NOW
        self.sender = ReplySender(
            ledger, lambda audience, chunks: True, no_answerer, no_answerer, {"there": place.surface}, log.producer(),
            lambda: self.now, backoff=Backoff(1, 1),
        )  # fmt: skip

    def settle(self, rounds: int = 12) -> None:
        for _ in range(rounds):
            try:
                if not self.sender.step():
                    self.now += self._step
            except Unavailable:         # of the ledger: whatever was claimed is free after its lease
                self.now += 100 * self._step


def no_answerer(*_: Any) -> Any:
    raise AssertionError("nothing is answered anew")


ASKED, DROPPING = "callback that is asked", "callback that drops repeats"


def named(part: Part | str | None) -> str:
    return part if isinstance(part, str) else getattr(part, "told", "") or getattr(part, "__name__", "fine")


@pytest.mark.parametrize("timeout_s", [0.5], ids=["hasty"])
@pytest.mark.parametrize("fault", [*LOSSES, *REFUSALS], ids=named)
@pytest.mark.parametrize(
    ("place", "look"), [(DROPPING, None), *((ASKED, look) for look in (None, resets, cuts, says(404)))],
    indirect=["place"], ids=named,
)
def test_an_answer_comes_once_whatever_happens_to_its_post_and_to_the_look_after_it(
    place: Place, ledger: Ledger, memory_folder: Path, fault: Part, look: Part | None
) -> None:
    assert place.play is not None
    delivery(ledger)
    place.play(fault, look)
    Running(place, ledger, EmbeddedLog(memory_folder / "log.sqlite")).settle()
    assert place.shown("q1") == ["a1"]
    assert ledger.outbox.counts() == {"sent": 1}


@pytest.mark.parametrize("place", ["ledger"], indirect=True)
@pytest.mark.parametrize("lost", range(1, 9))
def test_an_answer_comes_once_though_a_commit_is_lost(
    place: Place, ledger: Ledger, memory_folder: Path, lost: int
) -> None:
    delivery(ledger)
    running, left = Running(place, ledger, EmbeddedLog(memory_folder / "log.sqlite")), [lost]

    @event.listens_for(ledger._database._engine, "commit")
    def fail(_: Any) -> None:
        left[0] -= 1
        if left[0] == 0:
            raise broken_disk()

    running.settle()
    assert left[0] < 0 and place.shown("q1") == ["a1"] and ledger.outbox.counts() == {"sent": 1}


def test_the_suite_sees_a_receiver_that_neither_tells_nor_drops_repeats(ledger: Ledger, memory_folder: Path) -> None:
    with CallbackReceiver() as receiver:
        receiver.to_posts[:] = [LOSSES[0]]
        surface = HttpCallback(receiver.url, SECRET, ["127.0.0.1"], after_doubt="repeat", timeout_s=0.5)
        delivery(ledger)
        place = Place(surface, lambda q: [], lambda: None)
        Running(place, ledger, EmbeddedLog(memory_folder / "log.sqlite")).settle()
        assert len(receiver.posts) == 2
