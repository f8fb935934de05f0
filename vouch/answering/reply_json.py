"""The JSON objects in what a language model wrote, wherever they stand in it."""

import json
import re
from collections.abc import Iterator

THOUGHT = re.compile(r"</?think(?:ing)?>", re.IGNORECASE)
_LONGEST = 200_000                      # characters, thoughts included; the longest reply asked for is far shorter
_TRIES = 500                            # braces that may turn out to begin no object
_DECODER = json.JSONDecoder()


def objects(content: str) -> Iterator[str]:
    """Every JSON object after the thoughts, the last one first: what comes before it leads up to it.

    Thoughts end at the first `</think>` after which there is an object; a reply that begins with its object has none.
    """
    if len(content) > _LONGEST:
        return
    for text in _after_thoughts(content.strip()):
        found = _found(text)
        yield from reversed(found)
        if found:
            return


def _after_thoughts(content: str) -> Iterator[str]:
    """What thinks and never comes to an end has said nothing."""
    if content.startswith("{"):
        yield content
        return
    marks = list(THOUGHT.finditer(content))
    if not marks:
        yield content
    for mark in marks:
        if mark[0].startswith("</"):
            yield content[mark.end():]


def _found(text: str) -> list[str]:
    found: list[str] = []
    at = text.find("{")
    for _ in range(_TRIES):
        if at < 0:
            break
        try:
            _, end = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            found.append(text[at:end])
        at = text.find("{", end)
    return found
