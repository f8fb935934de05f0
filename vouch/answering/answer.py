"""The answer as programs receive it, and what is left of one whose document is forgotten."""

import hashlib
import operator
from collections.abc import Mapping
from datetime import date, datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from vouch.filters import EVERYTHING, Filters
from vouch.plurals import count

Action = Literal["answered", "answered_with_caution", "declined", "replied"]
Knowledge = Literal["internal", "external", "both", "none"]
ToolName = Literal["rag", "open", "web"]


def _is_none(value: object) -> bool:
    return value is None


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class AnswerSentence(_Part):
    text: str
    citations: Annotated[list[int], Field(min_length=1, description="Numbers of the citations that hold it.")]


class AnswerCitation(_Part):
    number: Annotated[int, Field(ge=1)]
    chunk_id: str
    source: str
    path: str
    title: str
    section: list[str]
    lines: Annotated[tuple[int, int], Field(description="First and last line in the document, from 1.")]
    characters: Annotated[tuple[int, int], Field(description="Range in the document's text, end excluded.")]
    quote: Annotated[str, Field(description="Exactly the document's text at `characters`.")]
    url: str | None = None
    page: Annotated[int | None, Field(description="Page of a PDF, or slide, from 1.")] = None
    place: Annotated[
        str, Field(description="`page 2` or `lines 3-5`; empty where readers of the document see neither.")
    ] = ""
    header: Annotated[str, Field(description="Header of the table that the quote is a row of.")] = ""
    origin: Annotated[
        Literal["internal", "external"], Field(description="Of the documents, or found outside them, at `url`.")
    ] = "internal"
    fetched_at: Annotated[datetime | None, Field(description="When an external page was fetched.")] = None
    changed_at: Annotated[datetime | None, Field(exclude_if=operator.not_, description=(
        "When the document last changed when it was read; left out where its source does not tell."
    ))] = None


class AnswerThresholds(_Part):
    lower: float
    upper: float


class AnswerVerdict(_Part):
    kind: Annotated[Literal["correct", "ambiguous", "incorrect"], Field(description="The evaluator's word.")]
    scores: Annotated[list[float], Field(description=(
        "P(holds the answer) of each passage that the answer was made from, and of the best one, best rank first."
    ))]
    thresholds: AnswerThresholds
    reason: str


class ConfidenceParts(_Part):
    evaluator: float
    support: float
    agreement: float
    rerank: Annotated[float | None, Field(exclude_if=_is_none, description=(
        "With `citations` and `facts` what the value is the sum of; left out where it is the product of the others."
    ))] = None
    citations: Annotated[float | None, Field(exclude_if=_is_none)] = None
    facts: Annotated[float | None, Field(exclude_if=_is_none)] = None


class AnswerConfidence(_Part):
    value: Annotated[float, Field(ge=0, le=1)]
    level: Literal["low", "medium", "high"]
    parts: ConfidenceParts


class AnswerEvidence(_Part):
    """A passage that the writer was given."""

    chunk_id: str
    kept: Annotated[list[tuple[int, int]], Field(description=(
        "Ranges within the passage's text that the writer was given, end excluded; the rest was left out."
    ))]


ByRules = Annotated[bool | None, Field(exclude_if=_is_none, description=(
    "Whether that planner is rules, and no language model; left out in answers of versions that did not note it."
))]


class AnswerStep(_Part):
    """A further step that was taken for the question. None of it is an answer."""

    tool: ToolName
    query: Annotated[str, Field(description="What was searched for; empty where a passage was opened.")] = ""
    source: Annotated[str, Field(exclude_if=operator.not_, description="Where alone it searched, if the order said."
    )] = ""
    path: Annotated[str, Field(exclude_if=operator.not_, description="A path or a pattern, as `source`.")] = ""
    after: Annotated[date | None, Field(exclude_if=operator.not_, description="Changed on that day or later.")] = None
    opened: Annotated[str, Field(exclude_if=operator.not_, description=(
        "Id of the chunk that was opened, or the document, SOURCE:PATH."
    ))] = ""
    section: Annotated[str, Field(exclude_if=operator.not_, description="The section of it that was opened.")] = ""
    by: Annotated[str, Field(description="Which planner ordered it.")]
    by_rules: ByRules = None
    thought: Annotated[str, Field(description="Why, in the planner's words.")] = ""
    passages: Annotated[list[str], Field(description="Ids of chunks it found that the answer depends on.")] = []
    error: Annotated[str, Field(description="What went wrong, such as `TimedOut`; empty where nothing did.")] = ""
    ms: Annotated[float, Field(ge=0, description="How long it took.")] = 0.0


class AnswerOrder(_Part):
    """What a planner said that led to no step: it could not be used, or it ended the search."""

    step: Annotated[int, Field(ge=1, description="The step that was to be taken.")]
    by: Annotated[str, Field(description="Which planner.")]
    by_rules: ByRules = None
    thought: Annotated[str, Field(description="Why it ended the search, in the planner's words.")] = ""
    error: Annotated[str, Field(description="Why it could not be used; empty where it ended the search.")] = ""
    problem: Annotated[str, Field(exclude_if=operator.not_, description=(
        "What was wrong with an order that is not valid: its fields and rules, and no word of it."
    ))] = ""
    ends: Annotated[Literal["", "final", "stop"], Field(exclude_if=operator.not_, description=(
        "How it ended the search. `final`: what was found answers; `stop`: there is nothing more to try."
    ))] = ""


class AnswerRecipeStep(_Part):
    """What a step of the recipe made that is no passage. It was searched for, and is no part of the answer."""

    step: Annotated[str, Field(description="Its name, as of recipes.md.")]
    by: Annotated[str, Field(description="A language model by its name, or rules, with the reason.")]
    said: Annotated[list[str], Field(description="The words it made.")] = []


class AnswerTokens(_Part):
    """What language models did for it: planning, judging, writing, and words for the web."""

    prompt: int = 0
    completion: int = 0
    calls: Annotated[int, Field(exclude_if=operator.not_, description="Replies; left out where there were none.")] = 0
    cost: Annotated[float | None, Field(exclude_if=lambda cost: cost is None, description=(
        "In the money of the prices that are set; left out where they are not."
    ))] = None


class Answer(_Part):
    """An answer, a decline or a reply to small talk: `action` says which. Only an answer has sentences."""

    id: str
    question_id: str
    question: str
    understood_as: Annotated[str, Field(description=(
        "What a question stands for that follows up on earlier ones of its thread, in words of questions alone; empty "
        "where it does not."
    ))] = ""
    searched_as: Annotated[str, Field(exclude_if=operator.not_, description=(
        "What was searched for instead of `understood_as`, made of it by a language model, or with titles or key "
        "terms of what earlier answers cited; left out where nothing was."
    ))] = ""
    understood_by: Annotated[str, Field(exclude_if=operator.not_, description=(
        "What completed it: rules, with titles or key terms or neither, or a language model by its name; left out as "
        "above."
    ))] = ""
    understood_from: Annotated[list[str], Field(exclude_if=operator.not_, description=(
        "Ids of the earlier questions whose words are in `understood_as`, newest first; left out where there are none."
    ))] = []
    made_for: Annotated[str, Field(exclude_if=operator.not_, description=(
        "Of a conversation a mark of what its readers could read then, the same for all who may read the same; left "
        "out elsewhere, and where they changed meanwhile."
    ))] = ""
    filters: Annotated[Filters, Field(exclude_if=operator.not_, description=(
        "What it was to be answered from; left out where that is all that its readers may read."
    ))] = EVERYTHING
    answer: Annotated[str, Field(description="The sentences with their citation numbers, or the words of the decline.")]
    sentences: list[AnswerSentence]
    citations: list[AnswerCitation]
    action: Action
    reason: Annotated[str, Field(description="Why it was declined; empty for an answer.")] = ""
    verdict: AnswerVerdict | None
    confidence: AnswerConfidence
    knowledge: Annotated[Knowledge, Field(description="Where the answer's words come from.")]
    warnings: list[str]
    model: Annotated[str, Field(description="What wrote the answer.")]
    fused_by: Annotated[str, Field(description=(
        "What fused the hits of words and of meaning: `reciprocal ranks`, or a learned fusion by its name in the "
        "registry (`fusion-DAY-DIGITS`, the first eight of its fingerprint) or by its fingerprint."
    ))] = ""
    reranked_by: Annotated[str, Field(description=(
        "What put the passages in order: `maxsim`, the encoder's token vectors, or a cross-encoder by its name in the "
        "registry or by its fingerprint."
    ))] = ""
    judged_by: Annotated[str, Field(description=(
        "What judged whether the evidence is enough: an evaluator by its name in the registry, or by its fingerprint."
    ))] = ""
    read_by: Annotated[str, Field(exclude_if=operator.not_, description=(
        "The judge that read the first passages together with the question for this evaluator, by its name in the "
        "registry or by its fingerprint; left out where none did."
    ))] = ""
    recipe: Annotated[str, Field(exclude_if=operator.not_, description=(
        "The recipe that it was searched by; left out for the default."
    ))] = ""
    recipe_steps: Annotated[list[AnswerRecipeStep], Field(exclude_if=operator.not_, description=(
        "What steps of the recipe made besides passages, in order; left out where they made nothing."
    ))] = []
    swapped: Annotated[list[int], Field(exclude_if=operator.not_, description=(
        "The two positions, counted from 1, whose passages a draw let change places; left out where it did not."
    ))] = []
    asker_may_read_more: Annotated[bool, Field(exclude_if=operator.not_, description=(
        "In a conversation: a better answer stands in what its asker may read and others there may not. For the asker "
        "alone to be told; left out where it is not so."
    ))] = False
    evidence: Annotated[list[AnswerEvidence], Field(exclude_if=operator.not_, description=(
        "Passages of the documents that the writer was given, in its order; left out where there were none."
    ))] = []
    steps: Annotated[list[AnswerStep], Field(exclude_if=operator.not_, description=(
        "Further steps that were taken for it, in order; left out where there were none."
    ))] = []
    stopped: Annotated[Literal["", "final", "stop", "covered", "budget", "error"], Field(
        exclude_if=operator.not_, description=(
            "Why there were no more steps: the planner held that what was found answers, or had nothing more to try; "
            "every part that was searched for had its evidence; what it may cost was used up; or something failed. "
            "Left out where none was to be taken."
        ),
    )] = ""
    open_parts: Annotated[list[str], Field(exclude_if=operator.not_, description=(
        "The beginnings of the parts of the question that it leaves open; left out where there are none."
    ))] = []
    planned_by: Annotated[str, Field(exclude_if=operator.not_, description=(
        "Where further steps were to be taken: the agent that they went by, by its name in the registry; left out for "
        "the rules that come with vouch."
    ))] = ""
    orders: Annotated[list[AnswerOrder], Field(exclude_if=operator.not_, description=(
        "What planners said that led to no step; left out where there was nothing of the kind."
    ))] = []
    tokens: AnswerTokens
    timings_ms: dict[str, float]
    index_version: int
    access_epoch: int
    asked_at: datetime
    answered_at: datetime


def answer_id(question_id: str) -> str:
    """The id of the one answer to a question, so that a repeated question cannot get a second one."""
    return hashlib.sha256(b"answer:" + question_id.encode()).hexdigest()[:32]


def searched_for(body: Mapping[str, Any]) -> str:
    """Of an answer's JSON what was searched for in place of the question; empty where the question itself was."""
    return str(body.get("searched_as") or body.get("understood_as") or "")


def only_from(body: Mapping[str, Any]) -> str:
    """Of an answer's JSON what it was to be answered from; empty where that is all that its readers may read."""
    return Filters.model_validate(body.get("filters") or {}).told()


def answer_schema() -> dict[str, object]:
    """The JSON Schema of an answer, as printed."""
    return Answer.model_json_schema(mode="serialization")


REMOVED = "removed"
REMOVED_TEXT = "Removed: a document that this answer was made from has been deleted."


def removed_answer(answer_id: str, question_id: str, made_at: datetime, body: Mapping[str, Any]) -> dict[str, Any]:
    """The JSON of an answer in the place of `body`, without a word of question, answer or evidence."""
    stub = Answer(
        id=answer_id,
        question_id=question_id,
        question=REMOVED,
        answer=REMOVED_TEXT,
        sentences=[],
        citations=[],
        action="declined",
        reason=REMOVED,
        verdict=None,
        confidence=AnswerConfidence(
            value=0.0, level="low", parts=ConfidenceParts(evaluator=0.0, support=0.0, agreement=0.0)
        ),
        knowledge="none",
        warnings=[],
        model="none",
        tokens=AnswerTokens(),
        timings_ms={},
        index_version=body.get("index_version", 0),
        access_epoch=body.get("access_epoch", 0),
        asked_at=body.get("asked_at", made_at),
        answered_at=body.get("answered_at", made_at),
    )
    return stub.model_dump(mode="json")


Budget = Literal["steps", "searches", "seconds"]
"""What a question that takes several steps may use up."""
_USED_UP: dict[Budget, str] = {
    "steps": "it may take no more", "searches": "it may search no more often", "seconds": "its time is used up",
}
_ENDED, _FAILED = "the search ended after ", "the search for more ended early, as something failed"


def ended_early(stopped: str, steps: int, used_up: Budget = "steps") -> str:
    """The warning that the search for more ended before it was done; empty where it did not."""
    if stopped == "budget":
        return f"{_ENDED}{count(steps, 'further step')}, as {_USED_UP[used_up]}"
    return _FAILED if stopped == "error" else ""


def tells_end(warning: str) -> bool:
    """Whether it is a warning of `ended_early`."""
    return warning.startswith(_ENDED) or warning == _FAILED
