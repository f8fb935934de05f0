"""A question that is asked as it stands and as a follow-up: what goes to the web is the same whatever documents say."""

from types import SimpleNamespace
from typing import Any

import pytest
from fakes.fixed_evaluator import FixedEvaluator
from fakes.noted_web import web_passage
from homes.small_world import NOW, OPEN, passage, small_world

from consumers.questions import answerer as answering
from consumers.questions.answerer import Answerer, left_of
from vouch.access import PUBLIC, Directory
from vouch.adapters.ledger import EarlierQuestion
from vouch.answering.answer import Answer
from vouch.correction.components import Outside
from vouch.correction.planning.limits import Limits
from vouch.messages import QuestionAsked, TagsAudience
from vouch.ports.web import Found
from vouch.values.candidate import Passage

FIRST, SECOND = "Who leads the company that makes the Zephyr engine?", "How many laptops are granted?"
MADE = web_passage("The Zephyr engine is made by Aurora Works of Riga.", "zephyr", "Zephyr engine")
LED = web_passage("Aurora Works: its chief is Judit Kalnins.", "aurora", "Aurora Works")
CHAIN = (("Falcon", "Osprey"), ("Osprey", "Heron"), ("Heron", "Merlin"), ("Merlin", "Falcon"))
DOCUMENTS = [passage(f"Laptops of the {name} team are granted by {other}.", chunk_id=f"c{name}", path=f"{name}.md",
                     title=name, section=(name,)) for name, other in CHAIN]


class Web:
    def __init__(self) -> None:
        self.asked: list[str] = []

    def passages(self, query: str, top: int) -> Found:
        self.asked.append(query)
        return Found([LED] if "Aurora" in query else [MADE] if "Zephyr" in query else [])


def message(name: str, text: str, steps: int | None = None) -> QuestionAsked:
    return QuestionAsked(id=name, text=text, surface="terminal", asker="user:ana", asked_at=NOW, steps=steps,
                         audience=TagsAudience(tags=(PUBLIC,)))


def asked_with(documents: list[Passage], steps: int) -> tuple[list[str], Answer]:
    web = Web()
    made = small_world(documents, outside=Outside(web, OPEN), evaluator=FixedEvaluator(0.1))
    permissions: Any = SimpleNamespace(permissions=lambda: SimpleNamespace(directory=Directory()))
    answerer = Answerer(permissions, made.index, lambda: made.components, lambda: NOW,
                        earlier=lambda _: [EarlierQuestion(message("q1", FIRST), {})])
    return web.asked, answerer.answer(message("q2", SECOND, steps)).answer


@pytest.mark.parametrize("steps", range(5))
def test_steps_in_documents_leave_the_web_what_it_may_take(steps: int) -> None:
    (without, _), (beside, answer) = asked_with([], steps), asked_with(DOCUMENTS, steps)
    assert beside == without and any("Zephyr" in query for query in without)
    assert sum(step.tool != "web" for step in answer.steps) <= steps


def test_planted_one_count_for_documents_and_the_web_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def shared(limits: Limits, answer: Answer) -> Limits:
        left = left_of(limits, answer)
        return Limits(**{**{name: getattr(left, name) for name in Limits.__slots__}, "web_taken": len(answer.steps)})

    monkeypatch.setattr(answering, "left_of", shared)
    assert asked_with([], 4)[0] != asked_with(DOCUMENTS, 4)[0]
