"""Falling back on the web: knowledge from it, for those who may have it, where the documents hold no clear answer.

The search is told the question, what pages of the web hold, and nothing else. Whether it is asked at all
depends on what the audience may read, and on nothing that is hidden from it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain, zip_longest

from vouch.correction.components import Components
from vouch.correction.evaluation import Verdict
from vouch.correction.planning.parts import parts_of
from vouch.correction.steps.trajectory import OrderSaid, StepTaken
from vouch.correction.steps.web import WebWalk, asked_of_the_web, further_on_the_web
from vouch.documents.chunk import model_input
from vouch.retrieval.question.listing import as_list
from vouch.retrieval.question.query import form_query
from vouch.retrieval.ranking import Stage
from vouch.retrieval.recipe.reranking import rerank
from vouch.values.candidate import Candidate
from vouch.values.question import Query, Question


@dataclass(frozen=True, slots=True)
class Consulted:
    """External candidates as the reranker orders them, what readers have to be told of the search, and its steps."""

    found: Sequence[Candidate] = ()
    notes: tuple[str, ...] = ()
    steps: tuple[StepTaken, ...] = ()
    orders: tuple[OrderSaid, ...] = ()
    is_first_link: bool = False         # of a chain, whose next was not followed

    def sure(self, verdict: Verdict) -> Verdict:
        """The first link of a chain alone looks like an answer."""
        if not self.is_first_link or verdict.kind != "correct":
            return verdict
        return verdict.in_doubt("and a chain was not followed on the web")


def consult(question: Question, query: Query, inside: Verdict, c: Components, stage: Stage) -> Consulted:
    """Nothing if the documents answer, or the web is not for this question.

    A list goes there only if the documents hold nothing of it, and takes no steps.
    """
    asked = _outside(question, query, c)
    if inside.kind == "correct" or (inside.kind == "ambiguous" and asked.lists):
        return Consulted()
    if c.outside is None or not c.outside.serves(question):
        return Consulted()
    with stage("outside") as counted:
        result, failed = asked_of_the_web(c.outside, asked.text)
        if failed:
            return Consulted(notes=tuple(result.notes))
        steps = 0 if asked.lists else question.steps
        walk = further_on_the_web(asked.text, steps, result, c.outside, c, question.is_one)
        counted(len(walk.passages))
        described = _described(query, c, [Candidate(passage) for passage in walk.passages])
        return Consulted(described, tuple(walk.notes), tuple(walk.steps), tuple(walk.orders),
                         _is_first_link(question, asked, walk))


def _is_first_link(question: Question, asked: Query, walk: WebWalk) -> bool:
    """Of what took steps and has the form of a chain: no further search of the web brought a page."""
    chain_of = question.steps > 0 and question.is_one and any(one.chain for one in parts_of(asked.text))
    return chain_of and not any(step.found for step in walk.steps)


def _outside(question: Question, query: Query, c: Components) -> Query:
    """What the web may be told: titles of documents stay inside."""
    if not question.searched_as:
        return query
    return as_list(form_query(question.in_words_of_questions, c.analyser), c.analyser)


def _described(query: Query, c: Components, found: list[Candidate]) -> list[Candidate]:
    """With the scores that evidence is made from."""
    if not found:
        return []
    ranked = rerank(c.reranker, query, found, len(found))
    vectors = c.encoder.passages([model_input(one.passage.section, one.passage.text) for one in ranked])
    asked = c.encoder.questions([query.text])[0]
    return [replace(one, dense_score=float(vector @ asked)) for one, vector in zip(ranked, vectors, strict=True)]


def combine(
    inside: Verdict, judged: Sequence[Candidate], elsewhere: Verdict, web: Sequence[Candidate]
) -> tuple[Verdict, list[Candidate]]:
    """The verdict on both, and what is answered from.

    Correct: the documents. Incorrect: the web, or else what is nearest in the
    documents. Ambiguous: both, the best of either first, in turn. Of the web
    only passages at or above the lower threshold count.
    """
    lower, _ = elsewhere.thresholds
    likely = [candidate for candidate in web if (candidate.probability or 0.0) >= lower]
    trusted = judged if inside.kind != "incorrect" or (inside.has_nearest and not likely) else ()
    known = [candidate for candidate in chain(*zip_longest(trusted, likely)) if candidate is not None]
    if not web:
        return inside, known
    decider = elsewhere if inside.kind == "incorrect" or elsewhere.kind == "correct" else inside
    reason = f"{inside.reason}; on the web {elsewhere.reason}"
    scores = inside.scores + elsewhere.scores
    return replace(inside, kind=decider.kind, thresholds=decider.thresholds, scores=scores, reason=reason), known
