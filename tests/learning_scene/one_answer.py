"""An answer whose passages are known, what was asked after it, and the labels that come of both."""

from datetime import UTC, datetime, timedelta
from typing import Any

from vouch.learning.labels.label import Label
from vouch.learning.labels.threads import Threads
from vouch.learning.labels.weak_labels import Answered, Ballot, Given, LabelRules, weak_labels
from vouch.messages import QuestionAsked, TagsAudience

NOW = datetime(2026, 11, 23, 10, 0, tzinfo=UTC)
MINUTE, DAY = timedelta(minutes=1), timedelta(days=1)
ANA, BO = "user:ana@acme.test", "user:bo@acme.test"
RULES = LabelRules()


def terms(text: str) -> list[str]:
    return text.lower().replace("?", "").split()


def question(text: str = "rotate api keys?", at: datetime = NOW, **more: Any) -> QuestionAsked:
    values: dict[str, Any] = {
        "id": f"q{at.timestamp()}", "surface": "slack", "asker": ANA, "thread": "t1",
        "audience": TagsAudience(tags=("user:bo@acme.test", "group:staff")),
    }  # fmt: skip
    return QuestionAsked(text=text, asked_at=at, **values | more)


def answered(*votes: Ballot, action: str = "answered", sent: bool = True, **more: Any) -> Answered:
    """Made a minute after the question: b is cited first, then a; c was given and not cited."""
    body = {"id": "a1", "action": action, "index_version": 7, "citations": [
        {"chunk_id": "b"}, {"chunk_id": "a"}, {"chunk_id": "b"},
    ]}  # fmt: skip
    given = (Given("a", "aa", 1, True), Given("b", "bb", 2, True), Given("c", None, 3, False))
    return Answered(question(**more), body, NOW + MINUTE, sent, given, votes)


def vote(kind: str, category: str | None = None, person: str = BO) -> Ballot:
    return Ballot(person, kind, category, NOW + 5 * MINUTE)


def labels(one: Answered, *thread: QuestionAsked, at: datetime = NOW + 2 * MINUTE) -> list[Label]:
    return weak_labels(one, Threads([one.question, *thread], terms), RULES, at)


def told(found: list[Label], source: str) -> dict[str, tuple[int, float]]:
    return {label.chunk_id: (label.relevance, label.weight) for label in found if label.source == source}
