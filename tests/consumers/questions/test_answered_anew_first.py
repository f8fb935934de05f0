"""Somebody waits for an answer that is made anew, too: its texts are urgent in the models."""

from types import SimpleNamespace
from typing import Any

from composition.models import active_requests
from consumers.wiring.components import WorkerComponents


def test_an_answer_made_anew_is_at_work_as_an_active_request() -> None:
    joined: list[bool] = []
    answerer = SimpleNamespace(answer=lambda question: joined.append(active_requests().joined))
    process: Any = SimpleNamespace(answerer=answerer)
    question: Any = object()
    WorkerComponents._answer_anew(process, question)
    assert joined == [True] and not active_requests().joined
