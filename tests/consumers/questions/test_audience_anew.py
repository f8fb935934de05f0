"""The audience of a question is looked up at each look, as memberships end while an answer is made."""

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

from consumers.questions.answerer import Answerer
from vouch.access import Directory, Person
from vouch.messages import QuestionAsked

NOW = datetime(2026, 1, 5, tzinfo=UTC)


def test_the_audience_of_a_question_is_looked_up_anew_at_each_look() -> None:
    force = SimpleNamespace(directory=Directory(people={"ana": Person(("staff",))}, groups={"staff": ()}))
    permissions: Any = SimpleNamespace(permissions=lambda: force)
    nothing: Any = SimpleNamespace()
    question = Answerer(permissions, nothing, nothing, lambda: NOW)._question(QuestionAsked.model_validate({
        "id": "q", "text": "Who?", "surface": "terminal", "asker": "user:ana", "audience": {"tags": ("user:ana",)},
        "asked_at": NOW}))
    assert "group:staff" in question.current_audience().readers[0].principals
    force.directory = Directory()
    assert question.current_audience().readers[0].principals == {"public"}
