"""The window that asks why an answer was no help."""

from collections.abc import Mapping
from typing import Any

from vouch.messages import Category

_REASONS: Mapping[Category, str] = {
    "wrong": "It is wrong", "outdated": "It is outdated", "not_asked": "It is not what I asked",
    "not_allowed": "It should not have been answered", "other": "Something else",
}  # fmt: skip


def reason_view(callback_id: str, answer_id: str) -> dict[str, Any]:
    """Keeps the answer's id and nothing else."""
    return {
        "type": "modal", "callback_id": callback_id, "private_metadata": answer_id, "title": _plain("Why?"),
        "submit": _plain("Send"), "close": _plain("Leave it"),
        "blocks": [
            {"type": "input", "block_id": "why", "label": _plain("What was wrong?"), "element": {
                "type": "radio_buttons", "action_id": "why",
                "options": [{"text": _plain(told), "value": value} for value, told in _REASONS.items()]}},
            {"type": "input", "block_id": "words", "optional": True, "label": _plain("In your words"), "element": {
                "type": "plain_text_input", "action_id": "words", "multiline": True, "max_length": 1500}},
        ],
    }  # fmt: skip


def reason_of(view: Mapping[str, Any]) -> tuple[Category | None, str]:
    """What was chosen, and what was written."""
    values = (view.get("state") or {}).get("values") or {}
    chosen = ((values.get("why") or {}).get("why") or {}).get("selected_option") or {}
    written = ((values.get("words") or {}).get("words") or {}).get("value") or ""
    category = next((one for one in _REASONS if one == chosen.get("value")), None)
    return category, " ".join(str(written).split())


def _plain(text: str) -> dict[str, Any]:
    return {"type": "plain_text", "text": text, "emoji": False}
