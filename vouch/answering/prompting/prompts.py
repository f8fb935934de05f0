"""What a language model is told that writes: instructions, the evidence as untrusted text, the form of its reply."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

from vouch.answering.packing import heading
from vouch.answering.prompting.templates import fence, instructions, request
from vouch.ports.language import Evidence

__all__ = ["PLAIN", "REPLY_SCHEMA", "Style", "evidence_text", "fence", "messages", "reply_schema", "within_budget"]

GAP = " […] "

TEMPLATE = ("answer", 2)
THOUGHT_TOKENS = 200                    # room for the thoughts of a model that is asked for some


class Style(NamedTuple):
    """What a model is told besides: `examples` of replies, and to `think` step by step before its verdict."""

    examples: bool = False
    think: bool = False


PLAIN = Style()


def told(style: Style = PLAIN) -> str:
    """The instructions, joined once."""
    return instructions(*TEMPLATE, examples=style.examples, think=style.think)


REPLY_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "verdict": {"type": "string", "enum": ["answers", "partly", "no"]},
        "sentences": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "text": {"type": "string"},
                    "citations": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "properties": {"passage": {"type": "integer"}, "quote": {"type": "string"}},
                            "required": ["passage", "quote"],
                            "additionalProperties": False,
                        },
                    },
                },
                "required": ["text", "citations"],
                "additionalProperties": False,
            },
        },
        "reason": {"type": "string"},
    },
    "required": ["verdict", "sentences", "reason"],
    "additionalProperties": False,
}


@cache
def reply_schema(*, think: bool) -> dict[str, Any]:
    """With thoughts first, or the verdict would stand before them."""
    if not think:
        return REPLY_SCHEMA
    return {
        **REPLY_SCHEMA, "properties": {"thoughts": {"type": "string"}, **REPLY_SCHEMA["properties"]},
        "required": ["thoughts", *REPLY_SCHEMA["required"]],
    }


def evidence_text(evidence: Evidence) -> str:
    """The kept strips of one passage under its number, heading, and the day its document last changed if it is known.
    """
    passage = evidence.passage
    changed = f" (changed on {passage.changed_at:%Y-%m-%d})" if passage.changed_at else ""
    strips = GAP.join(passage.read(a, b) for a, b in evidence.strips)
    return f"[{evidence.number}] {heading(passage)}{changed}\n{strips}"


def within_budget(
    question: str, evidence: Sequence[Evidence], budget: int, count_tokens: Callable[[str], int], style: Style = PLAIN
) -> list[Evidence]:
    """The first evidence that fits beside the instructions; at least one passage stays."""
    left = budget - count_tokens("\n".join([told(style), question]))
    selected: list[Evidence] = []
    for piece in evidence:
        left -= count_tokens(evidence_text(piece))
        if left < 0 and selected:
            break
        selected.append(piece)
    return selected


def messages(question: str, evidence: Sequence[Evidence], style: Style = PLAIN) -> list[dict[str, str]]:
    """The two messages of one request: instructions, then question and fenced evidence."""
    return request(told(style), question, [evidence_text(one) for one in evidence])
