"""An answer as a person reads it in a terminal. Pure text: nothing here decides what may be shown."""

import math
import re
import textwrap
from collections.abc import Mapping
from typing import Any

from vouch.documents.place import shown_path, where

WIDTH = 100
_FENCE = re.compile(r"[ \t>]*(`{3,}|~{3,})")
_ITEM = re.compile(r"[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]+")


def render(answer: Mapping[str, Any], *, verbose: bool = False) -> str:
    """The answer, its numbered citations, and one line on how sure it is; with `verbose` every id and what wrote it."""
    if answer["action"] == "replied":
        return _wrap(answer["answer"])
    lines = [_wrap(answer["answer"]), ""]
    for citation in answer["citations"]:
        lines.extend(_citation(citation, verbose))
    lines.extend(f"note: {warning}" for warning in answer["warnings"])
    lines.append(_sureness(answer))
    if verbose:
        lines.append(
            f"written by {answer['model']}, index version {answer['index_version']}, answer {answer['id']}"
        )
    return "\n".join(lines)


def _sureness(answer: Mapping[str, Any]) -> str:
    """What was done and how sure it is. Digits are cut off, not rounded: 0.396 is low, and 0.40 is not."""
    action, confidence = answer["action"].replace("_", " "), answer["confidence"]
    if answer["action"] == "declined":
        return f"declined: {answer['reason']}"
    value = math.floor(confidence["value"] * 100 + 1e-6) / 100
    return f"{action}, confidence {confidence['level']} ({value:.2f})"


def _citation(citation: Mapping[str, Any], verbose: bool) -> list[str]:
    path = citation["path"] if verbose else shown_path(citation["path"])
    place = where(citation["path"], tuple(citation["lines"]), citation["page"])
    heading = " > ".join(citation["section"]) or citation["title"]
    told = f"{citation['source']}:{path}" + (f", {place}" if place else "")
    shown = [f"[{citation['number']}] {told}" + (f"  ({heading})" if heading else "")]
    if citation["url"]:
        shown.append(f"    {citation['url']}")
    shown.append(_wrap('"' + _quote(citation["quote"]) + '"', "    "))
    if verbose:
        shown.append(f"    chunk {citation['chunk_id']}")
    return shown


def _quote(quote: str) -> str:
    """On one line, or on its own where lines mean something: code, without its fences, and lists."""
    lines = quote.split("\n")
    if not any(_FENCE.match(line) or _ITEM.match(line) for line in lines[1:]) and not _FENCE.match(lines[0]):
        return " ".join(quote.split())
    return "\n".join(line.rstrip() for line in lines if line.strip() and not _FENCE.match(line))


def _wrap(text: str, indent: str = "") -> str:
    """Lines of at most WIDTH characters, those of a list under their item's words; fenced code as it is."""
    lines, fence = [], ""
    for line in text.splitlines() or [""]:
        mark = _FENCE.match(line)
        if fence or mark:
            lines.append(indent + line)
            fence = (fence or mark[1]) if not (fence and mark and mark[1] == fence) else ""  # type: ignore[index]
            continue
        item = _ITEM.match(line)
        margin = indent + " " * (len(item[0]) if item else 0)
        lines.append(textwrap.fill(line, WIDTH, initial_indent=indent, subsequent_indent=margin,
                                   break_long_words=False, break_on_hyphens=False))
    return "\n".join(lines)
