"""An answer is posted only while everybody who will see it may read what it rests on; else it is made anew."""

import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from machines.reply_wall import Asked, Rights, Wall, settle

from consumers.questions.handler import QuestionHandler
from consumers.replies.sender import ReplySender
from vouch.adapters.ledger import Ledger
from vouch.errors import Denied, ModelDown, Unavailable


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


def test_at_the_very_deadline_nothing_is_answered_anew(
    ledger: Ledger, sender: Callable[..., ReplySender], wall: Wall, rights: Rights, loop: Any, clock: Any,
    question: Asked,
) -> None:  # fmt: skip
    QuestionHandler(loop.answer, loop.decline, ledger, clock).handle(question(deadline=timedelta(seconds=5)))
    rights.readable = set()
    clock.now += timedelta(seconds=5)
    settle(sender(), clock, 3)
    assert ["time" in post.answer["reason"] for post in wall.posts] == [True]


@pytest.mark.usefixtures("answered")
def test_the_last_answer_that_is_made_anew_gives_way_to_a_decline_too(
    sender: Callable[..., ReplySender], wall: Wall, rights: Rights, clock: Any
) -> None:
    looks, wall.before = [False] * 3, [ValueError("cannot be shown")] * 5
    settle(sender(still_visible=lambda audience, chunks: looks.pop() if looks else True), clock)
    [post] = wall.posts
    assert "could not be answered" in post.answer["reason"]


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
def test_what_is_revoked_while_the_mark_waits_for_the_ledger_is_not_posted(
    ledger: Ledger, sender: Callable[..., ReplySender], wall: Wall, rights: Rights, clock: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    mark = ledger.outbox.posting

    def slow(*row: Any) -> bool:
        marked = mark(*row)
        rights.readable = set()
        return marked

    monkeypatch.setattr(type(ledger.outbox), "posting", lambda _, *row: slow(*row))
    sender().step()
    assert wall.posts == []


class WaitsForTheLedger:
    """The ledger's surface, whose first post waits for the write lock while `meanwhile` happens."""

    after_doubt = "ask"

    def __init__(self, ledger: Ledger, meanwhile: Callable[[], None]) -> None:
        self._real, self._meanwhile = ledger.surface, [meanwhile]
        self.has = ledger.surface.has

    def post(self, delivery: Any) -> None:
        while self._meanwhile:
            self._meanwhile.pop()()
            time.sleep(0.1)
        self._real.post(delivery)


def posted(ledger: Ledger, sender: Callable[..., ReplySender], rights: Rights, clock: Any) -> Any:
    settle(sender(surfaces={"terminal": WaitsForTheLedger(ledger, rights.readable.clear)}), clock)
    return ledger.surface.read("q1")


@pytest.mark.usefixtures("answered")
def test_what_is_revoked_while_the_post_waits_for_the_ledger_is_not_posted(
    ledger: Ledger, sender: Callable[..., ReplySender], rights: Rights, clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("consumers.replies.sender._FRESH_S", 0.05)
    assert "could not be answered" in posted(ledger, sender, rights, clock)["reason"]


@pytest.mark.usefixtures("answered")
@pytest.mark.parametrize(("slow", "marks", "posts"), [(1, 2, 1), (3, 3, 0)])
def test_a_look_that_takes_a_quarter_of_the_lease_is_made_again(
    ledger: Ledger, sender: Callable[..., ReplySender], wall: Wall, clock: Any, monkeypatch: pytest.MonkeyPatch,
    slow: int, marks: int, posts: int,
) -> None:  # fmt: skip
    marked, looks, mark = [0], [0], ledger.outbox.posting

    def marking(_: Any, *row: Any) -> Any:
        marked[0] += 1
        return mark(*row)

    def look(audience: Any, chunks: Any) -> bool:
        looks[0] += 1
        if looks[0] <= slow:
            clock.now += timedelta(seconds=30)
        return True

    monkeypatch.setattr(type(ledger.outbox), "posting", marking)
    sender(still_visible=look).step()
    assert marked[0] == marks and len(wall.posts) == posts


@pytest.mark.usefixtures("answered")
def test_a_look_that_takes_long_is_repeated(
    ledger: Ledger, wall: Any, sender: Callable[..., ReplySender], rights: Rights, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was true when it began."""
    monkeypatch.setattr("consumers.replies.sender._LOOK_S", 0.05)
    looks, real = [0], ReplySender._visible

    def slow(made: ReplySender, row: Any) -> bool:
        found = real(made, row)
        looks[0] += 1
        if looks[0] == 1:
            rights.readable.clear()
            time.sleep(0.1)
        return found

    monkeypatch.setattr(ReplySender, "_visible", slow)
    sender().step()
    assert looks[0] == 2 and wall.posts == []


@pytest.mark.usefixtures("answered")
def test_a_post_that_waits_for_as_long_as_it_takes_is_found(
    ledger: Ledger, sender: Callable[..., ReplySender], rights: Rights, clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Planted: the look may be of any age."""
    monkeypatch.setattr("consumers.replies.sender._FRESH_S", 60)
    assert posted(ledger, sender, rights, clock) == {"id": "q1-1", "answer": "so"}
