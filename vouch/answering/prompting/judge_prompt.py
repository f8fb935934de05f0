"""What a language model is told that judges passages, and how its numbers are read."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from vouch.answering.prompting.replies import objects
from vouch.answering.prompting.templates import instructions, request

TEMPLATE = ("judge", 1)
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "passages": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"passage": {"type": "integer"}, "probability": {"type": "number"}},
                "required": ["passage", "probability"],
                "additionalProperties": False,
            },
        },
        "sufficient": {"type": "number"},
    },
    "required": ["passages", "sufficient"],
    "additionalProperties": False,
}


class _One(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")
    passage: int
    probability: float = Field(ge=0, le=1, allow_inf_nan=False)


class _Judged(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")
    passages: list[_One]
    sufficient: float = Field(ge=0, le=1, allow_inf_nan=False)


@dataclass(frozen=True, slots=True)
class Judged:
    """In the order of the passages."""

    probabilities: tuple[float, ...]
    sufficient: float


def judge_messages(question: str, passages: Sequence[str]) -> list[dict[str, str]]:
    """`passages` with their headings, numbered from 1 in their order."""
    return request(instructions(*TEMPLATE), question, [f"[{n}] {text}" for n, text in enumerate(passages, 1)])


def read_judged(content: str, passages: int) -> Judged | str:
    """The numbers, or what is wrong with them, in words that hold nothing of the reply."""
    wrong = "it is not the JSON that was asked for"
    for text in objects(content):
        try:
            judged = _Judged.model_validate_json(text)
        except ValidationError as error:
            field = ".".join(str(part) for part in error.errors()[0]["loc"] if isinstance(part, int) or part in SHOWN)
            wrong = f"`{field}` is not as it was asked for" if field else wrong
            continue
        probabilities = {judgment.passage: judgment.probability for judgment in judged.passages}
        if len(probabilities) == len(judged.passages) and probabilities.keys() == set(range(1, passages + 1)):
            return Judged(tuple(probabilities[number] for number in range(1, passages + 1)), judged.sufficient)
        wrong = f"it must judge each passage from 1 to {passages} once"
    return wrong


SHOWN = ("passages", "passage", "probability", "sufficient")
