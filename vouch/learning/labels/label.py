"""A label: how relevant a passage is to a question, by somebody's judgment or by what people did."""

import hashlib
import json
import math
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Literal, get_args

from vouch.errors import BadInput
from vouch.messages import AudienceRef, ConversationAudience

Source = Literal["judged", "cited", "vote", "behaviour"]
SOURCES: tuple[Source, ...] = get_args(Source)
LARGEST = 3                             # the highest relevance; 0 is not relevant
CONVERSATION = "conversation:"          # begins the tag that stands for whoever was in a conversation


@dataclass(frozen=True, slots=True)
class Label:
    """`audience` are the access tags of the readers, sorted. Raises BadInput for values that none can have.

    `text_hash` is of the passage's text, `version` of the index it was found
    in, `weight` says how much it counts beside others, `person` who judged,
    voted or acted (None: nobody), `answer_id` the answer it was read from
    (None: judged apart from any), `position` at which it was shown, from 1.
    """

    question: str
    audience: tuple[str, ...]
    chunk_id: str
    text_hash: str | None
    version: int
    relevance: int
    source: Source
    weight: float
    at: datetime
    person: str | None = None
    answer_id: str | None = None
    position: int | None = None

    def __post_init__(self) -> None:
        if self.source not in SOURCES:
            raise BadInput(f"{self.source!r} is not a source of labels", cure=f"known are {', '.join(SOURCES)}")
        if type(self.relevance) is not int or not 0 <= self.relevance <= LARGEST:
            raise BadInput(f"relevance {self.relevance!r}", cure=f"it is a whole number from 0 to {LARGEST}")
        if not (math.isfinite(self.weight) and self.weight >= 0):
            raise BadInput(f"weight {self.weight!r}", cure="it is a number from 0")
        if not self.audience or list(self.audience) != sorted(set(self.audience)):
            raise BadInput("an audience that is empty or not in order", cure="give its tags sorted, each once")
        if self.at.tzinfo is None:
            raise BadInput("a moment without a time zone", cure="give it with one")

    @property
    def question_key(self) -> str:
        """32 hex digits, equal for the same question of the same audience; spaces and capitals do not count."""
        return question_key(self.question, self.audience)

    @property
    def key(self) -> str:
        """32 hex digits of what it is about and whom it comes from: a later one with the same key takes its place."""
        return label_key(self.question_key, self.chunk_id, self.source, self.person, self.answer_id)


@lru_cache(maxsize=100_000)            # a training asks for the same ones all over; no words are kept
def label_key(asked: str, chunk_id: str, source: Source, person: str | None, answer_id: str | None = None) -> str:
    """Of a label of the question with the key `asked`."""
    return _digest(asked, chunk_id, source, person, answer_id)


def audience_tags(audience: AudienceRef) -> tuple[str, ...]:
    """Sorted. A conversation, whose readers change, is named by a tag that no reader has."""
    if isinstance(audience, ConversationAudience):
        return (f"{CONVERSATION}{audience.surface}:{audience.conversation}",)
    return tuple(sorted(set(audience.tags)))


@lru_cache(maxsize=2_000)
def question_key(question: str, audience: tuple[str, ...]) -> str:
    return _digest(" ".join(question.casefold().split()), *audience)


def _digest(*parts: str | None) -> str:
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]  # no joint that a part could hold as well
