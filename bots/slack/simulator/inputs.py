"""What people are asked for in a window: input blocks, and the elements that the bot has need of."""

from collections.abc import Mapping
from typing import Any

from bots.slack.simulator.refused import check_name, check_text, require

_LARGEST_LABEL, _LARGEST_PLACEHOLDER, _LARGEST_INPUT = 2000, 150, 3000
_LARGEST_OPTION, _LARGEST_VALUE, _MOST_OPTIONS = 75, 150, 10
_FLAGS = ("optional", "dispatch_action")
_OF_ELEMENTS: Mapping[str, set[str]] = {
    "plain_text_input": {"initial_value", "multiline", "min_length", "max_length", "placeholder"},
    "radio_buttons": {"options", "initial_option"},
    "multi_users_select": {"initial_users", "max_selected_items", "placeholder"},
}


def check_input(block: Mapping[str, Any]) -> None:
    """Raises Refused, or what a part that is missing raises."""
    check_text(block["label"], _LARGEST_LABEL, "plain_text")
    if "hint" in block:
        check_text(block["hint"], _LARGEST_LABEL, "plain_text")
    require(all(isinstance(block.get(name, False), bool) for name in _FLAGS))
    element = block["element"]
    kind = element.get("type")
    require(kind in _OF_ELEMENTS and element.keys() <= _OF_ELEMENTS[kind] | {"type", "action_id", "focus_on_load"})
    check_name(element, "action_id")
    if "placeholder" in element:
        check_text(element["placeholder"], _LARGEST_PLACEHOLDER, "plain_text")
    _CHECKS[kind](element)


def _text_input(element: Mapping[str, Any]) -> None:
    least, most = element.get("min_length", 0), element.get("max_length", _LARGEST_INPUT)
    require(_whole(least) and _whole(most) and 0 <= least <= _LARGEST_INPUT and 1 <= most <= _LARGEST_INPUT)
    require(least <= most and isinstance(element.get("multiline", False), bool))
    written = element.get("initial_value", "")
    require(isinstance(written, str) and len(written) <= most)


def _radio_buttons(element: Mapping[str, Any]) -> None:
    options = element["options"]
    require(isinstance(options, list) and 0 < len(options) <= _MOST_OPTIONS)
    for option in options:
        require(option.keys() <= {"text", "value", "description"})
        check_text(option["text"], _LARGEST_OPTION)
        require(isinstance(option["value"], str) and 0 < len(option["value"]) <= _LARGEST_VALUE)
        if "description" in option:
            check_text(option["description"], _LARGEST_OPTION)
    require(len({option["value"] for option in options}) == len(options))
    require("initial_option" not in element or element["initial_option"] in options)


def _people(element: Mapping[str, Any]) -> None:
    chosen, most = element.get("initial_users", []), element.get("max_selected_items", 1)
    require(isinstance(chosen, list) and all(isinstance(one, str) and one for one in chosen))
    require(_whole(most) and most >= 1 and ("max_selected_items" not in element or len(chosen) <= most))


def _whole(number: Any) -> bool:
    return isinstance(number, int) and not isinstance(number, bool)


_CHECKS = {"plain_text_input": _text_input, "radio_buttons": _radio_buttons, "multi_users_select": _people}
