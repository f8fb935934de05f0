"""What is shown next of a question, and as what: decided without Slack."""

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bots.slack.api import Pace
from bots.slack.place import Place
from bots.slack.progress.cards import cards, changes, ended, is_of, mark
from bots.slack.progress.watched import FIRST_STATUS, Step, Watched, next_step
from vouch.errors import SurfaceDown
from vouch.messages import QuestionProgress, StageDone

NOW = datetime(2026, 11, 23, 10, tzinfo=UTC)
DONE = (StageDone(stage="retrieve", count=12, ms=40), StageDone(stage="rerank", count=1, ms=1234))


def progress(number: int = 3, **changed: Any) -> QuestionProgress:
    given: dict[str, Any] = {"question_id": "q1", "surface": "slack", "begun_at": NOW, "number": number, "done": DONE,
                             "stage": "evaluate"}
    return QuestionProgress.model_validate(given | changed)


def watched(**changed: Any) -> Watched:
    one = Watched("q1", Place("T1", "C1", "1.5"), "U1", "T1", until=500.0)
    for name, value in changed.items():
        setattr(one, name, value)
    return one


def step(one: Watched, now: float, *, start: bool = True, append: bool = True) -> Step | None:
    return next_step(one, now, may_start=start, may_append=append)


def test_a_status_comes_at_once_and_stays_however_long_nothing_is_heard() -> None:
    one = watched()
    assert step(one, 0.0) is Step.STATUS
    one.status, one.status_at = FIRST_STATUS, 0.0
    told = [now for now in range(500) if step(one, float(now)) is Step.STATUS and not setattr(one, "status_at", now)]
    assert told == list(range(60, 500, 60))             # Slack takes a status away after 120 seconds


def test_a_stream_is_begun_for_what_takes_a_while_and_kept_alive() -> None:
    one = watched(newest=progress(), since=10.0, status=FIRST_STATUS, status_at=10.0)
    assert step(one, 10.2) is None
    assert step(one, 10.4) is Step.START
    one.newest = progress(9, stage=None)
    assert step(one, 11.9) is None              # the answer is on its way
    one.newest = progress()
    assert step(one, 10.4, start=False) is None
    assert step(one, 12.5, start=False) is Step.STATUS   # what the stream would say, the status does
    one.ts, one.shown, one.touched = "2.5", cards(progress()), 11.0
    assert step(one, 70.0) is None
    assert step(one, 71.0) is Step.APPEND
    one.newest = progress(4, done=(*DONE, StageDone(stage="evaluate", count=0, ms=3)), stage="refine")
    assert step(one, 12.0) is Step.APPEND and step(one, 12.0, append=False) is None


@pytest.mark.parametrize(("changed", "expected"), [
    ({"over": True}, Step.TIDY), ({"check": True}, Step.CHECK), ({"over": True, "busy": True}, None),
    ({"over": True, "due": 101.0}, None), ({"until": 100.0}, Step.LATE), ({"refused": True}, Step.STATUS),
])  # fmt: skip
def test_what_comes_before_what(changed: dict[str, Any], expected: Step | None) -> None:
    assert step(watched(newest=progress(), since=1.0, **changed), 100.0) is expected


def test_cards_tell_stages_counts_and_times() -> None:
    made = list(cards(progress()).values())
    assert [(one["title"], one["status"], one.get("output")) for one in made] == [
        ("Search the documents", "complete", "12 passages found, 0.0 s"),
        ("Read the closest passages", "complete", "1 passage read, 1.2 s"),
        ("Judge whether they answer the question", "in_progress", None),
    ]
    assert all(one["id"].startswith(mark("q1")) and len(one["title"]) <= 256 for one in made)


def test_only_what_changed_is_sent_and_a_stage_that_comes_again_waits() -> None:
    shown, later = cards(progress()), cards(progress(1, done=(), stage="retrieve"))
    assert changes(shown, shown) == []
    assert [(one["id"].rpartition(".")[2], one["status"]) for one in changes(later, shown)] == [
        ("rerank", "pending"), ("evaluate", "pending"), ("retrieve", "in_progress")]


@pytest.mark.parametrize("as_plan", [True, False])
def test_cards_of_a_message_are_known_by_their_question_and_ended(as_plan: bool) -> None:
    blocks: list[dict[str, Any]] = [{"type": "task_card", "task_id": one["id"], "title": one["title"],
                                     "status": one["status"]} for one in cards(progress()).values()]
    posted = {"blocks": [{"type": "plan", "title": "x", "tasks": blocks}] if as_plan else blocks}
    assert is_of("q1", posted) and not is_of("q2", posted) and not is_of("q1", {})
    assert [one.get("status") for one in ended(posted, well=True)] == [None, "complete"]
    assert [one.get("status") for one in ended(posted, well=False)] == [None, "error"]


@given(st.permutations(range(6)), st.lists(st.integers(0, 5), max_size=6))
def test_progress_in_any_order_with_gaps_and_repeats_ends_in_the_newest(order: list[int], lost: list[int]) -> None:
    tries = [progress(1), progress(2), progress(5), *(
        one.model_copy(update={"begun_at": NOW.replace(minute=1)}) for one in (progress(1), progress(2), progress(3)))]
    told = [tries[i] for i in order if i not in lost] + [tries[i] for i in order if i not in lost]
    newest: QuestionProgress | None = None
    for message in told:
        newest = message if message.newer(newest) else newest
    expected = max((i for i in range(6) if i not in lost), default=None)
    assert newest == (None if expected is None else tries[expected])


def test_slack_says_how_long_it_wants_to_be_left_alone() -> None:
    clock = [0.0]
    pace = Pace(lambda: clock[0])
    pace.failed("chat.startStream", SurfaceDown("429", retry_after_s=30.0))
    clock[0] = 29.9
    assert not pace.free("chat.startStream") and pace.free("chat.stopStream")
    clock[0] = 30.0
    assert pace.free("chat.startStream")
    pace.failed("chat.startStream", SurfaceDown("500"))
    assert not pace.free("chat.startStream")
