"""An answer as a person reads it in a terminal. Pure text: nothing here decides what may be shown."""

import math
import textwrap
from collections.abc import Mapping
from typing import Any

from vouch.documents.place import shown_path, where

WIDTH = 100


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
    shown.append(_wrap('"' + " ".join(citation["quote"].split()) + '"', "    "))
    if verbose:
        shown.append(f"    chunk {citation['chunk_id']}")
    return shown


def _wrap(text: str, indent: str = "") -> str:
    paragraphs = text.splitlines() or [""]
    return "\n".join(
        textwrap.fill(p, WIDTH, initial_indent=indent, subsequent_indent=indent, break_long_words=False)
        for p in paragraphs
    )
