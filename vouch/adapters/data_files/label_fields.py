"""The fields of a label or question in a file, each checked so that nothing taken in breaks a later command.

Raises ValueError or TypeError that says what is wrong, BadAccess for what is no tag.
"""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from vouch.access import parse_tag
from vouch.adapters.data_files.public import text_of
from vouch.learning.labels.label import CONVERSATION
from vouch.messages import LONGEST_QUESTION

LONGEST_TAG = 300
MOST_TAGS = 1000                        # in an audience
LARGEST_WEIGHT = 1000.0
_FIRST = datetime(1970, 1, 1, tzinfo=UTC)
_CHUNK = re.compile(r"[\x21-\x7e]{1,64}")
_HASH = re.compile(r"[0-9a-f]{64}")
_CONVERSATION = re.compile(CONVERSATION + r"[\x21-\x7e]{1,200}:[\x21-\x7e]{1,200}")    # ids as in messages


def question_of(row: Mapping[str, Any]) -> str:
    text = sound(text_of(row, "question"), "question")
    if not text.strip() or len(text) > LONGEST_QUESTION:
        raise ValueError(f"a question has 1 to {LONGEST_QUESTION:,} characters")
    return text


def sound(text: str, name: str) -> str:
    if any(letter == "\x00" or "\ud800" <= letter <= "\udfff" for letter in text):
        raise ValueError(f"{name!r} holds a character that is none (NUL, or half of a pair)")
    return text


def audience_of(tags: object) -> tuple[str, ...]:
    """Sorted, each once."""
    if not isinstance(tags, list) or not 1 <= len(tags) <= MOST_TAGS:
        raise ValueError(f"'audience' is not a list of 1 to {MOST_TAGS:,} access tags")
    return tuple(sorted({_tag(tag) for tag in tags}))


def person_of(tag: object) -> str | None:
    if tag is not None and not _reader(tag).startswith("user:"):
        raise ValueError(f"'person' is {tag!r:.60}, not the tag of one person, user:NAME")
    return None if tag is None else _reader(tag)


def chunk_of(name: object) -> str:
    if not isinstance(name, str) or not _CHUNK.fullmatch(name):
        raise ValueError("'chunk_id' is not the id of a passage")
    return name


def hash_of(value: object) -> str | None:
    if value is not None and not (isinstance(value, str) and _HASH.fullmatch(value)):
        raise ValueError("'text_hash' is not 64 hex digits")
    return value


def version_of(value: object) -> int:
    if type(value) is not int or not 0 <= value < 2**31:
        raise ValueError("'version' is not the number of a version")
    return value


def weight_of(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError("'weight' is not a number")
    if not 0 <= value <= LARGEST_WEIGHT:
        raise ValueError(f"'weight' is not a number from 0 to {LARGEST_WEIGHT:,.0f}")
    return float(value)


def moment_of(text: object, now: datetime) -> datetime:
    """`now` for None."""
    if text is None:
        return now
    if not isinstance(text, str):
        raise TypeError("'at' cannot be read: it is not text")
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise ValueError(f"'at' is {text[:40]!r}, not a date and time such as 2026-01-31T09:00:00Z") from error
    if moment.tzinfo is None or moment < _FIRST:
        raise ValueError("'at' is not a moment with a time zone, from 1970 on")
    if moment > now:
        raise ValueError("'at' is in the future")
    return moment.astimezone(UTC)


def _tag(tag: object) -> str:
    if not (isinstance(tag, str) and tag.startswith(CONVERSATION)):
        return _reader(tag)
    if not _CONVERSATION.fullmatch(tag):
        raise ValueError(f"{tag[:60]!r} is not {CONVERSATION}SURFACE:ID")
    return tag


def _reader(tag: object) -> str:
    if isinstance(tag, str) and len(tag) > LONGEST_TAG:
        raise ValueError(f"an access tag of more than {LONGEST_TAG} characters")
    return parse_tag(tag)               # type: ignore[arg-type]  # it refuses what is no text
