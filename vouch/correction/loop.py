"""The corrective loop: one question in, one answer or decline out (after Corrective RAG, arXiv 2401.15884).

Everything in an outcome but its times is a function of the question, the
models and the rows its audience may see.
"""

from collections.abc import Sequence
from dataclasses import replace

from vouch.answering.packing import pack
from vouch.answering.verification.citations import Citation, Held, Sentence, unheard, verify
from vouch.correction.components import Components
from vouch.correction.compose import UNSETTLED, Written, compose, decline
from vouch.correction.evaluation import sure
from vouch.correction.judging import evaluate, first_search
from vouch.correction.outcome import Outcome, Stopwatch, candidate_rows, only_by_steps
from vouch.correction.progress import Listener
from vouch.correction.steps.further import further
from vouch.correction.steps.parts_draft import write_by_parts
from vouch.correction.steps.parts_open import may_leave_open, not_turned_to, parts_left_open
from vouch.correction.steps.tools import Bench
from vouch.correction.steps.trajectory import rows as step_rows
from vouch.correction.web_fallback import combine, consult
from vouch.ports.language import Draft, Evidence
from vouch.retrieval.experiments import swap
from vouch.retrieval.fusion_features import feature_vectors
from vouch.values.question import Question

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
    watch = Stopwatch(listener)
    view = c.index.view(question.current_audience(), question.filters)
    searched = first_search(view, c, question.whole, watch)
    query, kind, ranked, inside = searched.query, searched.kind, searched.ranked, searched.verdict
    searched_by, judging = kind.name, kind.judged > 0
    swap_rate = 0.0 if question.steps else c.swap_rate     # further steps would put them in an order of their own
    judged, swapped = swap(searched.judged, swap_rate, question.id, kind.places)
    walked = further(Bench(question, query, view, kind, c), inside, judged, ranked.fused, watch)
    outside = consult(question, query, walked.verdict, c, watch)   # nothing, unless there is no clear answer
    walked = walked.and_then(outside.steps, outside.orders)
    elsewhere, web = evaluate(view, c, query, outside.found, c.web_judged)
    verdict, known = combine(walked.verdict, walked.judged, outside.sure(elsewhere), web)
    kind = c.kinds.facts if web or verdict.kind == "incorrect" else kind
    with watch("refine"):
        refined = kind.choose(verdict, query, known, c, walked.found_by, walked.room) if known else []
    with watch("pack") as counted:
        evidence = pack(refined, kind.evidence_tokens, c.count_tokens, c.packing)
        counted(len(evidence))
    with watch("write"):
        draft = write_by_parts(kind, walked, verdict, query, evidence, c) if evidence else Draft((), "none")
    with watch("verify") as hold:
        tell = _told(question, c, evidence, listener) if listener else unheard
        at_once = sure(verdict, draft) and not may_leave_open(walked, question)
        verified = verify(draft, evidence, c.analyser.terms, tell if at_once else unheard, c.support)
        left_open = parts_left_open(walked, draft, verified, evidence, c.analyser.terms)
        if not left_open.parts:
            left_open = not_turned_to(question, draft, verified, c.analyser.terms)
        draft = replace(draft, certain=draft.certain and not left_open.parts)
        if not at_once and sure(verdict, draft):
            verified.told(tell)
        hold(len(verified.sentences))
    rest = kind.left_out(verdict, query, judged, ranked.fused, verified, c)
    written = Written(
        view=view, judged=[*walked.judged, *web], verdict=verdict, evidence=evidence, draft=draft, verified=verified,
        left_out=rest, avoided=ranked.avoided, weighed=[*walked.weighed, *ranked.words_of], found=walked.fused,
        notes=[*left_open.notes, *walked.notes, *outside.notes], fused_by=ranked.fused_by, reranked_by=c.reranked_by,
        reranked_with=c.reranked_with, judged_by=c.judge_name, read_by=c.read_by if judging else "", swapped=swapped,
        walked=walked, planned_by=c.planned_by, recipe=searched_by, made=ranked.made, open_parts=left_open.parts,
        in_part=left_open.answered,
    )
    answer, chunk_ids = compose(question, written, watch.timings_ms(), c.clock(), c.confidence)
    vectors = feature_vectors(query, ranked.pooled, view.statistics(query.terms), c.analyser)
    first = [*judged, *ranked.candidates[len(judged):]]
    rows = candidate_rows([*first, *only_by_steps(first, walked.judged)], ranked.pooled, vectors, evidence, verified)
    return Outcome(answer, rows, chunk_ids, step_rows(walked))


def _told(question: Question, c: Components, evidence: Sequence[Evidence], listener: Listener) -> Held:
    """Tells the listener of a sentence, if its readers may read all that its writer was given at this moment."""
    ids = [one.passage.chunk_id for one in evidence if one.passage.origin == "internal"]

    def tell(sentence: Sentence, citations: Sequence[Citation]) -> None:
        if c.index.visible(question.current_audience(), ids).issuperset(ids):
            listener.sentence(sentence, citations)

    return tell

