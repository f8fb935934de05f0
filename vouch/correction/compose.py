"""Compose: what the loop found, as the answer that is kept and shown."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from vouch.answering.answer import (
    Action,
    Answer,
    AnswerConfidence,
    AnswerEvidence,
    AnswerRecipeStep,
    AnswerSentence,
    AnswerThresholds,
    AnswerTokens,
    AnswerVerdict,
    ConfidenceParts,
    Knowledge,
    answer_id,
)
from vouch.answering.answer_text import by_document, declined, flowing, in_part, is_near, listed, sentence_text
from vouch.answering.confidence import Confidence, Form, Summed, add_up, agreement, assess, outranking, share_of
from vouch.answering.quoting.listing import LeftOut
from vouch.answering.spending import Spent, spending
from vouch.answering.verification.citations import Citation, Verified
from vouch.correction.evaluation import Verdict, likelihood, sure
from vouch.correction.steps.trajectory import Walked, told, told_orders
from vouch.filters import Filters
from vouch.ports.index import View
from vouch.ports.language import QUOTED, Draft, Evidence
from vouch.retrieval.recipe.step import Made
from vouch.values.candidate import Candidate
from vouch.values.made_by import RULES
from vouch.values.question import Question

UNSETTLED = "The documents changed while this was being answered. Please ask again."


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """All that one round of the loop found out."""

    view: View
    judged: Sequence[Candidate]         # in final order, those of the web after those of the documents
    verdict: Verdict
    evidence: Sequence[Evidence]
    draft: Draft
    verified: Verified
    left_out: LeftOut | None = None     # of a list
    avoided: Sequence[Candidate] = ()   # near, and left out because they read as orders to a language model
    weighed: Sequence[Candidate] = ()   # what the probabilities of the others were measured by
    found: Sequence[Candidate] = ()     # by the retrievers
    notes: Sequence[str] = ()           # on the search of the web
    fused_by: str = ""
    reranked_by: str = ""
    reranked_with: str = ""
    judged_by: str = ""
    swapped: Sequence[int] = ()
    walked: Walked | None = None        # None, or without steps: none were taken
    recipe: str = ""
    made: Sequence[Made] = ()           # by steps of the recipe
    open_parts: Sequence[str] = ()      # of the question
    in_part: Collection[str] = ()       # with a part left open: the words of passages that answer another
    planned_by: str = RULES             # what answers call the rules of further steps
    read_by: str = ""

    @property
    def cited(self) -> list[Candidate]:
        ids = {c.passage.chunk_id for c in self.verified.citations}
        return [c for c in self.judged if c.chunk_id in ids]

    @property
    def internal(self) -> list[Candidate]:
        return [one for one in self.judged if one.passage.origin == "internal"]


def compose(
    question: Question, w: Written, timings_ms: dict[str, float], answered_at: datetime, form: Form = "product"
) -> tuple[Answer, tuple[str, ...]]:
    """The answer, and the ids of the chunks of the index that it holds words or scores of, or counts."""
    answered = bool(w.verified.sentences)
    ambiguous = not sure(w.verdict, w.draft)
    action: Action = "declined" if not answered else "answered_with_caution" if ambiguous else "answered"
    closest = next((one for one in w.internal[:1] if not answered and is_near(one)), None)
    avoided = () if answered else w.avoided
    chunk_ids = tuple(dict.fromkeys([*_given(w, closest, avoided), *question.titles_of]))
    answer = Answer(
        id=answer_id(question.id),
        question_id=question.id,
        question=question.text,
        understood_as=question.understood_as,
        searched_as=question.searched_as,
        understood_by=question.understood_by,
        understood_from=list(question.understood_from),
        filters=question.filters,
        answer=_text(w, unsure=ambiguous) if answered else declined(
            closest, avoided, shared=question.audience.is_shared),
        sentences=[AnswerSentence(text=sentence_text(s), citations=list(s.citations)) for s in w.verified.sentences],
        citations=[c.told() for c in w.verified.citations],
        action=action,
        reason="" if answered else _reason(w, question),
        verdict=_verdict(w, chunk_ids),
        confidence=_confidence(w, form, ambiguous=ambiguous),
        knowledge=_knowledge(w.verified.citations),
        warnings=_warnings(w),
        model=w.draft.model,
        fused_by=w.fused_by,
        reranked_by=w.reranked_by,
        judged_by=w.judged_by,
        read_by=w.read_by,
        recipe=w.recipe,
        recipe_steps=[AnswerRecipeStep(step=one.step, by=one.by, said=list(one.said)) for one in w.made],
        swapped=list(w.swapped),
        evidence=[_told(one) for one in w.evidence if one.passage.origin == "internal"],
        steps=told(w.walked, chunk_ids) if w.walked else [],
        stopped=w.walked.stopped if w.walked else "",
        open_parts=list(w.open_parts),
        planned_by=_planned_by(w),
        orders=told_orders(w.walked) if w.walked else [],
        tokens=_tokens(w.draft),
        timings_ms=timings_ms,
        index_version=w.view.version,
        access_epoch=w.view.epoch,
        asked_at=question.asked_at,
        answered_at=answered_at,
    )
    return answer, chunk_ids


def _told(one: Evidence) -> AnswerEvidence:
    """By places in the chunk's own text, which whoever looks at it has."""
    kept = [span for strip in one.strips for span in one.passage.in_chunk(*strip)]
    return AnswerEvidence(chunk_id=one.passage.chunk_id, kept=kept)


def _planned_by(w: Written) -> str:
    """Also where no step was taken, since who would have ordered one decided that."""
    return w.planned_by if w.walked and w.walked.stopped and w.planned_by != RULES else ""


def _given(w: Written, closest: Candidate | None, avoided: Sequence[Candidate]) -> tuple[str, ...]:
    """What has to be readable still when the answer is sent: its words, and what its numbers were made from.

    The verdict tells how likely the best is. What comes from outside anybody may read, and no index holds it.
    """
    best = max(w.internal, key=lambda one: one.probability or 0.0, default=None)
    given: list[Candidate] = [one for one in (*avoided, closest, best, *w.weighed) if one is not None]
    given += w.left_out.more if w.left_out else []      # they were counted
    given += outranking(w.found, w.cited) if w.cited else []
    passages = [*(one.passage for one in w.evidence), *(one.passage for one in given)]
    return tuple(dict.fromkeys(passage.chunk_id for passage in passages if passage.origin == "internal"))


def _knowledge(citations: Sequence[Citation]) -> Knowledge:
    origins = {citation.passage.origin for citation in citations}
    return "both" if len(origins) > 1 else origins.pop() if origins else "none"


def decline(
    question: Question, reason: str, answered_at: datetime, *, text: str = "", last: Answer | None = None
) -> Answer:
    """A decline without evidence, for `reason`. Of `last`, an answer nobody may see, it keeps times and versions."""
    return Answer(
        id=answer_id(question.id),
        question_id=question.id,
        question=question.text,
        understood_as=question.understood_as,
        understood_from=list(question.understood_from),
        filters=question.filters,
        answer=text or f"This question was not answered: {reason}.",
        sentences=[],
        citations=[],
        action="declined",
        reason=reason,
        verdict=None,
        confidence=_as_part(assess(0.0, 0.0, 0.0, ambiguous=True)),
        knowledge="none",
        warnings=[],
        model="none",
        tokens=AnswerTokens(),
        timings_ms=last.timings_ms if last else {},
        index_version=last.index_version if last else 0,
        access_epoch=last.access_epoch if last else 0,
        asked_at=question.asked_at,
        answered_at=answered_at,
    )


def reply(question: Question, text: str, answered_at: datetime) -> Answer:
    """The answer to small talk: nothing was searched, so there is nothing to cite and nothing was declined."""
    return decline(question, "", answered_at, text=text).model_copy(update={"action": "replied"})


def _text(w: Written, *, unsure: bool) -> str:
    if w.left_out is not None:
        return listed(w.verified, unsure=unsure)
    if w.draft.model != QUOTED:         # a language model's sentences go on from one another
        return flowing(w.verified, unsure=unsure)
    return in_part(w.verified, w.in_part) if unsure else by_document(w.verified)


def _warnings(w: Written) -> list[str]:
    counted = w.left_out.notes() if w.left_out is not None and w.verified.sentences else ()
    told = spent.notes if (spent := spending()) else ()
    return [*w.view.notes, *w.notes, *told, *w.draft.warnings, *w.verified.warnings, *counted]


def _tokens(draft: Draft) -> AnswerTokens:
    """Of all that language models did for the answer, and not only of its writing, where somebody counts that."""
    spent = spending()
    total = spent.total() if spent else Spent(draft.prompt_tokens, draft.completion_tokens)
    return AnswerTokens(prompt=total.prompt, completion=total.completion, calls=total.calls, cost=total.cost)


_LONGEST_NAME = 60                      # of a source that was asked for, in a line


def _no_source(view: View, filters: Filters) -> str:
    """That nothing of the sources that were named may be read; the same words whether or not they are there."""
    if not filters.sources or filters != Filters(sources=filters.sources) or view.documents(("", ""), 1):
        return ""
    named = (name if len(name) <= _LONGEST_NAME else f"{name[:_LONGEST_NAME]}…" for name in filters.sources[:3])
    names = " or ".join(f'"{name}"' for name in named) + (" or another" if filters.sources[3:] else "")
    return f"there is no source {names} that whoever reads this may read"


def _reason(w: Written, question: Question) -> str:
    if w.avoided and w.verdict.kind == "incorrect":
        return "the passages that may hold the answer read like instructions to a language model, and are not quoted"
    if not w.judged:
        return _no_source(w.view, question.filters) or "no passage matches the question"
    if w.verdict.kind == "incorrect" and not w.draft.decided:
        nor = ", nor is one of the web" if len(w.judged) > len(w.internal) else ""
        return f"no passage is likely enough to hold the answer{nor}"
    if not w.draft.sentences:
        return "the closest passages do not say what the question asks"
    return "what was written could not be verified against the documents"


def _verdict(w: Written, given: Collection[str]) -> AnswerVerdict:
    """Of chunks that nobody looks up again before the answer is sent it holds no score."""
    lower, upper = w.verdict.thresholds
    told = [one for one in w.judged if one.chunk_id in given or one.passage.origin == "external"]
    scores = [one.probability or 0.0 for one in told]
    return AnswerVerdict(
        kind=w.verdict.kind,
        scores=[round(score, 4) for score in scores],
        thresholds=AnswerThresholds(lower=lower, upper=upper),
        reason=w.verdict.reason,
    )


def _confidence(w: Written, form: Form, *, ambiguous: bool) -> AnswerConfidence:
    best = likelihood(max((c.probability or 0.0 for c in w.cited), default=0.0), w.verdict, w.draft)
    found = assess(best, w.verified.support, agreement(w.cited), ambiguous=ambiguous)
    if form == "sum" and w.verified.sentences:
        nearest = max((c.rerank_score for c in w.cited if c.rerank_score is not None), default=None)
        rerank = share_of(nearest, w.reranked_with) if nearest is not None else 0.0
        found = add_up(found, Summed(rerank, w.verified.held, w.verified.facts), ambiguous=ambiguous)
    return _as_part(found)


def _as_part(c: Confidence) -> AnswerConfidence:
    summed = {} if c.summed is None else {
        "rerank": round(c.summed.rerank, 4), "citations": c.summed.citations, "facts": c.summed.facts,
    }
    parts = ConfidenceParts(evaluator=c.evaluator, support=c.support, agreement=c.agreement, **summed)
    return AnswerConfidence(value=c.value, level=c.level, parts=parts)
