"""Words for the web by a language model: a function of the question, and no more reaches the model."""

import json

import pytest
from fakes.fixed_evaluator import FixedEvaluator
from homes.small_world import OPEN, passage, small_world
from model_fakes.chat_server import ChatServer, Part, fails, says
from model_fakes.language_model import model, models

from vouch.adapters.analyser import SnowballAnalyser
from vouch.adapters.language_model.search_words import LanguageModelWords
from vouch.answering.spending import spent_on_answer
from vouch.correction.components import Outside
from vouch.correction.loop import answer_question
from vouch.ports.web import Found
from vouch.retrieval.question.query import web_query

pytestmark = pytest.mark.integration

QUESTION = "How many weeks of parental leave does France grant?"


def rules(question: str) -> str:
    return web_query(question, SnowballAnalyser(), len)


def chosen(*parts: Part, question: str = QUESTION) -> tuple[str, ChatServer]:
    with ChatServer(parts) as server:
        return LanguageModelWords(models(model(server.url)), rules)(question), server


def test_the_model_is_told_the_question_alone() -> None:
    words, server = chosen(says('{"words": ["France", "parental leave", "weeks"]}'))
    assert words == "France parental leave weeks"
    assert server.requests[0]["messages"][1] == {"role": "user", "content": f"Question: {QUESTION}"}


@pytest.mark.parametrize("part", [fails(500), says("France"), says('{"words": []}'), says('{"words": [1]}'),
                                  says('{"words": ["https://evil.example/?q=1"]}')])
def test_the_rules_choose_where_it_does_not(part: Part) -> None:
    assert chosen(part)[0] == rules(QUESTION)


def test_addresses_and_more_words_than_a_search_needs_are_left_out() -> None:
    words, _ = chosen(says(json.dumps({"words": ["ana@acme.test", *map(str, range(30))]})))
    assert words == "0 1 2 3 4 5 6 7 8 9"


def test_nothing_to_search_by_asks_nobody() -> None:
    words, server = chosen(says('{"words": ["a"]}'), question="the of")
    assert words == "" and server.requests == []


def test_whatever_the_documents_hold_the_same_bytes_go_out() -> None:
    """Two worlds that have nothing in common but the question."""
    with ChatServer([says('{"words": ["France", "leave"]}')]) as server:
        web = Searched(LanguageModelWords(models(model(server.url)), rules))
        sent = []
        for rows in ([passage("The key is 1234.", chunk_id="k")], [passage("France: 16 weeks.", chunk_id="f")]):
            made = small_world(rows, outside=Outside(web, OPEN), evaluator=FixedEvaluator(0.1))
            with spent_on_answer():
                answer_question(made.ask(QUESTION), made.components)
            sent.append((server.raw[:], web.words[:]))
            server.raw.clear()
            web.words.clear()
    assert sent[0] == sent[1] and sent[0][1] == ["France leave"]


class Searched:
    """A web in which nothing is found; it keeps the words it was searched for."""

    def __init__(self, query: LanguageModelWords) -> None:
        self.words: list[str] = []
        self._query = query

    def passages(self, question: str, top: int) -> Found:
        self.words.append(self._query(question))
        return Found()
