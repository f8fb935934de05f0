"""What programs send, and what they get besides answers: the values of the OpenAPI document."""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from vouch.messages import Category, Tag, Words

Mode = Literal["fused", "lexical", "dense", "reranked"]
MOST_READERS = 50


def _utf8(text: str) -> str:
    if "\x00" in text or any("\ud800" <= letter <= "\udfff" for letter in text):
        raise ValueError("a character that is none")
    return text


Text = Annotated[str, AfterValidator(_utf8)]
# What the validators behind these ask for, for the OpenAPI document; nothing is matched against them here.
_SAYS_SOMETHING = {"minLength": 1, "pattern": r"^[^\x00]*[^\s\x00][^\x00]*$"}
_IS_TAG = {"pattern": r"^(public|(user|group):[^\s:,\x00]+)$"}
Said = Annotated[Words, Field(json_schema_extra=_SAYS_SOMETHING)]
Reader = Annotated[Tag, Field(json_schema_extra=_IS_TAG)]


class _Value(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Question(_Value):
    question: Annotated[Said, Field(max_length=4000, description="In plain words.")]
    audience: Annotated[tuple[Reader, ...], Field(max_length=MOST_READERS, description=(
        "Further readers, as user:NAME, group:NAME or public: the answer holds only what they may all read."
    ))] = ()
    wait: Annotated[float, Field(ge=0, le=60, description="Longest time to wait for the answer, in seconds.")] = 30.0


class Pending(_Value):
    """The answer is being made."""

    question_id: str
    answer_at: Annotated[str, Field(description="Address to ask for the answer, also in Location.")]


class Search(_Value):
    query: Annotated[Said, Field(max_length=4000)]
    top: Annotated[int, Field(ge=1, le=100, description="How many results.")] = 10
    mode: Annotated[Mode, Field(description="Which ranking; reranked is what answers use.")] = "fused"


class Vote(_Value):
    answer_id: Annotated[Text, Field(min_length=1, max_length=200)]
    vote: Literal["up", "down"]
    category: Annotated[Category | None, Field(description="Why it is voted down.")] = None
    reason: Annotated[Said, Field(max_length=2000, description="Why, in a few words.")] | None = None


class Counted(_Value):
    """The vote is on the log. One counts per person and answer, the last."""

    answer_id: str
    vote: Literal["up", "down"]


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


class Shown(Place):
    """A passage between its neighbours."""

    index_version: int
    url: str | None
    page: int | None
    passages: list[PassageText]


class Document(_Value):
    index_version: int
    source: str
    path: str
    title: str
    url: str | None
    passages: list[PassageText]


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


class Me(_Value):
    """Who the request comes from, as far as it was proven."""

    reader: str
    way: Literal["none", "local", "bearer", "proxy"]


class Health(_Value):
    well: bool
    wrong: list[str]


def as_json(kind: type[BaseModel], row: dict[str, Any]) -> dict[str, Any]:
    """`row` as the OpenAPI document describes it."""
    return kind.model_validate(row).model_dump(mode="json")
