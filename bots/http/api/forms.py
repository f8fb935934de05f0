"""What programs send, and what they get besides answers: the values of the OpenAPI document."""

from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import Header, Path
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from bots.http.identity.caller import Way
from bots.http.requests import Next
from vouch.filters import EVERYTHING, Sent
from vouch.messages import LONGEST_QUESTION, MOST_STEPS, Category, Tag, Words

Mode = Literal["fused", "lexical", "dense", "reranked"]
MOST_READERS = 50


def _utf8(text: str) -> str:
    if "\x00" in text or any("\ud800" <= letter <= "\udfff" for letter in text):
        raise ValueError("holds a character that is none")
    return text


def _whole(number: Any) -> Any:
    """JSON knows one kind of number, and its schema takes 5.0 for an integer."""
    return int(number) if isinstance(number, float) and number.is_integer() else number


_WHOLE = BeforeValidator(_whole)        # the last of a field: what stands behind it no document shows

# What the validators behind these ask for, for the OpenAPI document; nothing is matched against them here. JSON Schema
# counts some control characters as no spaces, and Python does.
_SAYS_SOMETHING = {"minLength": 1, "pattern": r"^[^\x00]*[^\s\x00\x1c-\x1f\x85][^\x00]*$"}
_NO_NAME = r"\s:,\x00\x1c-\x1f\x85"
# Capitals that share their small letter with another one: a person's name has none of them.
_TWINS = (r"\u0130\u01c5\u01c8\u01cb\u01f2\u03f4\u1e9e\u1f88-\u1f8f\u1f98-\u1f9f\u1fa8-\u1faf\u1fbc\u1fcc\u1ffc"
          r"\u2126\u212a\u212b")
_IS_TAG = {"pattern": rf"^(public|group:[^{_NO_NAME}]+|user:[^{_NO_NAME}{_TWINS}]+)$"}
NO_NUL = {"pattern": r"^[^\x00]*$"}
Text = Annotated[str, AfterValidator(_utf8), Field(json_schema_extra=NO_NUL)]
Named = Annotated[Text, Path(min_length=1, max_length=200, description="Id of an answer or of a question.")]
LastId = Annotated[Text, Header(max_length=100, description="Of the last event that was received.")]
Narrowed = Annotated[Sent, Field(description="What it is answered from, of all that its readers may read.")]
Said = Annotated[Words, Field(json_schema_extra=_SAYS_SOMETHING)]
Reader = Annotated[Tag, Field(json_schema_extra=_IS_TAG)]


class _Value(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Question(_Value):
    question: Annotated[Said, Field(max_length=LONGEST_QUESTION, description="In plain words.")]
    audience: Annotated[tuple[Reader, ...], Field(max_length=MOST_READERS, description=(
        "Further readers, as user:NAME, group:NAME or public: the answer holds only what they may all read. Of a "
        "program that may ask for others: the readers, instead of itself."
    ))] = ()
    follows: Annotated[Text, Field(min_length=1, max_length=200, description=(
        "Id of an answer that this question follows up on, as in: And for contractors?"
    ))] | None = None
    share_question: Annotated[bool, Field(description=(
        "Let owners of documents see this question as an example, without the asker's name."
    ))] = False
    filters: Narrowed = EVERYTHING
    steps: Annotated[Annotated[int, Field(ge=0, le=MOST_STEPS, strict=True), _WHOLE] | None, Field(description=(
        "How many further searches it may take; left out: as many as the service is set to, which may be none."
    ))] = None
    wait: Annotated[float, Field(ge=0, le=60, description="Longest time to wait for the answer, in seconds.")] = 30.0


class Pending(_Value):
    """The answer is being made."""

    question_id: str
    answer_at: Annotated[str, Field(description="Address to ask for the answer, also in Location.")]


class Search(_Value):
    query: Annotated[Said, Field(max_length=LONGEST_QUESTION)]
    top: Annotated[int, Field(ge=1, le=100, strict=True, description="How many results."), _WHOLE] = 10
    mode: Annotated[Mode | None, Field(description=(
        "Which ranking; reranked is what answers use. Without one it is fused, or lexical where the service holds no "
        "model, and a warning says so."
    ))] = None
    filters: Narrowed = EVERYTHING


class Vote(_Value):
    answer_id: Annotated[Text, Field(min_length=1, max_length=200)]
    vote: Literal["up", "down"]
    category: Annotated[Category | None, Field(description="Why it is voted down.")] = None
    reason: Annotated[Said, Field(max_length=2000, description="Why, in a few words.")] | None = None


class Counted(_Value):
    """The vote is on the log. One counts per person and answer, the last."""

    answer_id: str
    vote: Literal["up", "down"]


class Changed(_Value):
    """Which documents of a source changed."""

    paths: Annotated[tuple[Annotated[Said, Field(max_length=4096)], ...], Field(
        min_length=1, max_length=1000, description="Documents and folders of it; without any, all of the source.",
    )] | None = None


class Announced(_Value):
    """The change is on the log."""

    source: str
    paths: Annotated[list[str] | None, Field(description="Null: all of the source.")]
    at: str


class Place(_Value):
    chunk_id: str
    source: str
    path: str
    title: str
    section: list[str]
    lines: tuple[int, int]
    place: Annotated[str, Field(description="`page 2` or `lines 3-5`; may be empty.")]
    flagged: Annotated[bool, Field(description="It reads like orders to a language model; do not give it to one.")]


class Found(Place):
    rank: int
    text: str
    scores: dict[str, float | None]


class Results(_Value):
    index_version: int
    access_epoch: int
    fused_by: str
    warnings: list[str]
    results: list[Found]


class PassageText(Place):
    page: int | None
    characters: Annotated[tuple[int, int], Field(description="Range in the document's text, end excluded.")]
    text: str


_Changed = Annotated[datetime | None, Field(description="When its document changed; null where its source is silent.")]


class Shown(Place):
    """A passage between its neighbors."""

    index_version: int
    url: str | None
    changed_at: _Changed
    page: int | None
    number: Annotated[int, Field(description="Which passage of its document it is, from 1.")]
    passages: list[PassageText]


class Listed(_Value):
    source: str
    path: str
    title: str
    flagged: Annotated[bool, Field(description="Some of it reads like orders to a language model.")]


class Documents(_Value):
    """In order of source and path; nothing in it tells of what this reader may not read."""

    index_version: int
    documents: list[Listed]
    next: Next = None


class Document(_Value):
    index_version: int
    source: str
    path: str
    title: str
    url: str | None
    changed_at: _Changed
    passages: list[PassageText]
    next: Next = None


class Version(_Value):
    version: int
    parent: int | None
    state: str
    created_at: str
    told: Annotated[str, Field(description="What the ingest that made it changed.")]
    current: bool
    held_since: str | None


class Versions(_Value):
    versions: list[Version]
    next: Next = None


class Asked(_Value):
    id: Annotated[str, Field(description="Of the answer.")]
    question: str
    action: str
    answered_at: str


class History(_Value):
    """What one asked last, as far as one may read the answers now."""

    questions: list[Asked]
    next: Next = None


class Me(_Value):
    """Who the request comes from, as far as it was proven."""

    reader: str
    way: Way


class Health(_Value):
    well: bool
    wrong: list[str]


def as_json(kind: type[BaseModel], row: dict[str, Any]) -> dict[str, Any]:
    """`row` as the OpenAPI document describes it."""
    return kind.model_validate(row).model_dump(mode="json")
