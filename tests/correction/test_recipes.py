"""Quotations that may not answer make room for the nearest passages; the words of a language model never do."""

from collections.abc import Sequence

import pytest
from small_world import evidence, small_world

from vouch.answering.nearest import quote_nearest
from vouch.correction.evaluation import Verdict, VerdictKind
from vouch.correction.recipes import FactRecipe
from vouch.errors import ModelDown
from vouch.ports.writer import QUOTED, Draft, DraftSentence, Evidence
from vouch.retrieval.query import form_query

QUESTION = "How many weeks of paid leave do parents get?"
TEXT = "Parents get 12 weeks of paid leave. It must be used within one year."
FIRST = (DraftSentence("Parents get 12 weeks of paid leave.", ((1, 0, 35),)),)


class Fixed:
    """A writer that writes what it is told, and fails if it is told nothing."""

    def __init__(self, draft: Draft | None = None) -> None:
        self.draft = draft

    def write(self, question: str, given: Sequence[Evidence]) -> Draft:
        if self.draft is None:
            raise ModelDown("no reply within 30 s")
        return self.draft


QUOTES = Fixed(Draft(FIRST, QUOTED))
NOTHING = Fixed(Draft((), QUOTED))
MODEL = Fixed(Draft(FIRST, "some-model"))
DOWN = Fixed()


@pytest.mark.parametrize(("kind", "writer", "fallback", "shown"), [
    ("correct", QUOTES, QUOTES, "the draft"),
    ("correct", NOTHING, NOTHING, "the nearest"),
    ("correct", DOWN, QUOTES, "the draft"),
    ("correct", DOWN, NOTHING, "the nearest"),
    ("ambiguous", QUOTES, QUOTES, "the nearest"),
    ("ambiguous", DOWN, QUOTES, "the nearest"),
    ("ambiguous", MODEL, QUOTES, "the draft"),
    ("incorrect", QUOTES, QUOTES, "the nearest"),
    ("incorrect", DOWN, QUOTES, "the nearest"),
    ("incorrect", MODEL, QUOTES, "the draft"),
])
def test_quotations_that_may_not_answer_make_room_for_the_nearest(
    kind: VerdictKind, writer: Fixed, fallback: Fixed, shown: str
) -> None:
    components = small_world(writer=writer, fallback=fallback).components
    query, verdict = form_query(QUESTION, components.analyser), Verdict(kind, (0.5,), 0.5, (0.3, 0.6), "")
    draft = FactRecipe().write(verdict, query, evidence(TEXT), components)
    nearest = quote_nearest(components.closeness, QUESTION, evidence(TEXT))
    assert nearest.sentences != FIRST
    assert draft.sentences == (FIRST if shown == "the draft" else nearest.sentences)
    assert draft.certain == (shown == "the draft")
    warned = ("quoted without the language model (no reply within 30 s)",) if writer is DOWN else ()
    assert draft.warnings == warned
