"""The corrective loop: one question in, one answer or decline out (after Corrective RAG, arXiv 2401.15884).

Everything in an outcome but its times is a function of the question, the
models and the rows its audience may see.
"""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from vouch.answering.citations import verify
from vouch.answering.compose import UNSETTLED, Written, compose, decline
from vouch.answering.listing import quote_each
from vouch.answering.packing import distinct, pack
from vouch.correction.evaluation import Verdict, judge
from vouch.correction.evidence import evidence_features, leading
from vouch.correction.listing import documents, left_out, whole
from vouch.correction.orders import without_orders
from vouch.correction.outcome import Outcome, Stopwatch, candidate_rows
from vouch.correction.outside import Outside
from vouch.correction.refinement import Refined, refine
from vouch.errors import ModelDown
from vouch.ports.analyser import Analyser
from vouch.ports.encoder import Encoder
from vouch.ports.evaluator import Evaluator
from vouch.ports.index import Index, View
from vouch.ports.reranker import Reranker
from vouch.ports.writer import Draft, Evidence, Writer
from vouch.retrieval.breadth import near, spread
from vouch.retrieval.candidate import Candidate
from vouch.retrieval.expansion import expand
from vouch.retrieval.features import feature_vectors
from vouch.retrieval.fusion import fuse
from vouch.retrieval.listing import as_list
from vouch.retrieval.query import Query, Question, form_query
from vouch.retrieval.rerank import rerank
from vouch.retrieval.retrieve import retrieve

ROUNDS = 3                              # tries before a question over changing permissions is declined


@dataclass(frozen=True, slots=True)
class Limits:
    top: int = 100                      # hits of each engine
    rrf_k: int = 60
    rerank: int = 20                    # candidates reranked and judged
    passages: int = 6                   # given to the writer
    evidence_tokens: int = 1200
    list_top: int = 1000                # the same for questions that ask for a list …
    list_rerank: int = 100
    list_documents: int = 20            # … which get one quotation of each document

    def of(self, query: Query) -> "Limits":
        """Those in force for `query`. Lists are quoted, never sent to a model, so tokens do not bound them."""
        if not query.lists:
            return self
        return replace(self, top=self.list_top, rerank=self.list_rerank, passages=self.list_documents,
                       evidence_tokens=sys.maxsize)


@dataclass(frozen=True, slots=True)
class Machines:
    index: Index
    encoder: Encoder
    reranker: Reranker
    evaluator: Evaluator
    writer: Writer
    fallback: Writer                    # writes when `writer` is down
    analyser: Analyser
    count_tokens: Callable[[str], int]
    clock: Callable[[], datetime]
    limits: Limits = Limits()
    outside: Outside | None = None      # off: nothing consults it yet


def answer_question(question: Question, machines: Machines) -> Outcome:
    """The answer, once its audience may still read all it was made from; a decline if that never settles.

    Raises BadInput for a question that cannot be asked, Unavailable when a machine does not answer.
    """
    for _ in range(ROUNDS):
        outcome = _answer_once(question, machines)
        if machines.index.visible(question.current_audience(), outcome.given).issuperset(outcome.given):
            return outcome
    reason, last = "what it would be made from kept changing", outcome.answer
    return Outcome(decline(question, reason, machines.clock(), text=UNSETTLED, last=last), [], ())


def _answer_once(question: Question, m: Machines) -> Outcome:
    watch = Stopwatch()
    query = as_list(form_query(question.text, m.analyser), m.analyser)
    m = replace(m, limits=m.limits.of(query))
    limits = m.limits
    view = m.index.view(question.current_audience())
    with watch("retrieve"):
        hits = retrieve(view, m.encoder, query, limits.top)
        hits = near(hits) if query.lists else hits
    with watch("fuse"):
        fused = fuse(view, hits, limits.rrf_k)
    with watch("expand"):
        expanded = spread(fused, limits.rerank) if query.lists else expand(view, fused, limits.rerank)
    expanded, avoided = without_orders(expanded, query.terms, m.analyser.terms, limits.passages)
    with watch("rerank"):
        ranked = rerank(m.reranker, query, expanded, limits.rerank)
    with watch("evaluate"):
        verdict, ranked = evaluate(view, m, query, ranked)
    with watch("refine"):
        refined = act(verdict, m, query, ranked)
    with watch("pack"):
        evidence = pack(refined, limits.evidence_tokens, m.count_tokens)
    with watch("write"):
        draft = write(m, query, evidence)
    with watch("verify"):
        verified = verify(draft, evidence, m.analyser.terms)
    judged = ranked[: limits.rerank]
    there = without_orders(fused, query.terms, m.analyser.terms, limits.passages)[0] if query.lists else []
    rest = left_out(verdict, judged, len(there), verified) if query.lists else None
    written = Written(view, judged, verdict, evidence, draft, verified, rest, avoided, leading(judged), fused)
    answer, given = compose(question, written, watch.timings_ms(), m.clock())
    vectors = feature_vectors(query, expanded, m.analyser, limits.rrf_k)
    return Outcome(answer, candidate_rows(ranked, expanded, vectors, evidence, verified), given)


def evaluate(
    view: View, m: Machines, query: Query, ranked: Sequence[Candidate]
) -> tuple[Verdict, list[Candidate]]:
    """The verdict on the reranked candidates, which now carry features and probability."""
    judged = list(ranked[: m.limits.rerank])
    statistics = view.statistics(query.terms)
    features = evidence_features(query.text, query.terms, statistics, judged, m.analyser.terms)
    described = [replace(c, features=f) for c, f in zip(judged, features, strict=True)]
    verdict, probable = judge(m.evaluator, query.text, described)
    return verdict, [*probable, *ranked[m.limits.rerank :]]


def act(verdict: Verdict, m: Machines, query: Query, ranked: Sequence[Candidate]) -> list[Refined]:
    """Correct and ambiguous: refined passages, as there is no knowledge from outside. Incorrect: nothing."""
    if verdict.kind == "incorrect":
        return []
    if query.lists:
        return whole(documents(verdict, ranked)[: m.limits.passages])
    passages = distinct(ranked[: m.limits.rerank])[: m.limits.passages]
    return refine(m.reranker, query.text, passages, m.limits.evidence_tokens, m.count_tokens)


def write(m: Machines, query: Query, evidence: Sequence[Evidence]) -> Draft:
    """The writer's draft, or the fallback's with a warning that says why. No evidence, no writing."""
    if not evidence:
        return Draft((), "none")
    if query.lists:
        return quote_each(m.reranker, query.text, evidence)
    try:
        return m.writer.write(query.text, evidence)
    except ModelDown as down:
        draft = m.fallback.write(query.text, evidence)
        return replace(draft, warnings=(*draft.warnings, f"quoted without the language model ({down.cause})"))
