"""A thread shows how far its question is, and in the end the answer alone."""

import threading
from typing import Any

import pytest
from slack_scene.slack_company import LEAVE, PLAN, Company, at, company
from slack_scene.slack_places import Place
from slack_scene.slack_slow import called, held, only_answer, settled, streamed, until

pytestmark = pytest.mark.integration
STREAMS = ("chat.startStream", "chat.appendStream")


def test_stages_are_shown_while_it_works_and_become_the_answer(acme: Company) -> None:
    people = acme.slack.workspace.channel("C1", "people", [acme.ben.id], "private")
    asked = acme.slack.deliveries.say(acme.ben.id, people, at(PLAN))
    until(lambda: acme.slack.workspace.status == {("C1", asked.ts): "is looking through the documents"})
    with held(acme):
        [shown] = until(lambda: streamed(acme))
        until(lambda: "… Judge whether they answer" in shown.shown())
        assert "✓ Search the documents: 2 passages found" in shown.shown()
        assert "✓ Read the closest passages: 2 passages read" in shown.shown()
        assert shown.thread_ts == asked.ts and "60" not in shown.shown()
        assert acme.slack.workspace.status == {}
    answer = only_answer(acme, acme.ben, people)
    assert answer is shown and "60 days" in answer.shown() and "[1] plan" in answer.shown()
    assert answer.shown().startswith("What I did\n") and "…" not in answer.shown().splitlines()[5]
    assert called(acme, "chat.postMessage") == []


def test_what_is_shown_before_the_answer_holds_no_word_of_question_or_document(acme: Company) -> None:
    people = acme.slack.workspace.channel("C1", "people", [acme.ben.id], "private")
    acme.slack.deliveries.say(acme.ben.id, people, at(PLAN))
    with held(acme) as gate:
        until(lambda: streamed(acme))
        gate.open.set()
    only_answer(acme, acme.ben, people)
    told = [given for method in STREAMS for given in called(acme, method)]
    assert told
    for word in ("performance", "improvement", "60 days", "weekly", "plan.md"):
        assert [given for given in told if word in str(given)] == []


def test_a_quick_answer_is_posted_without_stages(acme: Company) -> None:
    people = acme.slack.workspace.channel("C1", "people", [acme.ben.id], "private")
    acme.ask(acme.ben, people, at(PLAN))
    assert "60 days" in only_answer(acme, acme.ben, people).shown()
    assert called(acme, "chat.startStream") == []
    assert acme.slack.workspace.status == {}


def test_a_stream_that_expired_is_updated_and_one_that_somebody_deleted_is_posted(acme: Company) -> None:
    people = acme.slack.workspace.channel("C1", "people", [acme.ben.id], "private")
    for gone in (False, True):
        acme.slack.deliveries.say(acme.ben.id, people, at(LEAVE))
        with held(acme):
            [shown] = until(lambda: [m for m in streamed(acme) if not m.metadata])
            if gone:
                acme.slack.workspace.messages.remove(shown)
            else:
                assert shown.stream is not None
                shown.stream.open = False
        settled(acme)
    first, second = acme.answers(acme.ben, people)
    assert "12 weeks" in first.shown() and "12 weeks" in second.shown()
    assert len(called(acme, "chat.update")) == len(called(acme, "chat.postMessage")) == 1


def test_with_a_status_alone_the_status_tells_the_stages(place: Place) -> None:
    with company(*place, progress="status") as acme:
        people = acme.slack.workspace.channel("C1", "people", [acme.ben.id], "private")
        acme.slack.deliveries.say(acme.ben.id, people, at(PLAN))
        with held(acme):
            until(lambda: any("judging" in words for _, _, words in acme.slack.workspace.statuses))
        assert "60 days" in only_answer(acme, acme.ben, people).shown()
        assert not any(called(acme, method) for method in STREAMS)


def test_without_any_progress_the_status_stays_and_the_answer_comes(acme: Company) -> None:
    people = acme.slack.workspace.channel("C1", "people", [acme.ben.id], "private")
    acme.publisher.close()
    asked = acme.slack.deliveries.say(acme.ben.id, people, at(PLAN))
    with held(acme) as gate:
        assert gate.reached.wait(10)
        until(lambda: acme.slack.workspace.status == {("C1", asked.ts): "is looking through the documents"})
    assert "60 days" in only_answer(acme, acme.ben, people).shown()
    assert streamed(acme) == []


def test_questions_of_one_thread_are_answered_in_their_order(acme: Company) -> None:
    people = acme.slack.workspace.channel("C1", "people", [acme.ben.id], "private")
    first = acme.slack.deliveries.say(acme.ben.id, people, at(PLAN))
    acme.slack.deliveries.say(acme.ben.id, people, at(LEAVE), first.ts)
    with held(acme):
        until(lambda: streamed(acme))
    settled(acme)
    told = sorted(acme.answers(acme.ben, people), key=lambda m: float(m.ts))
    assert ["60 days" in m.shown() for m in told] == [True, False]
    assert "12 weeks" in told[1].shown()


def test_whoever_joins_while_stages_are_shown_counts(acme: Company) -> None:
    people = acme.slack.workspace.channel("C1", "people", [acme.ben.id], "private")
    acme.slack.deliveries.say(acme.ben.id, people, at(PLAN))
    with held(acme):
        until(lambda: streamed(acme))
        people.members.append(acme.ana.id)
    assert "60 days" not in only_answer(acme, acme.ana, people).shown()


def test_a_status_that_comes_after_the_answer_goes_away(acme: Company, monkeypatch: pytest.MonkeyPatch) -> None:
    """Slack took its time for it: at the answer there was none to take away."""
    people = acme.slack.workspace.channel("C1", "people", [acme.ben.id], "private")
    real, posted, came = acme.slack.answer, threading.Event(), threading.Event()

    def answer(name: str, token: str, given: dict[str, Any], **more: Any) -> dict[str, Any]:
        late = name == "assistant.threads.setStatus" and not came.is_set()
        if late:
            posted.wait(10.0)
        told = real(name, token, given, **more)
        if late:
            came.set()
        return told

    monkeypatch.setattr(acme.slack, "answer", answer)
    acme.ask(acme.ben, people, at(PLAN))
    posted.set()
    assert came.wait(10.0)
    until(lambda: acme.slack.workspace.statuses[-1][2] == "")
    assert acme.slack.workspace.status == {}
    only_answer(acme, acme.ben, people)
