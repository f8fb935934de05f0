"""An answer as a person reads it in a terminal. Pure text: nothing here decides what may be shown."""

import textwrap
from collections.abc import Mapping
from typing import Any

WIDTH = 100


def render(answer: Mapping[str, Any]) -> str:
    """The answer, its numbered citations, and one line on how sure it is and what it was made from."""
    if answer["action"] == "replied":
        return _wrap(answer["answer"])
    lines = [_wrap(answer["answer"]), ""]
    for citation in answer["citations"]:
        lines.extend(_citation(citation))
    lines.extend(f"note: {warning}" for warning in answer["warnings"])
    confidence = answer["confidence"]
    lines.append(
        f"{answer['action'].replace('_', ' ')}, confidence {confidence['level']} ({confidence['value']:.2f}), "
        f"written by {answer['model']}, index version {answer['index_version']}, answer {answer['id']}"
    )
    return "\n".join(lines)


def _citation(citation: Mapping[str, Any]) -> list[str]:
    first, last = citation["lines"]
    place = f"{citation['source']}:{citation['path']}, line{'s' if last > first else ''} {first}"
    if last > first:
        place += f"-{last}"
    heading = " > ".join(citation["section"]) or citation["title"]
    shown = [f"[{citation['number']}] {place}" + (f"  ({heading})" if heading else "")]
    if citation["url"]:
        shown.append(f"    {citation['url']}")
    shown.append(_wrap('"' + " ".join(citation["quote"].split()) + '"', "    "))
    shown.append(f"    chunk {citation['chunk_id']}")
    return shown


def _wrap(text: str, indent: str = "") -> str:
    paragraphs = text.splitlines() or [""]
    return "\n".join(
        textwrap.fill(p, WIDTH, initial_indent=indent, subsequent_indent=indent, break_long_words=False)
        for p in paragraphs
    )
