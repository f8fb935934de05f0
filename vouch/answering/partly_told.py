"""What is still told of an answer where something that it was made from may not be read any more."""

from collections.abc import Collection, Mapping
from typing import Any

from vouch.answering.answer import REMOVED


def cites_only(body: Mapping[str, Any], seen: Collection[str]) -> bool:
    """Whether all that is cited from documents is among `seen`; never of an answer that was taken out."""
    cited = {one["chunk_id"] for one in body["citations"] if one["origin"] == "internal"}
    return body["question"] != REMOVED and cited <= set(seen)


def asked_alone(body: Mapping[str, Any]) -> dict[str, Any]:
    """The asker's own words: those that a follow-up was completed with may be from titles."""
    return {"partial": True, "question": body["question"], "understood_as": "", "answer": "", "reason": "",
            "warnings": [], "searched_as": "", "understood_by": ""}


def kind_alone(body: Mapping[str, Any]) -> dict[str, Any]:
    """What kind of a verdict it was: scores and confidence tell of passages."""
    verdict = body["verdict"]
    told = None if verdict is None else {"kind": verdict["kind"], "thresholds": verdict["thresholds"]}
    return {"verdict": told, "confidence": None}
