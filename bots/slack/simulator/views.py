"""Windows and home tabs: whether Slack would take them."""

import json
from collections.abc import Mapping
from typing import Any

from bots.slack.simulator.blocks import check_each
from bots.slack.simulator.refused import Refused, check_text

_MOST_BLOCKS, _LARGEST_LABEL, _LARGEST_NAME, _LARGEST_KEPT, _LARGEST = 100, 24, 255, 3000, 250_000
_PARTS: Mapping[str, dict[str, type]] = {
    "modal": {"title": dict, "submit": dict, "close": dict, "private_metadata": str, "callback_id": str, "blocks": list,
              "clear_on_close": bool, "notify_on_close": bool, "external_id": str, "submit_disabled": bool},
    "home": {"private_metadata": str, "callback_id": str, "blocks": list, "external_id": str},
}  # fmt: skip
_LONGEST = {"private_metadata": _LARGEST_KEPT, "callback_id": _LARGEST_NAME, "external_id": _LARGEST_NAME}


def check_view(view: Mapping[str, Any], kind: str) -> None:
    """Raises Refused: whatever is wrong with blocks, of a view Slack says that the argument is wrong."""
    try:
        _check(view, kind)
    except (Refused, KeyError, TypeError, AttributeError):
        raise Refused("invalid_arguments") from None
    if len(json.dumps(view)) > _LARGEST:
        raise Refused("view_too_large")


def _check(view: Mapping[str, Any], kind: str) -> None:
    parts, given = _PARTS[kind], view.keys() - {"type"}
    _require(view["type"] == kind and given <= parts.keys() and "blocks" in given)
    _require(all(isinstance(view[name], parts[name]) for name in given))
    _require(all(len(view.get(name, "")) <= most for name, most in _LONGEST.items()))
    _require(len(view["blocks"]) <= _MOST_BLOCKS)
    check_each(view["blocks"])
    if kind == "modal":
        _check_window(view)


def _check_window(view: Mapping[str, Any]) -> None:
    check_text(view["title"], _LARGEST_LABEL, "plain_text")
    for name in ("submit", "close"):
        if name in view:
            check_text(view[name], _LARGEST_LABEL, "plain_text")
    _require("submit" in view or all(block["type"] != "input" for block in view["blocks"]))


def _require(right: bool) -> None:
    if not right:
        raise Refused("invalid_arguments")
