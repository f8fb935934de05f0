"""Arguments of the Web API, as forms and JSON carry them, and what Slack takes of them."""

import json
import re
from collections.abc import Mapping
from typing import Any

from bots.slack.simulator.blocks import check_blocks
from bots.slack.simulator.refused import Refused

Arguments = Mapping[str, Any]
TS = re.compile(r"[0-9]{1,12}\.[0-9]{6}")
_FLAGS = {"inclusive", "include_all_metadata", "unfurl_links", "unfurl_media", "link_names", "mrkdwn",
          "include_locale", "include_num_members", "return_im", "include_count", "include_disabled", "include_users",
          "exclude_archived"}
_NUMBERS = {"limit"}
_LARGEST_METADATA = 16_000
_LARGEST_TEXT, _LARGEST_UPDATE = 40_000, 4_000      # Slack cuts the one, and refuses more than the other
_LISTS, _MAPPINGS = {"blocks", "loading_messages", "chunks", "prompts"}, {"metadata", "view"}
_OBJECTS = _LISTS | _MAPPINGS
_TYPES: Mapping[str, type] = {**dict.fromkeys(_FLAGS, bool), **dict.fromkeys(_NUMBERS, int),
                              **dict.fromkeys(_LISTS, list), **dict.fromkeys(_MAPPINGS, dict)}     # all others are text


def as_typed(given: Arguments) -> dict[str, Any]:
    """Forms carry text; JSON carries what it is."""
    typed = {}
    for name, value in given.items():
        if isinstance(value, str) and name in _OBJECTS:
            value = json.loads(value)
        elif isinstance(value, str) and name in _FLAGS:
            value = value in ("1", "true", "True")
        elif isinstance(value, str) and name in _NUMBERS:
            value = int(value)
        if not isinstance(value, _TYPES.get(name, str)) or (name in _NUMBERS and isinstance(value, bool)):
            raise Refused("invalid_arguments")
        typed[name] = value
    return typed


def words(given: Arguments) -> str:
    """The text of a message that is posted, as much as Slack keeps of it."""
    _check_words(given)
    return str(given.get("text", ""))[:_LARGEST_TEXT]


def new_words(given: Arguments) -> str:
    """The text of one that is changed."""
    _check_words(given)
    if len(given.get("text", "")) > _LARGEST_UPDATE:
        raise Refused("msg_too_long")
    return str(given.get("text", ""))


def _check_words(given: Arguments) -> None:
    if not given.get("text") and not given.get("blocks"):
        raise Refused("no_text")
    if given.get("parse", "none") not in ("none", "full"):
        raise Refused("invalid_arguments")
    check_blocks(given.get("blocks", []))


def check_metadata(metadata: Any) -> None:
    if metadata is None:
        return
    if metadata.keys() != {"event_type", "event_payload"} or not isinstance(metadata["event_payload"], dict):
        raise Refused("invalid_metadata_format")
    if not isinstance(metadata["event_type"], str) or not 0 < len(metadata["event_type"]) <= 255:
        raise Refused("invalid_metadata_format")
    if len(json.dumps(metadata["event_payload"])) > _LARGEST_METADATA:
        raise Refused("metadata_too_large")


def check_thread(thread_ts: str) -> str:
    if not TS.fullmatch(thread_ts):
        raise Refused("invalid_thread_ts")
    return thread_ts


def one_page(name: str, rows: list[Any], given: Arguments, size: int) -> dict[str, Any]:
    cursor, limit = str(given.get("cursor") or 0), int(given.get("limit", size))
    begin = int(cursor) if cursor.isascii() and cursor.isdigit() else -1
    if not 0 <= begin <= len(rows):
        raise Refused("invalid_cursor")
    if not 1 <= limit <= 1000:
        raise Refused("invalid_limit")
    more = str(begin + limit) if begin + limit < len(rows) else ""
    return {name: rows[begin : begin + limit], "response_metadata": {"next_cursor": more}}
