"""The corrective loop: one question in, one answer or decline out (after Corrective RAG, arXiv 2401.15884).

Everything in an outcome but its times is a function of the question, the
models and the rows its audience may see.
"""

from collections.abc import Sequence
from dataclasses import replace

from vouch.answering.citations import Citation, Held, Sentence, unheard, verify
from vouch.answering.compose import UNSETTLED, Written, compose, decline
from vouch.answering.packing import pack
from vouch.correction.components import Components
from vouch.correction.evaluation import Verdict, judge
from vouch.correction.evidence import evidence_features, leading
from vouch.correction.listener import Listener
from vouch.correction.outcome import Outcome, Stopwatch, candidate_rows
from vouch.correction.outside import combine, consult
from vouch.ports.index import View
from vouch.ports.writer import Draft, Evidence
from vouch.retrieval.candidate import Candidate
from vouch.retrieval.features import feature_vectors
from vouch.retrieval.listing import as_list
from vouch.retrieval.query import Query, Question, form_query
from vouch.retrieval.ranking import rank
from vouch.retrieval.swaps import swap

ROUNDS = 3                              # tries before a question over changing permissions is declined


def answer_question(question: Question, components: Components, listener: Listener | None = None) -> Outcome:
    """The answer, once its audience may still read all it was made from; a decline if that never settles.

    Raises BadInput for a question that cannot be asked, Unavailable when a machine does not answer.
    """
    for _ in range(ROUNDS):
        outcome = _answer_once(question, components, listener)
        if components.index.visible(question.current_audience(), outcome.given).issuperset(outcome.given):
            return outcome
    reason, last = "what it would be made from kept changing", outcome.answer
    return Outcome(decline(question, reason, components.clock(), text=UNSETTLED, last=last), [], ())


def _answer_once(question: Question, c: Components, listener: Listener | None) -> Outcome:
    watch = Stopwatch(listener.stage if listener else None)
    query = as_list(form_query(question.text, c.analyser), c.analyser)
    recipe = c.recipes.of(query)
    view = c.index.view(question.current_audience())
    ranked = rank(view, query, c.ranking_models, recipe.ranking, near=recipe.places, stage=watch)
    size = recipe.ranking.rerank
    with watch("evaluate"):
        inside, judged = evaluate(view, c, query, ranked.candidates[:size])
    judged, swapped = swap(judged, c.swap_rate, question.id, recipe.places)
    found, notes = consult(question, query, inside, c, watch)   # nothing, unless the documents hold no clear answer
    elsewhere, web = evaluate(view, c, query, found)
    verdict, known = combine(inside, judged, elsewhere, web)
    recipe = c.recipes.facts if web or verdict.kind == "incorrect" else recipe
    with watch("refine"):
        refined = recipe.choose(verdict, query, known, c) if known else []
    with watch("pack"):
        evidence = pack(refined, recipe.evidence_tokens, c.count_tokens)
    with watch("write"):
        draft = recipe.write(verdict, query, evidence, c) if evidence else Draft((), "none")
    with watch("verify"):
        sure = verdict.kind == "correct" and draft.certain
        held = _told(question, c, evidence, listener) if listener and sure else unheard
        verified = verify(draft, evidence, c.analyser.terms, held)
    rest = recipe.left_out(verdict, query, judged, ranked.fused, verified, c)
    written = Written(
        view, [*judged, *web], verdict, evidence, draft, verified, rest, ranked.avoided, leading(judged),
        ranked.fused, notes, ranked.fused_by, c.judge_name, swapped,
    )
    answer, given = compose(question, written, watch.timings_ms(), c.clock())
    vectors = feature_vectors(query, ranked.pooled, view.statistics(query.terms), c.analyser)
    rows = candidate_rows([*judged, *ranked.candidates[size:]], ranked.pooled, vectors, evidence, verified)
    return Outcome(answer, rows, given)


def _told(question: Question, c: Components, evidence: Sequence[Evidence], listener: Listener) -> Held:
    """Tells the listener of a sentence, if its readers may read all that its writer was given at this moment."""
    ids = [one.passage.chunk_id for one in evidence if one.passage.origin == "internal"]

    def tell(sentence: Sentence, citations: Sequence[Citation]) -> None:
        if c.index.visible(question.current_audience(), ids).issuperset(ids):
            listener.sentence(sentence, citations)

    return tell


def evaluate(
    view: View, c: Components, query: Query, candidates: Sequence[Candidate]
) -> tuple[Verdict, list[Candidate]]:
    """The verdict on the reranked candidates, which now carry features and probability."""
    statistics = view.statistics(query.terms)
    features = evidence_features(query.text, query.terms, statistics, candidates, c.analyser.terms)
    described = [replace(one, features=found) for one, found in zip(candidates, features, strict=True)]
    return judge(c.evaluator, query.text, described)
