"""Documents that give orders to a planner change none of its calls; what an index counts of their words may."""

import random
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace

import pytest
from homes.drawn_papers import ANALYSER, ASKED, TEAMS, asked, calls, level, rows, words_of
from homes.small_world import passage, small_world
from model_fakes.planner_orders import ORDERS
from model_fakes.words_alike import ordinary

from vouch.correction.planning.order import written
from vouch.correction.planning.planners import RulePlanner
from vouch.correction.steps import bridges
from vouch.documents.instructions import orders_a_model
from vouch.ports.language import Situation
from vouch.values.candidate import Passage

DRAWN, LONG, NAMED, PLANTED = 100, 500, 120, 40


def drawn_question(seed: int) -> tuple[str, str]:
    """An order, and a question."""
    drawn = random.Random(seed)
    return drawn.choice(ORDERS), drawn.choice(ASKED).format(drawn.choice(TEAMS))


def pair(seed: int) -> tuple[list[Passage], list[Passage], str, frozenset[str]]:
    """Papers with an order, and with an ordinary sentence of its length in its place; the question; all other words."""
    order, question = drawn_question(seed)
    vocabulary = words_of(rows(random.Random(seed), "")) | frozenset(ANALYSER.terms(question))
    sentence = ordinary(order, ANALYSER)
    for text in (order, sentence):      # no name or rare word of another paper, and nothing that is asked for
        assert vocabulary.isdisjoint(ANALYSER.terms(text)), text
    assert len(ANALYSER.terms(sentence)) == len(ANALYSER.terms(order)) and sentence.islower()
    ordering, plain = (rows(random.Random(seed), text) for text in (order, sentence))
    assert ordering[0].injection and not plain[0].injection
    return ordering, plain, question, vocabulary


@pytest.mark.parametrize("worlds", [DRAWN, pytest.param(LONG, marks=pytest.mark.soak)])
def test_orders_in_documents_change_no_call(worlds: int) -> None:
    """The first hundred; five hundred in the long form. Both worlds are indexed as they are."""
    counted: Counter[str] = Counter()
    for seed in range(worlds):
        ordering, plain, question, vocabulary = pair(seed)
        with_it, without = (asked(level(papers, vocabulary), question) for papers in (ordering, plain))
        assert calls(with_it) == calls(without), seed
        assert "zorblax" not in str(with_it.answer.model_dump()).casefold() + str(with_it.steps).casefold()
        assert {one.tool for one in with_it.answer.steps} <= {"rag"}
        counted.update(one.thought for one in with_it.answer.steps)
        counted["with steps"] += bool(with_it.steps)
    assert min(counted["with steps"], counted["a bridge from what was found"]) >= 0.6 * worlds, counted


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
        ordering, plain, question, vocabulary = pair(seed)
        with_it, without = (
            asked(level(papers, vocabulary, planner=Obeys(papers)), question) for papers in (ordering, plain))
        differ += calls(with_it) != calls(without)
    assert differ > PLANTED / 2


@pytest.mark.parametrize("read", [False, True])
def test_orders_that_are_read_for_names_would_lead_the_planner(read: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bridges take none from a sentence with an order, also where its passage as a whole was not taken for one."""
    if read:                            # the negative control: what the check of each sentence keeps away
        monkeypatch.setattr(bridges, "may_order_a_model", lambda text: False)
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


@pytest.mark.parametrize("named", [False, True])
def test_their_words_are_counted_and_do_nothing_else(named: bool) -> None:
    """An order makes its passage longer and its words less rare, as any words would; so passages may change places.

    Orders that name a page, and what is asked for, have more of it. With what the index counts as it is without the
    orders none is left: it is not read for names.
    """
    differ = 0
    for seed in range(NAMED):
        order, question = drawn_question(seed)
        bare = rows(random.Random(seed), "")
        if named:
            order = order.replace("Zorblax", bare[1].text.split()[6]).replace("Payroll", bare[2].title)
        ordering, without = small_world(rows(random.Random(seed), order)), small_world(bare)
        with_it, silent = asked(ordering, question), asked(without, question)
        if calls(with_it) == calls(silent):
            continue
        differ += 1
        ordering.index.terms, ordering.index.vectors = without.index.terms, without.index.vectors
        assert calls(asked(ordering, question)) == calls(silent), seed
        known = words_of(bare) | set(ANALYSER.terms(question))
        for one in with_it.answer.steps:        # bounded: the same tool, no more steps, no word of the order alone
            assert one.tool == "rag" and known.issuperset(ANALYSER.terms(one.query)), (seed, one.query)
        assert len(with_it.answer.steps) <= 4 and with_it.answer.verdict and silent.answer.verdict
        assert with_it.answer.verdict.kind == silent.answer.verdict.kind
    print(f"{differ} of {NAMED} draws differ from those without the orders, named: {named}")
    assert 0 < differ <= NAMED * (0.8 if named else 0.5)
