"""The corrective loop: one question in, one answer or decline out (after Corrective RAG, arXiv 2401.15884).

Everything in an outcome but its times is a function of the question, the
models and the rows its audience may see.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from vouch.answering.citations import verify
from vouch.answering.compose import UNSETTLED, Written, compose, decline
from vouch.answering.packing import distinct, pack
from vouch.correction.evaluation import Verdict, judge
from vouch.correction.evidence import evidence_features
from vouch.correction.outcome import Outcome, Stopwatch, candidate_rows
from vouch.correction.outside import Outside
from vouch.correction.refinement import Refined, refine
from vouch.errors import ModelDown
from vouch.ports import Analyser, Draft, Encoder, Evaluator, Evidence, Index, Reranker, View, Writer
from vouch.retrieval.candidate import Candidate
from vouch.retrieval.expansion import expand
from vouch.retrieval.features import feature_vectors
from vouch.retrieval.fusion import fuse
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
    watch, limits = Stopwatch(), m.limits
    query = form_query(question.text, m.analyser)
    view = m.index.view(question.current_audience())
    with watch("retrieve"):
        hits = retrieve(view, m.encoder, query, limits.top)
    with watch("fuse"):
        fused = fuse(view, hits, limits.rrf_k)
    with watch("expand"):
        expanded = expand(view, fused, limits.rerank)
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
    written = Written(view, ranked[: limits.rerank], verdict, evidence, draft, verified)
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
    passages = distinct(ranked[: m.limits.rerank])[: m.limits.passages]
    return refine(m.reranker, query.text, passages, m.limits.evidence_tokens, m.count_tokens)


def write(m: Machines, query: Query, evidence: Sequence[Evidence]) -> Draft:
    """The writer's draft, or the fallback's with a warning that says why. No evidence, no writing."""
    if not evidence:
        return Draft((), "none")
    try:
        return m.writer.write(query.text, evidence)
    except ModelDown as down:
        draft = m.fallback.write(query.text, evidence)
        return replace(draft, warnings=(*draft.warnings, f"quoted without the language model ({down.cause})"))
