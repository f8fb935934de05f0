"""Further steps where the first search does not settle a question."""

from collections.abc import Sequence
from dataclasses import replace

from vouch.answering.part_notes import NOT_SURE
from vouch.correction.evaluation import Verdict
from vouch.correction.judging import evaluate
from vouch.correction.planning.ending_names import by_ending_names
from vouch.correction.planning.joined import not_held
from vouch.correction.planning.limits import Limits
from vouch.correction.planning.parts import Apart, Part, each_alone, taken_apart
from vouch.correction.planning.planners import Instructed, RulePlanner
from vouch.correction.steps.bridges import bridging_words
from vouch.correction.steps.memory import Memory
from vouch.correction.steps.merging import brought, in_turn, likeliest
from vouch.correction.steps.parts_open import SHOWN, joined_alone, search_ended
from vouch.correction.steps.parts_verdict import verdict_of_parts
from vouch.correction.steps.runtime import Runtime
from vouch.correction.steps.tools import TOOLS, Bench
from vouch.correction.steps.trajectory import Walked
from vouch.ports.language import Planner
from vouch.retrieval.evidence_features import leading
from vouch.retrieval.question.query import form_query
from vouch.retrieval.ranking import Stage
from vouch.retrieval.recipe.reranking import rerank
from vouch.values.candidate import Candidate

NONE_ALLOWED = "no further step: VOUCH_STEPS__STEPS allows none"


def further(
    bench: Bench, first: Verdict, judged: Sequence[Candidate], fused: Sequence[Candidate], stage: Stage
) -> Walked:
    """All that is answered from. Without further steps it is what the first search found, and why there were none."""
    unchanged = Walked(first, judged, leading(judged), fused)
    limits = bench.components.steps
    most = min(bench.question.steps, limits.steps) - limits.taken
    apart = _apart(bench, judged)
    if bench.question.steps > 0 >= limits.steps and not bench.question.steps_by_default:
        return replace(unchanged, notes=(NONE_ALLOWED,))
    if most <= 0 or bench.query.lists or not _worth_it(bench, first, judged, apart):
        return unchanged
    with stage("steps") as counted:
        walked = _walk(bench, first, judged, replace(limits, steps=most), apart)
        counted(len(walked.steps))
    if walked.steps:
        return replace(walked, fused=[*fused, *walked.fused])
    unsettled = walked.notes or len(walked.wanted) > 1      # none was judged by itself
    verdict = replace(first, kind="ambiguous") if unsettled and first.kind == "correct" else first
    return replace(unchanged, verdict=verdict, weighed=walked.weighed, orders=walked.orders, stopped=walked.stopped,
                   notes=walked.notes, rest=walked.rest, parts=walked.parts, room=walked.room)


def _apart(bench: Bench, judged: Sequence[Candidate]) -> Apart:
    question = bench.query.text
    apart = taken_apart(question) if bench.question.is_one else Apart((Part(question),))
    if sum(part.wanted for part in apart.parts) > 1 or not bench.question.is_one:
        return apart
    names = by_ending_names(question, [one.passage for one in judged])
    return Apart(each_alone(names)) if names else apart


def _worth_it(bench: Bench, first: Verdict, judged: Sequence[Candidate], apart: Apart) -> bool:
    """Whoever asked for steps gets them; else they are for what one search does not settle."""
    if not bench.question.steps_by_default or first.kind != "correct" or len(apart.parts) > 1:
        return True
    likely = [one.passage for one in judged if (one.probability or 0.0) >= first.thresholds[1]]
    return bench.question.is_one and bool(not_held(bench.query.text, likely, bench.components.analyser.terms))


def _walk(bench: Bench, first: Verdict, judged: Sequence[Candidate], limits: Limits, apart: Apart) -> Walked:
    c, question = bench.components, bench.query.text
    _, upper = first.thresholds
    memory = Memory(question, apart.parts, judged, upper, c.analyser.terms,
                    lambda passage: bridging_words(bench.view, passage, question, c.analyser.terms), c.actor.follows)
    rules = RulePlanner(c.actor, c.planned_by)
    planner: Planner = rules if c.planner is None else Instructed(c.planner, c.actor)
    runtime = Runtime(bench, planner, rules, TOOLS, limits, lambda part, hits: judge_part(bench, part, hits))
    stopped = runtime.run(memory)
    bridges = {chunk_id for step in memory.steps for chunk_id in step.words_of} | memory.shown | memory.opened
    weighed = [candidate for hits in memory.lists for candidate in (*leading(hits), *likeliest(hits))]
    weighed += [candidate for hits in memory.lists for candidate in hits if candidate.chunk_id in bridges]
    wanted = [part for part in memory.parts if part.wanted]
    joined = joined_alone(memory, upper, c.analyser.terms) if bench.question.is_one else []
    rest = (*apart.rest, *joined)
    ended = search_ended(apart.rest, stopped, memory.steps, runtime.used_up)
    notes = (*ended, *(f"{NOT_SURE}: {text[:SHOWN]}" for text in joined))
    unsettled = len(wanted) == 1 and first.kind != "correct"
    parts = [replace(part, by_words=bench.question.is_one and (part.by_words or unsettled)) for part in memory.parts]
    return Walked(
        verdict_of_parts(first, wanted, memory.lists, rest), in_turn(memory.lists, bench.kind.places), weighed,
        memory.fused, tuple(memory.steps), tuple(parts), stopped, notes, rest,
        tuple(memory.orders), brought(memory, question), limits.steps,
    )


def judge_part(bench: Bench, part: str, found: Sequence[Candidate]) -> list[Candidate]:
    """Judged for the part's own words: a query that holds words of a passage would find that passage likely."""
    c = bench.components
    if not found:
        return []
    query = form_query(part, c.analyser)
    near = {hit.chunk_id: hit.score for hit in bench.view.dense(
        c.encoder.questions([query.text])[0], bench.kind.ranking.top)}
    scored = {one.chunk_id: one for one in rerank(c.reranker, query, list(found), len(found))}
    described = [replace(scored[one.chunk_id], dense_score=near.get(one.chunk_id), rerank_rank=None) for one in found]
    return evaluate(bench.view, c, query, described, bench.kind.judged)[1]
