"""Judges answers by what they were written from, with a language model: one call for an answer."""

from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from vouch.adapters.language_model.dialect import Form
from vouch.adapters.language_model.models import LanguageModels, Unreadable
from vouch.answering.prompting.replies import objects
from vouch.answering.prompting.templates import instructions, request
from vouch.answering.spending import spent_on_answer
from vouch.learning.evaluation.rag import RagCase, RagJudged
from vouch.ports.models import Encoder

TEMPLATE = ("measure", 1)
QUESTIONS = 3                           # most that are compared with the one that was asked
_FIRST_TOKENS, _TOKENS_EACH = 200, 16   # of a reply
_MOST = 6000                            # characters of a passage


class _Said(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")
    number: int
    holds: bool


class Reply(BaseModel):
    """What the template asks for; `SCHEMA` is made of it."""

    model_config = ConfigDict(strict=True, extra="forbid")
    statements: list[_Said]
    passages: list[_Said]
    known: list[_Said]
    questions: list[str] = Field(max_length=10)
    evasive: bool


_ONE: dict[str, Any] = {
    "type": "object", "properties": {"number": {"type": "integer"}, "holds": {"type": "boolean"}},
    "required": ["number", "holds"], "additionalProperties": False,
}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        **{name: {"type": "array", "items": _ONE} for name in ("statements", "passages", "known")},
        "questions": {"type": "array", "items": {"type": "string"}},
        "evasive": {"type": "boolean"},
    },
    "required": ["statements", "passages", "known", "questions", "evasive"],
    "additionalProperties": False,
}


class LanguageModelRagJudge:
    """Implements RagJudge. The relevance of an answer is the mean cosine between what was asked and the questions that
    the model sees answered; 0 for an evasive one."""

    def __init__(self, models: LanguageModels, encoder: Encoder) -> None:
        self._models, self._encoder = models, encoder

    @property
    def name(self) -> str:
        return f"language model {self._models.name}"

    def judge(self, case: RagCase) -> RagJudged:
        """Raises ModelDown."""
        known = [text for alternatives in case.known for text in alternatives]
        counts = (len(case.statements), len(case.passages), len(known))
        form = Form("measured", SCHEMA, _FIRST_TOKENS + _TOKENS_EACH * sum(counts))
        parts = [
            *_numbered("Statement of the answer", case.statements), *_numbered("Known statement", known),
            *_numbered("Passage", [text[:_MOST] for text in case.passages]),
        ]
        messages = request(instructions(*TEMPLATE), case.question.text, parts)
        with spent_on_answer():         # the calls of one answer do not count for the next
            reply = self._models.ask(messages, form, lambda text: _read(text, counts)).value
        statements, passages, flat = (_in_order(part) for part in (reply.statements, reply.passages, reply.known))
        ends = list(accumulate((len(alternatives) for alternatives in case.known), initial=0))
        known_held = tuple(any(flat[start:end]) for start, end in pairwise(ends))
        return RagJudged(statements, passages, known_held, self._relevance(case, reply))

    def _relevance(self, case: RagCase, reply: Reply) -> float:
        asked = [text for text in reply.questions if text.strip()][:QUESTIONS]
        if reply.evasive or not asked or not case.statements:
            return 0.0
        vectors = self._encoder.questions([case.question.text, *asked])
        return float(np.clip((vectors[1:] @ vectors[0]).mean(), 0.0, 1.0))


def _numbered(what: str, texts: Sequence[str]) -> list[str]:
    return [f"{what} {number}: {text}" for number, text in enumerate(texts, 1)]


def _read(content: str, counts: Sequence[int]) -> Reply:
    """Raises Unreadable in words that hold nothing of the reply."""
    wrong = "it is not the JSON that was asked for"
    for text in objects(content):
        try:
            reply = Reply.model_validate_json(text)
        except ValidationError:
            continue
        parts = (reply.statements, reply.passages, reply.known)
        if all(sorted(judgment.number for judgment in part) == list(range(1, count + 1))
               for part, count in zip(parts, counts, strict=True)):
            return reply
        wrong = "it must judge each statement, passage and known statement once, by its number"
    raise Unreadable(wrong)


def _in_order(said: Sequence[_Said]) -> tuple[bool, ...]:
    return tuple(one.holds for one in sorted(said, key=lambda one: one.number))
