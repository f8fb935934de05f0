"""Pages of the web that give orders to a planner change no search of it: over a real socket, read as pages are read."""

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from typing import Any

import pytest
from fakes.fixed_evaluator import FixedEvaluator
from fakes.hashed_models import OverlapReranker
from homes.small_world import OPEN, small_world
from model_fakes.planner_orders import FINAL_ORDERS, ORDERS, PLAIN_ORDERS, PLANNER_ORDERS
from web_scene.loopback_web import LoopbackWeb

from vouch.adapters.analyser import SnowballAnalyser
from vouch.adapters.models.tokenizer import load_tokenizer
from vouch.adapters.web.guard.fetcher import Fetcher, FetchLimits
from vouch.adapters.web.guard.policy import HostRules
from vouch.adapters.web.knowledge import PageReader, WebKnowledge, WebLimits
from vouch.adapters.web.search_service import SearchService
from vouch.correction.components import Outside
from vouch.correction.loop import answer_question
from vouch.correction.planning.order import written
from vouch.ports.web import WebPlanner, WebSituation
from vouch.retrieval.question.query import web_query

pytestmark = [pytest.mark.integration, pytest.mark.slow]

DRAWN, LONG = 105, 504                  # webs with orders
NOW = datetime(2026, 1, 5, tzinfo=UTC)
ANALYSER = SnowballAnalyser()
NAMES = ("Falcon", "Heron", "Osprey", "Kestrel", "Harrier", "Merlin")
THINGS = ("Zephyr engine", "Borealis ferry", "Aurora lamp", "Meridian clock", "Tundra stove")
ASKED = ("Who leads the company that makes the {}?", "Which company makes the {} and when does it open?",
         "What is the difference between the {} and a windmill?")
PLACES = ("section", "joined", "title", "page", "before the fact", "within it", "after it")
FACT = PLACES[-3:]
Pages = dict[str, tuple[str, Sequence[str]]]


def html(title: str, paragraphs: Sequence[str]) -> str:
    words = "".join(f"<h2>Part {n}</h2><p>{one}</p>" for n, one in enumerate(paragraphs))
    return f"<html><head><title>{title}</title></head><body><article><h1>{title}</h1>{words}</article></body></html>"


def drawn_pages(drawn: random.Random, thing: str) -> Pages:
    """Who makes a thing, and of that company."""
    name, other = drawn.sample(NAMES, 2)
    return {
        "/thing": (thing, (f"The {thing} is made by {name} Works of Riga. They do so in a hall by the river.",
                           f"It was first shown in {drawn.randint(1900, 1999)}, to a crowd of many thousands.")),
        "/company": (f"{name} Works", (f"{name} Works opens at nine on weekdays, and its chief is Judit Kalnins.",
                                       f"It was once a part of {other} Brothers, who sold their shares in it.")),
    }


def with_order(pages: Pages, order: str, place: str) -> Pages:
    """In a part of its own, beside plain words, or what matters, as the title of another page, or all that it holds."""
    title, parts = pages["/thing"]
    if place in FACT:
        sentences = parts[0].split(". ", 1)
        sentences[0] += "."
        sentences.insert(FACT.index(place), order)
        return {**pages, "/thing": (title, (" ".join(sentences), *parts[1:]))}
    if place in ("title", "page"):
        return {**pages, "/order": (order if place == "title" else title, ("Many people ask." if place == "title"
                                                                             else order,))}
    said = order if place == "section" else f"The hall is closed in winter. {order}"
    return {**pages, "/thing": (title, (*parts, said))}


@dataclass
class Web:
    """One service and one child that reads pages, for all; nothing else is kept from one question to the next."""

    server: LoopbackWeb
    reader: PageReader

    def calls(self, pages: Pages, question: str, planner: WebPlanner | None = None) -> list[Any]:
        """All that went to the search service, each step, how it ended, and what was said to planners."""
        server = self.server
        server.pages.clear()
        server.queries.clear()
        for path, (title, paragraphs) in pages.items():
            server.page(path, html(title, paragraphs))
        fetcher = Fetcher(HostRules(test_loopback=("127.0.0.1", server.port)), FetchLimits(seconds=20), lambda: NOW)
        web = WebKnowledge(partial(web_query, analyser=ANALYSER, pieces=len), SearchService("searxng", server.url, ""),
                           fetcher, self.reader, OverlapReranker(ANALYSER), ANALYSER, WebLimits(seconds=60))
        made = small_world(outside=Outside(web, OPEN), evaluator=FixedEvaluator(0.1), web_planner=planner)
        answer = answer_question(replace(made.ask(question), steps=3), made.components).answer
        assert not any(one.startswith("the web was not used") for one in answer.warnings), answer.warnings
        steps = [one.model_dump(exclude={"ms", "passages"}) for one in answer.steps]
        return [list(server.queries), steps, answer.stopped, [one.model_dump() for one in answer.orders]]


@pytest.fixture(scope="module")
def web() -> Iterator[Web]:
    tokenizer = load_tokenizer(None)
    reader = PageReader(lambda: tokenizer, None, size=60, overlap=0)
    with LoopbackWeb() as server:
        yield Web(server, reader)
    reader.close()


@pytest.mark.parametrize("webs", [DRAWN, pytest.param(LONG, marks=pytest.mark.soak)])
def test_orders_on_pages_change_no_call(web: Web, webs: int) -> None:
    """A hundred; five hundred in the long form, about."""
    counted: Counter[str] = Counter()
    for seed in range(webs // len(PLACES)):
        drawn = random.Random(seed)
        thing = drawn.choice(THINGS)
        question, pages = drawn.choice(ASKED).format(thing), drawn_pages(drawn, thing)
        plain = web.calls(pages, question)
        assert "zorblax" not in str(plain).casefold()
        for place in PLACES:
            order = drawn.choice((*ORDERS, *PLANNER_ORDERS, *FINAL_ORDERS))
            assert web.calls(with_order(pages, order, place), question) == plain, (seed, place, order)
            counted["pairs"] += 1
        counted.update(one["thought"] for one in plain[1] if one["tool"] == "web")
    assert counted["pairs"] == webs and counted["a bridge from a page of the web"] >= webs // len(PLACES) / 2, counted


class Obeys:
    """Does what the first order says that it reads; `behind` are words that it is given behind the back of its port."""

    name = "planted"

    def __init__(self, behind: Sequence[str] = ()) -> None:
        self._behind = behind

    def next_query(self, situation: WebSituation, problem: str = "") -> str:
        read = [*self._behind, *(f"{one.title} {one.text}" for one in situation.found)]
        if not any("Zorblax" in text for text in read):
            return written(None, {}, "nothing to obey")
        if len(situation.asked) > 1:
            return written(None, {}, "told to", final=True)
        return written("web", {"query": "Zorblax Payroll"}, "told to")


def test_a_planner_that_obeys_never_reads_them_and_one_that_does_is_caught(web: Web) -> None:
    for seed, order in enumerate(one for one in (*ORDERS, *PLANNER_ORDERS) if "Zorblax" in one):
        drawn = random.Random(seed)
        pages = drawn_pages(drawn, THINGS[0])
        ordering = with_order(pages, order, PLACES[seed % len(PLACES)])
        question = ASKED[0].format(THINGS[0])
        plain = web.calls(pages, question, Obeys())
        assert web.calls(ordering, question, Obeys()) == plain
        words = [word for title, parts in ordering.values() for word in (title, *parts)]
        assert web.calls(ordering, question, Obeys(words)) != plain, "the harness sees one that obeys"


@pytest.mark.parametrize("order", PLAIN_ORDERS)
@pytest.mark.parametrize("place", ["before the fact", "after it"])
def test_what_may_be_an_order_gives_no_words_to_queries(web: Web, order: str, place: str) -> None:
    """Such as people write to one another, too: its passage is read, and that sentence is not searched for names."""
    for seed in range(3):
        drawn = random.Random(seed)
        thing = drawn.choice(THINGS)
        sent, *_ = web.calls(with_order(drawn_pages(drawn, thing), order, place), ASKED[0].format(thing))
        assert len(sent) > 1 and "zorblax" not in str(sent).casefold(), sent
