"""An answer reaches its surface once, is announced and done with, whatever the surface makes of it."""

from collections.abc import Callable
from typing import Any

import pytest
from machines.reply_wall import Asked, Rights, Wall, announced, settle

from consumers.questions.handler import QuestionHandler
from consumers.replies.sender import ReplySender
from vouch.adapters.ledger import Ledger
from vouch.adapters.message_log.embedded.log import EmbeddedLog
from vouch.errors import BadInput, Denied, LogDown, SurfaceDown
from vouch.messages import TagsAudience


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
def test_what_was_posted_while_the_log_is_away_is_announced_later_and_not_posted_again(
    ledger: Ledger, sender: Callable[..., ReplySender], wall: Wall, log: EmbeddedLog, clock: Any
) -> None:
    """Also where nobody can look whether it is there, and by another sender."""
    class Down:
        def send(self, *_: object) -> None:
            raise LogDown("gone")

    wall.has = lambda delivery: False  # type: ignore[method-assign]
    settle(sender(producer=Down()), clock, 6)
    settle(sender(), clock)
    assert len(wall.posts) == 1 and len(announced(log)) == 1 and ledger.outbox.counts() == {"sent": 1}
