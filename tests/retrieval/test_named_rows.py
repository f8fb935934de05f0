"""A row that a question names by its first cell, such as Widget-17, comes first; nothing else moves."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest
from homes.small_world import EVERYBODY, passage, small_world

from services.answering.search import SearchService
from vouch.ports.index import Look
from vouch.retrieval.fusion import ReciprocalRanks
from vouch.retrieval.named_rows import NAMED_ROW, codes, named_first
from vouch.retrieval.question.query import form_query
from vouch.retrieval.ranking import Ranking, rank
from vouch.values.candidate import Candidate, Passage
from vouch.values.question import Query

HEADER = "| Product | Price | Stock |"


def rows(*names: str, chunk_id: str = "", first: int = 0) -> Passage:
    """Rows of a price list; each has the numbers of other rows as its stock."""
    text = "\n".join(f"| {name} | {n}0.00 | 17 |" for n, name in enumerate(names, first))
    return passage(text, chunk_id=chunk_id or names[0], path="prices.csv", title="", section=(), header=HEADER,
                   has_table=True, ordinal=first)


TABLE = [rows(f"Widget-{n}", f"Widget-{n + 1}", chunk_id=f"c{n:02}", first=n) for n in range(1, 41, 2)]


class NumberLast(ReciprocalRanks):
    """An order that has the rows of Widget-17 last, as models do that do not tell numbers apart."""

    def scores(self, query: Query, candidates: Sequence[Candidate], look: Look | None = None) -> list[float]:
        return [-1.0 if "Widget-17 " in c.passage.text else 1.0 for c in candidates]


def candidates(*passages: Passage) -> list[Candidate]:
    return [Candidate(one) for one in passages]


def test_codes_are_words_with_letters_and_digits_and_no_labels_of_many_things() -> None:
    asked = codes("What does (Widget-17) cost, and SKU1017’s or `INV/2024.3`? In Q3 of FY21, 2026-11-25, part-time.")
    assert asked == {"widget-17", "sku1017", "inv/2024.3"}


def test_the_rows_that_are_named_come_first_and_all_others_stay_in_order() -> None:
    given = candidates(*TABLE[:10])
    found = named_first("the price of WIDGET-17, please", given)
    assert found == [given[8], *given[:8], given[9]]
    assert named_first("the price of Widget-1", given)[0] is given[0]                   # and not 10 to 19
    assert named_first("compare Widget-17 with Widget-6", given)[:2] == [given[2], given[8]]


@pytest.mark.parametrize("text", ["the price of widgets", "Widget 17", "Widget-99", "row 17"])
def test_without_the_name_of_a_row_nothing_moves(text: str) -> None:
    given = candidates(*TABLE[:10])
    assert named_first(text, given) == given


def test_a_name_elsewhere_than_in_the_first_cell_names_no_row() -> None:
    prose = passage("Birds fly. Widget-17 is blue.", chunk_id="p")
    other = passage("| Order | Product |\n|---|---|\n| A | Widget-17 |", chunk_id="o", has_table=True)
    heads = passage("| Widget-17 | Price |\n|---|---|\n| new | 3 |", chunk_id="h", has_table=True)
    given = candidates(passage("Birds.", chunk_id="b"), prose, other, heads)
    assert named_first("Widget-17", given) == given


def test_a_name_that_many_passages_begin_a_row_with_is_none() -> None:
    few, many = ([*candidates(passage("Birds.", chunk_id="b")), *candidates(
        *(rows("DEV-1001", chunk_id=f"m{n}") for n in range(count)))] for count in (3, 4))
    assert named_first("DEV-1001", few)[-1] is few[0]
    assert named_first("DEV-1001", many) == many


def test_it_is_among_what_the_reranker_reads_and_first_after_it() -> None:
    world = small_world(TABLE)
    models, view = world.components.ranking_models, world.index.view(EVERYBODY)
    how = Ranking(top=20, rerank=4, fusion=NumberLast())

    def first(question: str) -> Candidate:
        return rank(view, form_query(question, world.components.analyser), models, how).candidates[0]

    found = first("what is the price of Widget-17?")
    assert found.chunk_id == "c17" and found.rerank_rank is not None
    assert found.fused_rank == len(TABLE)               # as the fusion gave it: what learns from ranks reads that
    assert first("what is the price of the widget with 17?").chunk_id != "c17"


def test_a_search_has_it_first_and_explains_that() -> None:
    m = (world := small_world(TABLE)).components
    everybody: Any = SimpleNamespace(permissions=lambda: SimpleNamespace(
        directory=SimpleNamespace(audience=lambda tags: EVERYBODY)))
    finder = SearchService(world.index, everybody, m.analyser, lambda: m.encoder, lambda: m.ranking_models,
                           Ranking(top=20, fusion=NumberLast()))
    for mode in ("lexical", "fused", "reranked"):
        found = finder.search("Widget-17", ["public"], 3, mode, explain=True)["results"]
        told = [[part["feature"] for part in one["why"]][-1] == NAMED_ROW for one in found]
        assert found[0]["chunk_id"] == "c17" and told == [True, False, False], mode
    assert finder.search("Widget-17", ["public"], 3, "dense")["results"][0]["chunk_id"] != "c17"   # that engine's alone
