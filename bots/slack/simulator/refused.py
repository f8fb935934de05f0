"""What Slack would not take, in its own words."""

from collections.abc import Mapping
from typing import Any

_TEXTS = {"plain_text": {"type", "text", "emoji"}, "mrkdwn": {"type", "text", "verbatim"}}


class Refused(Exception):
    """Slack's word for what is wrong."""


def require(right: bool) -> None:
    if not right:
        raise Refused("invalid_blocks")


def check_text(text: Mapping[str, Any], most: int, kind: str = "") -> None:
    """A text object of a block; `kind` where it may be of one kind alone."""
    require(text["type"] in _TEXTS and text.keys() <= _TEXTS[text["type"]])
    require(not kind or text["type"] == kind)
    require(0 < len(text["text"]) <= most)


def check_name(block: Mapping[str, Any], name: str) -> None:
    """A `block_id` or an `action_id`, which may be left out."""
    require(name not in block or (isinstance(block[name], str) and 0 < len(block[name]) <= 255))
