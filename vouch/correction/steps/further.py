"""Further steps where the first search does not settle a question, and the answer to its parts in quotations."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain

from vouch.answering.answer import ended_early
from vouch.answering.copies import words_of
from vouch.correction.components import Components, Recipe
from vouch.correction.evaluation import Verdict, VerdictKind
from vouch.correction.judging import evaluate
from vouch.correction.planning.limits import Limits
from vouch.correction.planning.order import RagArgs
from vouch.correction.planning.parts import Apart, Part, taken_apart
from vouch.correction.planning.planners import Instructed, RulePlanner
from vouch.correction.steps.bridges import bridging_words
from vouch.correction.steps.memory import Memory
from vouch.correction.steps.runtime import Runtime
from vouch.correction.steps.tools import TOOLS, Bench
from vouch.correction.steps.trajectory import PartFound, Stopped, Walked
from vouch.ports.language import QUOTED, Draft, Evidence, Planner
from vouch.retrieval.evidence_features import leading
from vouch.retrieval.question.query import form_query
from vouch.retrieval.ranking import Stage
from vouch.retrieval.recipe.reranking import rerank
from vouch.values.candidate import Candidate
from vouch.values.question import Query

SHOWN = 100                             # characters of a part in a warning
MOST_NAMED = 6                          # of what was not searched for


def further(
    bench: Bench, first: Verdict, judged: Sequence[Candidate], fused: Sequence[Candidate], stage: Stage
) -> Walked:
    """All that is answered from. Without further steps it is what the first search found, and why there were none."""
    unchanged = Walked(first, judged, leading(judged), fused)
    most = min(bench.question.steps, bench.components.steps.steps)
    apart = _apart(bench)
    if most <= 0 or bench.query.lists or not _worth_it(bench, first, apart):
        return unchanged
    with stage("steps") as counted:
        walked = _walk(bench, first, judged, replace(bench.components.steps, steps=most), apart)
        counted(len(walked.steps))
    if walked.steps:
        return replace(walked, fused=[*fused, *walked.fused])
    verdict = replace(first, kind="ambiguous") if walked.notes and first.kind == "correct" else first
    return replace(unchanged, verdict=verdict, weighed=walked.weighed, orders=walked.orders, stopped=walked.stopped,
                   notes=walked.notes)


def _apart(bench: Bench) -> Apart:
    """What a follow-up is understood as holds earlier questions, which have been answered."""
    question = bench.query.text
    return Apart((Part(question),)) if bench.question.understood_as else taken_apart(question)


def _worth_it(bench: Bench, first: Verdict, apart: Apart) -> bool:
    """Whoever asked for steps gets them; else they are for what one search does not settle."""
    return not bench.question.steps_by_default or first.kind != "correct" or len(apart.parts) > 1


def _walk(bench: Bench, first: Verdict, judged: Sequence[Candidate], limits: Limits, apart: Apart) -> Walked:
    c, question = bench.components, bench.query.text
    lower, upper = first.thresholds
    memory = Memory(question, apart.parts, judged, upper, c.analyser.terms,
                    lambda passage: bridging_words(bench.view, passage, question, c.analyser.terms), c.actor.follows)
    rules = RulePlanner(c.actor, c.planned_by)
    planner: Planner = rules if c.planner is None else Instructed(c.planner, c.actor.instructions)
    runtime = Runtime(bench, planner, rules, TOOLS, limits, lambda part, hits: judge_part(bench, part, hits))
    stopped = runtime.run(memory)
    bridges = {chunk_id for step in memory.steps for chunk_id in step.words_of} | memory.shown | memory.opened
    weighed = [candidate for hits in memory.lists for candidate in (*leading(hits), *likeliest(hits))]
    weighed += [candidate for hits in memory.lists for candidate in hits if candidate.chunk_id in bridges]
    wanted = [part for part in memory.parts if part.wanted]
    return Walked(
        _verdict(first, wanted, memory.lists, apart.rest), in_turn(memory.lists), weighed, memory.fused,
        tuple(memory.steps), memory.parts, stopped, _notes(wanted, apart.rest, stopped, lower, len(memory.steps)),
        tuple(memory.orders), brought(memory, question),
    )


def brought(memory: Memory, question: str) -> dict[str, str]:
    """What each step found first that none before it did, with the words it was searched for by."""
    taken = {one.chunk_id for one in memory.lists[0][:1]}
    found: dict[str, str] = {}
    done = (step for step in memory.steps if not step.error)
    for step, hits in zip(done, memory.lists[1:], strict=True):
        new = next((one.chunk_id for one in hits if one.chunk_id not in taken), None)
        if new is not None:
            taken.add(new)
            found[new] = step.args.query if isinstance(step.args, RagArgs) else question
    return found


def judge_part(bench: Bench, part: str, found: Sequence[Candidate]) -> list[Candidate]:
    """Judged for the part's own words: a query that holds words of a passage would find that passage likely."""
    c = bench.components
    if not found:
        return []
    query = form_query(part, c.analyser)
    near = {hit.chunk_id: hit.score for hit in bench.view.dense(
        c.encoder.questions([query.text])[0], bench.recipe.ranking.top)}
    scored = {one.chunk_id: one for one in rerank(c.reranker, query, list(found), len(found))}
    described = [replace(scored[one.chunk_id], dense_score=near.get(one.chunk_id), rerank_rank=None) for one in found]
    return evaluate(bench.view, c, query, described)[1]


def likeliest(found: Sequence[Candidate]) -> list[Candidate]:
    """What the verdict on a step was made from."""
    return sorted(found, key=lambda one: one.probability or 0.0, reverse=True)[:1]


def in_turn(lists: Sequence[Sequence[Candidate]]) -> list[Candidate]:
    """Of each list in turn the best that none before it gave, so that each step has a place; then what the first gave,
    and then what the others gave, in turn.

    A passage once, with the highest of its probabilities.
    """
    best: dict[str, Candidate] = {}
    for one in chain.from_iterable(lists):
        known = best.get(one.chunk_id)
        if known is None or (one.probability or 0.0) > (known.probability or 0.0):
            best[one.chunk_id] = one
    taken: dict[str, Candidate] = {}
    left = [iter(found) for found in lists]

    def take(found: Iterator[Candidate]) -> None:
        new = next((one.chunk_id for one in found if one.chunk_id not in taken), None)
        if new is not None:
            taken[new] = best[new]

    for found in left:
        take(found)
    for one in lists[0] if lists else ():
        taken.setdefault(one.chunk_id, best[one.chunk_id])
    while len(taken) < len(best):
        for found in left:
            take(found)
    return list(taken.values())


def _verdict(
    first: Verdict, wanted: Sequence[PartFound], lists: Sequence[Sequence[Candidate]], rest: Sequence[str]
) -> Verdict:
    """Correct where every part has a passage that is likely enough, incorrect where none has one that may be.

    With a rest that was not looked for, or off the topic, it is never correct.
    """
    lower, upper = first.thresholds
    known = in_turn(lists)
    scores = tuple(candidate.probability or 0.0 for candidate in known)
    best = max(scores, default=None)
    covered, near = (sum(part.best >= bound for part in wanted) for bound in (upper, lower))
    kind: VerdictKind = "correct" if covered == len(wanted) else "ambiguous" if near else "incorrect"
    if len(wanted) == 1 and first.kind == "correct":
        kind = "correct"
    if kind == "correct" and (rest or not first.on_topic):
        kind = "ambiguous"
    reason = f"{first.reason}; after further steps {covered} of {len(wanted) + len(rest)} parts reach {upper:.2f}"
    return Verdict(kind, scores, best, first.thresholds, reason, first.on_topic)


def _notes(
    wanted: Sequence[PartFound], rest: Sequence[str], stopped: Stopped, lower: float, steps: int
) -> tuple[str, ...]:
    """What was not found, in words of the question alone."""
    missing = [part for part in wanted if part.best < lower] if len(wanted) > 1 else []
    words = {True: "nothing was found in the documents on this part", False: "this part was not searched for by itself"}
    notes = [f"{words[part.tried]}: {part.text[:SHOWN]}" for part in missing]
    notes += [f"{words[False]}, as there are too many: {text[:SHOWN]}" for text in rest[:MOST_NAMED]]
    notes += [f"and {len(rest) - MOST_NAMED} more"] if len(rest) > MOST_NAMED else []
    notes += [ended] if (ended := ended_early(stopped, steps)) else []
    return tuple(notes)


def write(
    recipe: Recipe, walked: Walked, verdict: Verdict, query: Query, evidence: Sequence[Evidence], c: Components
) -> Draft:
    """The recipe's own draft, unless several parts are asked for and nothing but quotations writes.

    Pages of the web were found for the whole question, and belong to no part.
    """
    parts = [part for part in walked.parts if part.wanted]
    outside = any(one.passage.origin == "external" for one in evidence)
    if len(parts) < 2 or outside or c.writer is not c.fallback:
        return recipe.write(verdict, query, evidence, c)
    drafts = [_of_part(recipe, part, walked, verdict, evidence, c) for part in parts]
    sentences = tuple(dict.fromkeys(one for draft in drafts for one in draft.sentences))
    if not sentences:
        return recipe.write(verdict, query, evidence, c)
    return Draft(sentences, QUOTED, certain=all(draft.certain and draft.sentences for draft in drafts))


def _of_part(
    recipe: Recipe, part: PartFound, walked: Walked, verdict: Verdict, evidence: Sequence[Evidence], c: Components
) -> Draft:
    """A part without a passage that may answer it is left out; the answer names it."""
    lower, upper = verdict.thresholds
    # By words, since what is given may be a copy of what was judged.
    likely = {words_of(one.passage) for one in walked.judged if part.likely.get(one.chunk_id, 0.0) >= lower}
    own = [one for one in evidence if words_of(one.passage) in likely]
    if not own:
        return Draft((), QUOTED, certain=False)
    kind: VerdictKind = "correct" if part.best >= upper else "ambiguous"
    return recipe.write(replace(verdict, kind=kind), form_query(part.text, c.analyser), own, c)
