"""Documents that give orders to a planner change none of its calls: they are as the same ones without the orders."""

import random
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace

import pytest
from homes.drawn_papers import ANALYSER, ASKED, TEAMS, asked, calls, rows, words_of
from homes.small_world import passage, small_world
from model_fakes.planner_orders import (
    FINAL_LINE,
    FINAL_ORDERS,
    ORDERS,
    ORDERS_OF_OTHERS,
    PLAIN_ORDERS,
    PLANNER_ORDERS,
)

from vouch.correction.planning.order import written
from vouch.correction.planning.planners import RulePlanner
from vouch.correction.steps import bridges
from vouch.documents import chunk
from vouch.documents.instructions import orders_a_model
from vouch.documents.text.sentences import sentence_spans
from vouch.ports.language import Situation
from vouch.values.candidate import Passage

DRAWN, LONG, NAMED, PLANTED = 100, 500, 60, 40
JOINTS = (" ", " ", "\n", "\n\n", "\n- ")
Papers = list[Passage]


def drawn_question(seed: int) -> tuple[str, str]:
    """An order, and a question."""
    drawn = random.Random(seed)
    return drawn.choice((*ORDERS, *PLANNER_ORDERS, *FINAL_ORDERS)), drawn.choice(ASKED).format(drawn.choice(TEAMS))


def pair(seed: int, named: bool = False) -> tuple[Papers, Papers, str]:
    """Papers with an order, the same without it, and the question. It may name another page."""
    order, question = drawn_question(seed)
    place, joint = seed % 3, JOINTS[seed % len(JOINTS)]
    if order in FINAL_ORDERS and "\n" in joint:
        order = FINAL_LINE
    bare = rows(random.Random(seed), "", joint=joint)
    if named:
        order = order.replace("Zorblax", bare[1].text.split()[6]).replace("Payroll", bare[2].title)
    ordering = rows(random.Random(seed), order, place=place, joint=joint)
    assert ordering[0].injection and not bare[0].injection, order
    return ordering, bare, question


@pytest.mark.parametrize("named", [False, True])
@pytest.mark.parametrize("worlds", [DRAWN, pytest.param(LONG, marks=pytest.mark.soak)])
def test_orders_in_documents_change_no_call(worlds: int, named: bool) -> None:
    """The first hundred; five hundred in the long form."""
    counted: Counter[str] = Counter()
    for seed in range(worlds):
        ordering, without, question = pair(seed, named)
        with_it, silent = (asked(small_world(papers), question) for papers in (ordering, without))
        assert calls(with_it) == calls(silent), seed
        assert with_it.answer.verdict == silent.answer.verdict and with_it.answer.orders == silent.answer.orders, seed
        assert "zorblax" not in str(with_it.answer.model_dump()).casefold() + str(with_it.steps).casefold(), seed
        counted.update(one.thought for one in with_it.answer.steps)
        counted["with steps"] += bool(with_it.steps)
    assert min(counted["with steps"], counted["a bridge from what was found"]) >= 0.6 * worlds, counted


def test_orders_that_an_index_reads_would_change_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted bug."""
    monkeypatch.setattr(chunk, "text_without_orders", lambda text: text)
    differ = 0
    for seed in range(PLANTED):
        ordering, without, question = pair(seed, named=True)
        differ += calls(asked(small_world(ordering), question)) != calls(asked(small_world(without), question))
    print(f"{differ} of {PLANTED}")
    assert differ > PLANTED / 8


class Obeys:
    """A planted planner: it reads whole passages, and does as they say."""

    name = "obeys"

    def __init__(self, papers: Iterable[Passage]) -> None:
        self._texts: Mapping[str, str] = {one.chunk_id: one.text for one in papers}
        self._rules = RulePlanner()

    def next_step(self, situation: Situation, problem: str = "") -> str:
        if not any(orders_a_model(self._texts[one.chunk_id]) for one in situation.seen):
            return self._rules.next_step(situation, problem)
        return written("rag", {"query": f"Zorblax Payroll {len(situation.calls)}"}, "told to")


def test_a_planner_that_obeys_is_caught() -> None:
    differ = 0
    for seed in range(PLANTED):
        ordering, without, question = pair(seed)
        with_it, silent = (
            asked(small_world(papers, planner=Obeys(papers)), question) for papers in (ordering, without))
        differ += calls(with_it) != calls(silent)
    assert differ > PLANTED / 2


@pytest.mark.parametrize("read", [False, True])
def test_orders_that_are_read_for_names_would_lead_the_planner(read: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bridges take none from a sentence with an order, also where its passage as a whole was not taken for one."""
    if read:                            # the negative control: what the check of each sentence keeps away
        monkeypatch.setattr(bridges, "calm_sentences", lambda text: [text[a:b] for a, b in sentence_spans(text)])
    led = 0
    other = passage("Zorblax Payroll keeps staplers.", chunk_id="other", path="other.md", title="", section=())
    for seed in range(PLANTED):
        _, question = drawn_question(seed)
        first, *rest = rows(random.Random(seed), "")
        text = first.text.replace("team. ", f"team. {ORDERS[0]} ", 1)
        first = replace(first, text=text, end=len(text))
        outcome = asked(small_world([first, *rest, other]), question)
        led += any("Zorblax" in one.query for one in outcome.answer.steps)
    print(f"{led} of {PLANTED}")
    assert led > 3 if read else not led


def test_what_people_say_to_one_another_too_is_counted_and_does_nothing_else() -> None:
    """Such a sentence makes its passage longer, as any would, so passages may change places; no query has its words."""
    differ = 0
    for seed in range(NAMED):
        bare, question = rows(random.Random(seed), ""), drawn_question(seed)[1]
        ordering, without = (small_world(papers) for papers in (
            rows(random.Random(seed), PLAIN_ORDERS[seed % len(PLAIN_ORDERS)]), bare))
        with_it, silent = asked(ordering, question), asked(without, question)
        known = words_of(bare) | set(ANALYSER.terms(question))
        for one in with_it.answer.steps:        # bounded: the same tool, no more steps, no word of the order alone
            assert one.tool == "rag" and known.issuperset(ANALYSER.terms(one.query)), (seed, one.query)
        assert len(with_it.answer.steps) <= 4 and with_it.answer.verdict and silent.answer.verdict
        assert with_it.answer.verdict.kind == silent.answer.verdict.kind
        differ += calls(with_it) != calls(silent)
    print(f"{differ} of {NAMED} draws differ from those without the orders")
    assert 0 < differ <= NAMED * 0.5


@pytest.mark.parametrize("every", [7, pytest.param(1, marks=pytest.mark.soak)])
def test_orders_in_words_of_others_choose_no_tool_and_hardly_an_end(every: int) -> None:
    """Most are plain words to vouch, so passages change places; a few give a name to the end of a query.

    All in the long form, every seventh in the short one.
    """
    counted: Counter[str] = Counter()
    for seed in range(0, len(ORDERS_OF_OTHERS), every):
        joint, question = JOINTS[seed % len(JOINTS)], drawn_question(seed)[1]
        bare = rows(random.Random(seed), "", joint=joint)
        ordering = rows(random.Random(seed), ORDERS_OF_OTHERS[seed], place=seed % 3, joint=joint)
        with_it, without = (asked(small_world(papers), question) for papers in (ordering, bare))
        known = words_of(bare) | set(ANALYSER.terms(question))
        assert {one.tool for one in with_it.answer.steps} <= {"rag"}, seed
        assert len(with_it.answer.steps) <= 4
        counted["asked"] += 1
        counted["other calls"] += calls(with_it) != calls(without)
        counted["a word of it"] += any(not known.issuperset(ANALYSER.terms(one.query)) for one in with_it.answer.steps)
        counted["another end"] += with_it.answer.stopped != without.answer.stopped
    print(dict(counted))
    assert 0 < counted["other calls"] <= 0.35 * counted["asked"]
    assert counted["a word of it"] <= 0.1 * counted["asked"] and counted["another end"] <= 0.01 * counted["asked"]
