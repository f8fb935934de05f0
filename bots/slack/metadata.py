"""What the app writes into the metadata of its answers, which only the app itself can write."""

from collections.abc import Mapping
from typing import Any

EVENT = "vouch_answer"


def metadata(question_id: str, answer_id: str) -> dict[str, Any]:
    return {"event_type": EVENT, "event_payload": {"question_id": question_id, "answer_id": answer_id}}


def payload_of(posted: Mapping[str, Any]) -> Mapping[str, Any]:
    """The question's and the answer's id of a message of this app; empty for any other."""
    found = posted.get("metadata") or {}
    return found.get("event_payload") or {} if found.get("event_type") == EVENT else {}
