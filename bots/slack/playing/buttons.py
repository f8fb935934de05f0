"""The buttons of a message, as a person presses them. Pure."""

from collections.abc import Iterator, Mapping
from typing import Any

from bots.slack.simulator.workspace import Message

Action = dict[str, Any]


def buttons(message: Message) -> Iterator[tuple[str, Action]]:
    """What is written on each, and what a press of it tells the app."""
    for block in message.blocks:
        if block["type"] not in ("actions", "context_actions"):
            continue
        for element in block["elements"]:
            for label, value in _parts(element):
                yield label, {"type": element["type"], "action_id": element["action_id"], "value": value}


def _parts(element: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    if element["type"] == "feedback_buttons":
        for side in ("positive_button", "negative_button"):
            yield element[side]["text"]["text"], element[side]["value"]
    elif element["type"] == "button":
        yield element["text"]["text"], str(element.get("value", ""))


def fields(view: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """What a window lets one choose, and what it asks for in words."""
    choices = [option["text"]["text"] for element in _elements(view, "radio_buttons") for option in element["options"]]
    return choices, [block["label"]["text"] for block in view["blocks"] if block["type"] == "input"]


def filled(view: Mapping[str, Any], choice: str, words: str) -> dict[str, Any]:
    """The window as sent: the first option that begins like `choice`, and the words where words go.

    Raises KeyError if there is no such option.
    """
    values: dict[str, Any] = {}
    for block in view["blocks"]:
        element = block.get("element") or {}
        if element.get("type") == "radio_buttons":
            chosen = [one for one in element["options"] if one["text"]["text"].lower().startswith(choice.lower())]
            if not chosen:
                raise KeyError(choice)
            values[block["block_id"]] = {element["action_id"]: {"selected_option": {"value": chosen[0]["value"]}}}
        elif element.get("type") == "plain_text_input":
            values[block["block_id"]] = {element["action_id"]: {"value": words or None}}
    return values


def _elements(view: Mapping[str, Any], kind: str) -> Iterator[Mapping[str, Any]]:
    for block in view["blocks"]:
        element = block.get("element") or {}
        if element.get("type") == kind:
            yield element
