"""The cited places of an answer, as a message of Slack names them. Pure."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import accumulate
from typing import Any

from bots.slack.escaping import link, literal
from vouch.documents.formats import shown_path, shown_title
from vouch.moments import age

Block = dict[str, Any]
NAME = 120                              # characters of a title, a place or a path
_BRIEF = 40
_LARGEST_IN_ALL = 7_000                 # characters, addresses included: what is left is the answer's


def sources(answer: Mapping[str, Any]) -> list[Block]:
    """Every cited place, each as fully as there is room; of more than a message holds even so, how many more."""
    citations = answer["citations"]
    if not citations:
        return []
    forms = [_source(entry, _age(entry, answer)) for entry in citations]
    fewest = len([total for total in accumulate(size_of(each[-1]) for each in forms) if total <= _LARGEST_IN_ALL])
    room, lines = _LARGEST_IN_ALL - sum(size_of(each[-1]) for each in forms[:fewest]), list[list[Block]]()
    for each in forms[:fewest]:
        line = next(form for form in each if size_of(form) - size_of(each[-1]) <= room)
        room -= size_of(line) - size_of(each[-1])
        lines.append(line)
    if len(lines) < len(citations):
        lines.append([text_of(f"and {len(citations) - len(lines)} more")])
    sections = [[text_of("Sources", bold=True)], *lines]
    return [{"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": entry} for entry in sections]}]


def _age(citation: Mapping[str, Any], answer: Mapping[str, Any]) -> str:
    """How old the document was when it was answered: what is posted stays as it is. Empty where no source tells."""
    changed = citation.get("changed_at")
    return age(changed, datetime.fromisoformat(answer["answered_at"])) if changed else ""


def _source(citation: Mapping[str, Any], told_age: str) -> list[list[Block]]:
    """`[1] Title, section, lines 3-5, …, changed 2026-01-31, 2 months ago`, whose title leads to the document where it
    has an address; the same without its address; and the title and the place alone."""
    title = literal(shortened(shown_title(citation["title"], citation["path"])))
    target = link(citation["url"])
    external = citation.get("origin") == "external"
    details = ["from the web, not from your documents"] if external else [
        shortened(" > ".join(_below(citation))), citation.get("place") or "",
        shortened(f"{citation['source']}:{shown_path(citation['path'])}"), told_age,
    ]  # fmt: skip
    number, bold = {"type": "text", "text": f"[{citation['number']}] "}, text_of(title, bold=True)
    rest = _listed(details)
    linked: list[list[Block]] = [[number, {"type": "link", "url": target, "text": title}, *rest]] if target else []
    brief = [number, text_of(shortened(title, _BRIEF), bold=True), *_listed([details[0] if external else details[1]])]
    return [*linked, [number, bold, *rest], brief]


def _listed(details: Sequence[str]) -> list[Block]:
    text = "".join(f", {literal(part)}" for part in details if part)
    return [{"type": "text", "text": text}] if text else []


def _below(citation: Mapping[str, Any]) -> list[str]:
    """The headings over the place, without the title where it is the first of them."""
    section: list[str] = citation["section"]
    return section[1:] if section[:1] == [citation["title"]] else section


def text_of(text: str, *, bold: bool = False) -> Block:
    told: Block = {"type": "text", "text": literal(text)}
    return told | {"style": {"bold": True}} if bold else told


def shortened(text: str, most: int = NAME) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def size_of(thing: Any) -> int:
    """Characters of all texts and addresses in it."""
    if isinstance(thing, dict):
        return sum(len(v) if k in ("text", "url") and isinstance(v, str) else size_of(v) for k, v in thing.items())
    return sum(map(size_of, thing)) if isinstance(thing, list) else 0
