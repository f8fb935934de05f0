"""Blocks as a person reads them."""

from typing import Any


def draw(blocks: list[dict[str, Any]]) -> str:
    """One block after another."""
    return "\n".join(_draw(block) for block in blocks)


def _draw(block: dict[str, Any]) -> str:
    match block["type"]:
        case "markdown":
            return str(block["text"])
        case "section" | "header":
            return str(block["text"]["text"])
        case "context":
            return " ".join(str(element["text"]) for element in block["elements"])
        case "rich_text":
            return "\n".join(_rich(element) for element in block["elements"])
        case "context_actions" | "actions":
            return " ".join(f"[{label}]" for element in block["elements"] for label in _labels(element))
        case _:
            return ""


def _labels(element: dict[str, Any]) -> list[str]:
    if element["type"] == "feedback_buttons":
        return [element[side]["text"]["text"] for side in ("positive_button", "negative_button")]
    return [element["text"]["text"]]


def _rich(element: dict[str, Any]) -> str:
    if element["type"] == "rich_text_list":
        return "\n".join(_rich(one) for one in element["elements"])
    return "".join(_word(one) for one in element["elements"])


def _word(one: dict[str, Any]) -> str:
    if one["type"] == "user":
        return f"<@{one['user_id']}>"
    return f"{one.get('text', one['url'])} <{one['url']}>" if one["type"] == "link" else str(one["text"])
