"""One language model for documents and the web: whatever befalls its calls about documents, the same bytes go out."""

import json
import re
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from fakes.fixed_evaluator import FixedEvaluator
from fakes.noted_web import web_passage
from homes.small_world import OPEN, passage, small_world
from model_fakes.chat_server import ChatServer, Handler, Part, fails, says
from model_fakes.language_model import model, models

from vouch.adapters.analyser import SnowballAnalyser
from vouch.adapters.language_model.judge import LanguageModelJudge
from vouch.adapters.language_model.planner import LanguageModelPlanner
from vouch.adapters.language_model.search_words import LanguageModelWords
from vouch.adapters.language_model.web_planner import LanguageModelWebPlanner
from vouch.answering.spending import spent_on_answer
from vouch.correction.components import Outside
from vouch.correction.loop import answer_question
from vouch.correction.planning.limits import Limits
from vouch.correction.planning.order import written
from vouch.ports.web import Found
from vouch.retrieval.question.query import web_query
from vouch.values.candidate import Passage

pytestmark = pytest.mark.integration

CHAIN = "Who leads the company that makes the Zephyr engine?"
MADE = web_passage("The Zephyr engine is made by Aurora Works of Riga.", "zephyr", "Zephyr engine")
LED = web_passage("Aurora Works: its chief is Judit Kalnins.", "aurora", "Aurora Works")
NOTHING: list[Passage] = []
INSIDE = [passage("The Zephyr engine is a secret of project Falcon.", chunk_id="a", title="Falcon")]
STEPS = Limits(tool_seconds=0.4)
BY_MODEL = ["CHOSEN Zephyr engine?", "CHOSEN Aurora 2", "CHOSEN Aurora 1"]


def judges(handler: Handler, body: dict[str, Any]) -> None:
    numbers = re.findall(r"(?m)^\[(\d+)\]", body["messages"][-1]["content"])
    told = [{"passage": int(one), "probability": 0.1} for one in numbers]
    says(json.dumps({"passages": told, "sufficient": 0.1}))(handler, body)


def late(handler: Handler, body: dict[str, Any]) -> None:
    """A second and a half over whatever holds words of a document, and then it is too late."""
    if "Falcon" in body["messages"][-1]["content"]:
        time.sleep(1.5)
        handler.close_connection = True
    else:
        judges(handler, body)


def thinks(handler: Handler, body: dict[str, Any]) -> None:
    says("{}", thought_tokens=9)(handler, body)


def _name(body: dict[str, Any]) -> str:
    return str(body["response_format"]["json_schema"]["name"])


def _is_about_the_web(body: dict[str, Any]) -> bool:
    return _name(body) == "words" or "on the web" in body["messages"][0]["content"]


def plays(documents: Part) -> Part:
    """`documents` replies to what may hold words of documents."""

    def part(handler: Handler, body: dict[str, Any]) -> None:
        told = body["messages"][-1]["content"]
        if _name(body) == "words":
            says(json.dumps({"words": ["CHOSEN", *told.split()[-2:]]}))(handler, body)
        elif _is_about_the_web(body):
            left = re.findall(r"Searches left: (\d)", told)
            says(written("web", {"query": f"Aurora {left[0]}"}, ""))(handler, body)
        else:
            documents(handler, body)

    return part


class Sending:
    """A web that keeps what it was sent."""

    def __init__(self, words: LanguageModelWords) -> None:
        self.sent: list[str] = []
        self._words = words

    def passages(self, question: str, top: int) -> Found:
        self.sent.append(self._words(question))
        return Found([LED] if "Aurora" in question else [MADE])


def went(
    rows: Sequence[Passage], documents: Part, *, judge: bool = True, planner: bool = False, until: float | None = None,
    answer_s: float = 20.0, most_calls: int = 3, **limits: Any,
) -> tuple[list[str], list[dict[str, Any]]]:  # fmt: skip
    """What the web was sent, and what the model was sent to choose it."""
    with ChatServer([plays(documents)]) as server:
        asked = models(model(server.url, **limits), answer_s=answer_s, most_calls=most_calls)
        rules = FixedEvaluator(0.1)
        web = Sending(LanguageModelWords(asked, lambda text: web_query(text, SnowballAnalyser(), len), seconds=1.0))
        made = small_world(
            rows, outside=Outside(web, OPEN), evaluator=LanguageModelJudge(asked, rules, len) if judge else rules,
            planner=LanguageModelPlanner(asked) if planner else None, web_planner=LanguageModelWebPlanner(asked),
            steps=STEPS,
        )
        with spent_on_answer(until):
            answer_question(replace(made.ask(CHAIN), steps=3), made.components)
        return web.sent, [body for body in server.requests if _is_about_the_web(body)]


@pytest.mark.parametrize(("documents", "how"), [
    (judges, {}),                                                       # takes a call
    (judges, {"most_calls": 1}),
    (late, {"answer_s": 1.0}),                                          # takes all of the answer's time
    (late, {"until": 1.0}),
    (fails(500), {"failures": 1}),                                      # opens the breaker
    (fails(500), {"failures": 1, "judge": False, "planner": True}),
    (fails(429, **{"Retry-After": "300"}), {"retries": 2}),
    (late, {"judge": False, "planner": True, "at_once": 1}),            # holds the only place
    (thinks, {}),                                                       # has taught the model's dialect
])
def test_whatever_befalls_calls_about_documents_the_same_bytes_go_out(documents: Part, how: dict[str, Any]) -> None:
    without, with_document = went(NOTHING, documents, **how), went(INSIDE, documents, **how)
    assert without[0] == with_document[0] == BY_MODEL
    assert without[1] == with_document[1] and "Falcon" not in str(with_document[1])


def test_calls_about_the_web_that_fail_move_to_the_rules_in_every_world() -> None:
    def down(handler: Handler, body: dict[str, Any]) -> None:
        (fails(500) if _is_about_the_web(body) else judges)(handler, body)

    sent = []
    for rows in (NOTHING, INSIDE):
        with ChatServer([down]) as server:
            asked = models(model(server.url, failures=1))
            web = Sending(LanguageModelWords(asked, lambda text: web_query(text, SnowballAnalyser(), len)))
            judge = LanguageModelJudge(asked, FixedEvaluator(0.1), len)
            made = small_world(rows, outside=Outside(web, OPEN), evaluator=judge,
                               web_planner=LanguageModelWebPlanner(asked))
            with spent_on_answer():
                answer_question(replace(made.ask(CHAIN), steps=3), made.components)
            sent.append((web.sent, sum(map(_is_about_the_web, server.requests))))
    assert sent[0] == sent[1] and sent[0][1] == 1 and "Aurora" in sent[0][0][-1]


def test_what_is_spent_on_the_web_is_told_with_the_answer_and_none_is_where_models_may_not_be_asked() -> None:
    for allowed, calls in ((True, 5), (False, 0)):
        with ChatServer([plays(judges)]) as server:
            asked = models(model(server.url))
            web = Sending(LanguageModelWords(asked, lambda text: web_query(text, SnowballAnalyser(), len)))
            made = small_world(outside=Outside(web, OPEN), evaluator=FixedEvaluator(0.1),
                               web_planner=LanguageModelWebPlanner(asked))
            with spent_on_answer(allowed=allowed) as spent:
                answer_question(replace(made.ask(CHAIN), steps=3), made.components)
            assert (spent.total().calls, len(server.requests)) == (calls, calls)
