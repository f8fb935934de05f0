"""An answer as a person reads it in a terminal. Pure text: nothing here decides what may be shown."""

import math
import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from bots.steps_line import steps_line
from bots.wrapping import Line, Tone, wrap
from vouch.answering.answer import only_from, searched_for
from vouch.answering.spending import told_cost
from vouch.documents.formats import shown_path, where
from vouch.moments import age

_FENCE = re.compile(r"[ \t>]*(`{3,}|~{3,})")
_ITEM = re.compile(r"[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]+")
_SET_IN = "    "


def render(
    answer: Mapping[str, Any], width: int, *, verbose: bool = False, now: datetime | None = None
) -> list[Line]:
    """The answer, its numbered citations, and one line on how sure it is, in lines of `width`.

    With `verbose` every id, and what wrote it. How old a document is counts until `now`.
    """
    text = answer["answer"]
    if answer["action"] == "replied":
        return _plain(_wrap(text, width))
    answer_lines = _caution(text, width) if answer["action"] == "answered_with_caution" else _plain(_wrap(text, width))
    lines = [*answer_lines, Line("")]
    if words := searched_for(answer):
        lines = [*(Line(line, "faint") for line in wrap(f"searched for: {words}", width)), *lines]
    if only := only_from(answer):
        lines = [*(Line(line, "faint") for line in wrap(f"only from: {only}", width)), *lines]
    for citation in answer["citations"]:
        lines.extend(_citation(citation, width, verbose, now))
    for warning in answer["warnings"]:
        lines.extend(Line(line, "warning") for line in wrap(f"note: {warning}", width))
    if told_steps := steps_line(answer, answer["warnings"]):
        lines.extend(Line(line, "faint") for line in wrap(told_steps, width))
    lines.extend(Line(line, _TONES.get(answer["action"], "faint")) for line in wrap(_sureness(answer), width))
    if verbose:
        ways = ("fused", "reranked")
        by = "".join(f", {way} by {answer[f'{way}_by']}" for way in ways if answer.get(f"{way}_by"))
        origin = f"written by {answer['model']}{by}, index version {answer['index_version']}, answer {answer['id']}"
        lines.extend(Line(line, "faint") for line in wrap(origin, width))
        if spent := told_cost(answer.get("tokens") or {}):
            lines.extend(Line(line, "faint") for line in wrap(f"language model: {spent}", width))
    return lines


def _plain(lines: Iterable[str]) -> list[Line]:
    return [Line(line) for line in lines]


def _caution(text: str, width: int) -> list[Line]:
    """The first line of such an answer says that it is none."""
    first, *_ = text.split("\n")
    count = len(_wrap(first, width))
    return [Line(line, "warning" if number < count else "") for number, line in enumerate(_wrap(text, width))]


_TONES: Mapping[str, Tone] = {"declined": "warning", "answered_with_caution": "warning"}


def _sureness(answer: Mapping[str, Any]) -> str:
    """What was done and how sure it is. Digits are cut off, not rounded: 0.396 is low, and 0.40 is not."""
    action, confidence = answer["action"].replace("_", " "), answer["confidence"]
    if answer["action"] == "declined":
        return f"declined: {answer['reason']}"
    value = math.floor(confidence["value"] * 100 + 1e-6) / 100
    return f"{action}, confidence {confidence['level']} ({value:.2f})"


def _citation(citation: Mapping[str, Any], width: int, verbose: bool, now: datetime | None) -> list[Line]:
    path = citation["path"] if verbose else shown_path(citation["path"])
    position = where(citation["path"], tuple(citation["lines"]), citation["page"])
    heading = " > ".join(citation["section"]) or citation["title"]
    origin = f"{citation['source']}:{path}" + (f", {position}" if position else "")
    if citation.get("origin") == "external":
        origin = "from the web, not from your documents" + _fetched(citation.get("fetched_at"))
    head = f"[{citation['number']}] {origin}" + (f"  ({heading})" if heading else "")
    shown = [Line(line, "strong") for line in wrap(head, width, rest=_SET_IN)]
    if citation["url"]:
        shown.append(Line(f"{_SET_IN}{citation['url']}"))
    if citation.get("changed_at"):
        shown.append(Line(f"{_SET_IN}{age(citation['changed_at'], now)}", "faint"))
    shown += [Line(line, "faint") for line in _wrap('"' + _quote(citation["quote"]) + '"', width, _SET_IN)]
    if verbose:
        shown.append(Line(f"{_SET_IN}chunk {citation['chunk_id']}", "faint"))
    return shown


def _fetched(moment: Any) -> str:
    """`moment` as an answer has it: a text of ISO 8601."""
    return f", fetched {moment[:10]} {moment[11:16]} UTC" if isinstance(moment, str) and moment else ""


def _quote(quote: str) -> str:
    """On one line, or on its own where lines mean something: code, without its fences, and lists."""
    lines = quote.split("\n")
    if not any(_FENCE.match(line) or _ITEM.match(line) for line in lines[1:]) and not _FENCE.match(lines[0]):
        return " ".join(quote.split())
    return "\n".join(line.rstrip() for line in lines if line.strip() and not _FENCE.match(line))


def _wrap(text: str, width: int, indent: str = "") -> list[str]:
    """Lines of at most `width` cells, those of a list under their item's words; fenced code as it is."""
    lines, fence = [], ""
    for line in text.splitlines() or [""]:
        mark = _FENCE.match(line)
        if fence or mark:
            lines.append(indent + line)
            fence = (fence or mark[1]) if not (fence and mark and mark[1] == fence) else ""  # type: ignore[index]
            continue
        item = _ITEM.match(line)
        margin = indent + " " * (len(item[0]) if item else 0)
        lines += wrap(line, width, first=indent, rest=margin)
    return lines
