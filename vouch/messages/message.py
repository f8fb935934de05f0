"""What the three kinds of work tell one another."""

import operator
from datetime import UTC, datetime
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, Field, StringConstraints, model_validator

from vouch.access import parse_tag
from vouch.errors import BadAccess
from vouch.filters import EVERYTHING, Filters

LARGEST_PATHS = 10_000
MOST_STEPS = 8
LONGEST_QUESTION = 4000                 # characters; an encoder reads far fewer
TERMINAL = "terminal"                   # the surface of `vouch ask`
HTTP = "http"                           # that of `vouch serve`


def _tag(text: str) -> str:
    try:
        return parse_tag(text)
    except BadAccess as error:
        raise ValueError(error.cause) from error


def _words(text: str) -> str:
    if not text.strip():
        raise ValueError("is empty")
    if "\x00" in text:
        raise ValueError("holds a NUL character")
    if any("\ud800" <= letter <= "\udfff" for letter in text):
        raise ValueError("holds bytes that are not UTF-8")
    return text


def _moment(moment: datetime) -> datetime:
    """In UTC, and far enough from the ends of the calendar to add and subtract days."""
    if not 1970 <= moment.year < 9999:
        raise ValueError("is in a year before 1970 or after 9998")
    return moment.astimezone(UTC)


Id = Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=r"^[\x21-\x7e]+$")]
Tag = Annotated[str, StringConstraints(max_length=300), AfterValidator(_tag)]
Words = Annotated[str, AfterValidator(_words)]
Moment = Annotated[AwareDatetime, AfterValidator(_moment)]
Stage = Literal["retrieve", "rerank", "evaluate", "web", "refine", "cite"]
Category = Literal["wrong", "outdated", "not_asked", "not_allowed", "other"]
"""Why an answer was voted down. `not_asked`: not what was asked. `not_allowed`: it should not have been answered."""


class _Value(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class TagsAudience(_Value):
    """The named readers, whatever they may read at the moment somebody looks."""

    kind: Literal["tags"] = "tags"
    tags: Annotated[tuple[Tag, ...], Field(min_length=1, max_length=1000)]


class ConversationAudience(_Value):
    """Everybody who is in a conversation of that surface, whoever that is at the moment somebody looks."""

    kind: Literal["conversation"] = "conversation"
    surface: Id
    conversation: Id


# A reference, never a resolved set: who stands behind it is looked up when the answer
# is made and again when it is sent.
AudienceRef = TagsAudience | ConversationAudience


def _is_none(value: object) -> bool:
    return value is None


class QuestionAsked(_Value):
    """`id` is the surface's own for this question; a second message with it gets no second answer.

    Not `outside`: no word of it may be sent to a search of the web, as it may be no question to vouch at all.
    `share_question`: its words may be shown, without the asker's name, to owners of documents.
    `filters` narrow what it is answered from. `steps`: how many further searches it may take; None: as many as is
    set for questions whose asker says nothing. `words_of`: the messages that its words were said in, by the ids of
    questions; empty: its own.
    """

    id: Id
    text: Annotated[Words, StringConstraints(max_length=LONGEST_QUESTION)]
    surface: Id
    asker: Tag
    audience: AudienceRef
    thread: Id | None = None
    asked_at: Moment
    deadline: Moment | None = None
    outside: bool = True
    # Left out where they say nothing: workers of before know no such fields.
    share_question: Annotated[bool, Field(exclude_if=operator.not_)] = False
    filters: Annotated[Filters, Field(exclude_if=operator.not_)] = EVERYTHING
    steps: Annotated[int | None, Field(ge=0, le=MOST_STEPS, exclude_if=_is_none)] = None
    words_of: Annotated[tuple[Id, ...], Field(exclude_if=operator.not_)] = ()

    @property
    def messages(self) -> tuple[str, ...]:
        return self.words_of or (self.id,)


class AnswerReady(_Value):
    """May come more than once after a crash, always with the same ids."""

    question_id: Id
    answer_id: Id
    surface: Id
    audience: AudienceRef
    thread: Id | None = None
    sent_at: Moment


class FeedbackGiven(_Value):
    """`reaction`: the name of the one that it was given by, if by any. `withdrawn`: that one was taken back."""

    answer_id: Id
    person: Tag
    vote: Literal["up", "down"]
    category: Category | None = None
    reason: Annotated[Words, StringConstraints(max_length=2000)] | None = None
    at: Moment
    reaction: Annotated[
        str, StringConstraints(pattern=r"^[!-~]*$", max_length=60), Field(exclude_if=operator.not_)
    ] = ""
    withdrawn: Annotated[bool, Field(exclude_if=operator.not_)] = False

    @model_validator(mode="after")
    def _only_down(self) -> Self:
        if self.withdrawn and not self.reaction:
            raise ValueError("only a reaction can be withdrawn")
        if self.category is not None and self.vote != "down":
            raise ValueError("a category says why an answer was voted down")
        return self


class DocumentsChanged(_Value):
    """`paths` None: look at the whole source."""

    source: Words
    paths: Annotated[tuple[Words, ...], Field(max_length=LARGEST_PATHS)] | None = None
    at: Moment


class StageDone(_Value):
    """`count`: passages found, read, likely to answer, found on the web, and kept; sentences that hold."""

    stage: Stage
    count: Annotated[int, Field(ge=0)] | None = None
    ms: Annotated[int, Field(ge=0)]


class QuestionProgress(_Value):
    """The whole course of a question until now, so that any of them may be lost, late, repeated or out of order.

    Of two, the one of the try that was `begun_at` later is newer, and of one
    try the one with the higher `number`. It carries no words, and no count
    that depends on what its readers may not read.
    """

    question_id: Id
    surface: Id
    begun_at: Moment
    number: Annotated[int, Field(ge=1)]
    done: Annotated[tuple[StageDone, ...], Field(max_length=20)] = ()
    stage: Stage | None                 # the one that is under way; None: the answer is on its way

    def newer(self, than: "QuestionProgress | None") -> bool:
        return than is None or (self.begun_at, self.number) > (than.begun_at, than.number)


Message = QuestionAsked | AnswerReady | FeedbackGiven | DocumentsChanged | QuestionProgress
