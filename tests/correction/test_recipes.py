"""Quotations that may not answer make room for the nearest passages; the words of a language model never do."""

from collections.abc import Sequence

import pytest
from homes.small_world import EVERYBODY, evidence, small_world

from vouch.answering.quoting.nearest import quote_nearest
from vouch.correction.components import QuestionKinds
from vouch.correction.evaluation import Verdict, VerdictKind
from vouch.correction.loop import answer_question
from vouch.correction.planning.order import RagArgs
from vouch.correction.recipes import FactQuestions, ListQuestions
from vouch.correction.steps.tools import Bench, search
from vouch.errors import ModelDown
from vouch.ports.language import QUOTED, Draft, DraftSentence, Evidence
from vouch.retrieval.question.query import form_query
from vouch.retrieval.ranking import Ranking, rank
from vouch.retrieval.recipe.finding import Fuse, Retrieve
from vouch.retrieval.recipe.suggesting import Augment

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
    draft = FactQuestions().write(verdict, query, evidence(TEXT), components)
    nearest = quote_nearest(components.closeness, QUESTION, evidence(TEXT), components.analyser.terms)
    assert nearest.sentences != FIRST
    assert draft.sentences == (FIRST if shown == "the draft" else nearest.sentences)
    assert draft.certain == (shown == "the draft")
    warned = ("quoted without the language model (no reply within 30 s)",) if writer is DOWN else ()
    assert draft.warnings == warned


def test_a_further_step_is_searched_by_its_own_words_whatever_the_recipe() -> None:
    """What a step of a recipe takes from passages would otherwise be told by nobody."""
    recipe = FactQuestions(Ranking(top=20, steps=(Augment(), Retrieve(), Fuse(keep=1))))
    world = small_world(suggester=None)
    asked = world.ask("How is leave earned?")
    view, c = world.index.view(EVERYBODY), world.components
    bench = Bench(asked, form_query(asked.text, c.analyser), view, recipe, c)
    found = search(bench, RagArgs(query="parental leave"))
    usual = rank(view, form_query("parental leave", c.analyser), c.ranking_models, Ranking(top=20))
    assert list(found.candidates) == usual.candidates[:20] and len(found.candidates) > 1


def test_a_passage_that_no_step_scored_is_scored_before_it_is_judged() -> None:
    """The evaluator was fitted to that score: without it every passage would look unlikely."""
    alone = QuestionKinds(FactQuestions(Ranking(top=20, steps=(Retrieve(), Fuse()))), ListQuestions())
    world = small_world(kinds=alone)
    rows = answer_question(world.ask("How many weeks of paid leave do parents get?"), world.components).candidates
    assert rows and all(row["rerank_score"] is not None and row["rerank_rank"] is None for row in rows)
