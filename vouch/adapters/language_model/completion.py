"""One reply of an endpoint: its text, why it ended, and what it cost in tokens."""

from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ValidationError

from vouch.answering.reply_json import THOUGHT


class _Message(BaseModel):
    content: str | None = None
    refusal: str | None = None
    reasoning_content: Any = None       # vLLM and DeepSeek
    reasoning: Any = None               # Ollama and OpenRouter


class _Choice(BaseModel):
    message: _Message
    finish_reason: str | None = None


class _Details(BaseModel):
    reasoning_tokens: int | None = None


class _Usage(BaseModel):
    prompt_tokens: int = 0
    completion_tokens: int = 0
    completion_tokens_details: _Details | None = None


class _Body(BaseModel):
    choices: list[_Choice]
    usage: _Usage | None = None


@dataclass(frozen=True, slots=True)
class Completion:
    """`problem` says why the text cannot be used; empty where nothing is known against it."""

    text: str
    problem: str = ""
    cut: bool = False                   # at the longest reply that was asked for
    thought: bool = False               # it wrote thoughts before its reply
    prompt_tokens: int = 0
    completion_tokens: int = 0


def read_completion(raw: bytes) -> Completion | None:
    """None for what is no completion."""
    try:
        body = _Body.model_validate_json(raw)
    except ValidationError:
        return None
    if not body.choices:
        return None
    choice, usage = body.choices[0], body.usage or _Usage()
    text = choice.message.content or ""
    cut = choice.finish_reason == "length"
    return Completion(
        text, _problem(choice, text), cut, _thought(choice.message, usage, text),
        max(0, usage.prompt_tokens), max(0, usage.completion_tokens),
    )


def _problem(choice: _Choice, text: str) -> str:
    if choice.finish_reason == "length":
        return "its reply was cut off at the longest that it may write"
    if choice.message.refusal:
        return "it refused to answer"
    if choice.finish_reason == "content_filter":
        return "a content filter stopped it"
    return "" if text.strip() else "unusable reply: it is empty"


def _thought(message: _Message, usage: _Usage, text: str) -> bool:
    details = usage.completion_tokens_details
    counted = bool(details and details.reasoning_tokens)
    return counted or bool(message.reasoning_content or message.reasoning) or bool(THOUGHT.search(text))
