"""How sure an answer is, in words, and in the numbers that it was made of."""

from collections.abc import Mapping
from typing import Any


def in_words(confidence: Mapping[str, Any]) -> list[str]:
    """A sentence for each part, by the bounds that docs/answers.md gives."""
    parts = confidence["parts"]
    if _is_sum(parts):
        return [_near(parts["rerank"]), _held(parts["citations"]), _facts(parts["facts"])]
    return [_evidence(parts["evaluator"]), _support(parts["support"]), _agreement(parts["agreement"])]


def in_numbers(confidence: Mapping[str, Any]) -> list[tuple[str, float]]:
    """The whole and each part that it was made of, with what it is called."""
    return [("In all", confidence["value"]), *((_TOLD[name], value) for name, value in made_of(confidence).items())]


def made_of(confidence: Mapping[str, Any]) -> dict[str, float]:
    """The parts that the value was computed from, by their names in docs/answers.md."""
    parts = confidence["parts"]
    return {name: parts[name] for name in (_SUMMED if _is_sum(parts) else _MULTIPLIED)}


def _is_sum(parts: Mapping[str, Any]) -> bool:
    """Whether the answer was made with VOUCH_ANSWERING__CONFIDENCE=sum; the other parts are there as well then."""
    return "rerank" in parts


_MULTIPLIED, _SUMMED = ("evaluator", "support", "agreement"), ("rerank", "citations", "facts")
_TOLD = {
    "evaluator": "The passages hold the answer", "support": "The quotes carry the sentences",
    "agreement": "The searches agree", "rerank": "The closest passage fits the question",
    "citations": "The quotes of the sentences hold", "facts": "The numbers stand in the quotes",
}  # fmt: skip


def _evidence(likely: float) -> str:
    how = "very likely hold" if likely >= 0.8 else "probably hold" if likely >= 0.5 else "may or may not hold"
    return f"The passages {how} the answer."


def _near(score: float) -> str:
    return f"The passages score {score:.0%} for the question."


def _held(share: float) -> str:
    return ("Every sentence that was written stands in its quotes." if share >= 1
            else f"{share:.0%} of the sentences that were written stand in their quotes.")


def _facts(share: float) -> str:
    return ("Every number that was written stands in its quotes." if share >= 1
            else f"{share:.0%} of the numbers that were written stand in their quotes.")


def _support(share: float) -> str:
    if share >= 1:
        return "Every word of the answer stands in its quotes."
    return f"{share:.0%} of the answer's words stand in its quotes."


def _agreement(share: float) -> str:
    if share >= 1:
        return "Both searches, by words and by meaning, put them among their first ten."
    return ("One of the two searches put them among its first ten." if share > 0
            else "Neither search put them among its first ten.")
