"""An answer as a message of Slack. Pure: what may be shown was decided before."""

import math
from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import accumulate
from typing import Any

from bots.slack.answers.sharing import may_be_shared
from bots.slack.escaping import link, literal, markdown, plain
from bots.steps_line import steps_line
from vouch.answering.answer import only_from
from vouch.documents.formats import shown_path, shown_title
from vouch.moments import age

Block = dict[str, Any]
FEEDBACK, PRIVATELY, SHARE = "vouch_feedback", "vouch_ask_privately", "vouch_share"
NEED_HUMAN, NEED_ALONE = "vouch_need_human", "vouch_human_alone"
UP, DOWN = "up", "down"
LARGEST_TEXT, LARGEST_IN_ALL = 11_500, 12_500       # Slack takes 12,000 in one block, and about 13,000 in all
_NAME, _BRIEF, _LARGEST_FALLBACK = 120, 40, 300
_LARGEST_SOURCES = 7_000                # characters, addresses included: what is left is the answer's
_CUT = "… The answer is longer than a message may be; its sources are below."


def message(answer: Mapping[str, Any], *, alone: bool, private: bool = False) -> tuple[list[Block], str]:
    """Blocks, and the text for notifications.

    `alone`: it is under no question, so it repeats it. `private`: one person alone reads it.
    """
    tail = [*_sources(answer), _small_print(answer)]
    head = [_question(answer)] if alone else []
    buttons = _buttons(answer, private=private)
    room = min(LARGEST_TEXT, LARGEST_IN_ALL - _size([*head, *tail, *buttons]))
    body = {"type": "markdown", "text": cut(answer["answer"], room)}
    return [*head, body, *tail, *buttons], plain(answer["answer"][:_LARGEST_FALLBACK])


def cut(text: str, room: int) -> str:
    """The text as Markdown in at most `room` characters; what is left out is said."""
    told, whole = markdown(text, room)
    if not whole:
        told = f"{markdown(text, room - len(_CUT) - 2)[0].rstrip()}\n\n{_CUT}"
    return told if told.strip() else "-"


def _question(answer: Mapping[str, Any]) -> Block:
    return _rich("rich_text_quote", [_words_of(f"You asked: {answer['question'][:500]}")])


def _sources(answer: Mapping[str, Any]) -> list[Block]:
    """Every cited place, each as fully as there is room; of more than a message holds even so, how many more."""
    citations = answer["citations"]
    if not citations:
        return []
    forms = [_source(entry, _age(entry, answer)) for entry in citations]
    fewest = len([total for total in accumulate(_size(each[-1]) for each in forms) if total <= _LARGEST_SOURCES])
    room, lines = _LARGEST_SOURCES - sum(_size(each[-1]) for each in forms[:fewest]), list[list[Block]]()
    for each in forms[:fewest]:
        line = next(form for form in each if _size(form) - _size(each[-1]) <= room)
        room -= _size(line) - _size(each[-1])
        lines.append(line)
    if len(lines) < len(citations):
        lines.append([_words_of(f"and {len(citations) - len(lines)} more")])
    sections = [[_words_of("Sources", bold=True)], *lines]
    return [{"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": entry} for entry in sections]}]


def _age(citation: Mapping[str, Any], answer: Mapping[str, Any]) -> str:
    """How old the document was when it was answered: what is posted stays as it is. Empty where no source tells."""
    changed = citation.get("changed_at")
    return age(changed, datetime.fromisoformat(answer["answered_at"])) if changed else ""


def _source(citation: Mapping[str, Any], told_age: str) -> list[list[Block]]:
    """`[1] Title, section, lines 3-5, …, changed 2026-01-31, 2 months ago`, whose title leads to the document where it
    has an address; the same without its address; and the title and the place alone."""
    title = literal(_short(shown_title(citation["title"], citation["path"])))
    target = link(citation["url"])
    external = citation.get("origin") == "external"
    details = ["from the web, not from your documents"] if external else [
        _short(" > ".join(_below(citation))), citation.get("place") or "",
        _short(f"{citation['source']}:{shown_path(citation['path'])}"), told_age,
    ]  # fmt: skip
    number, bold = {"type": "text", "text": f"[{citation['number']}] "}, _words_of(title, bold=True)
    rest = _listed(details)
    linked: list[list[Block]] = [[number, {"type": "link", "url": target, "text": title}, *rest]] if target else []
    brief = [number, _words_of(_short(title, _BRIEF), bold=True), *_listed([details[0] if external else details[1]])]
    return [*linked, [number, bold, *rest], brief]


def _listed(details: Sequence[str]) -> list[Block]:
    text = "".join(f", {literal(part)}" for part in details if part)
    return [{"type": "text", "text": text}] if text else []


def _below(citation: Mapping[str, Any]) -> list[str]:
    """The headings over the place, without the title where it is the first of them."""
    section: list[str] = citation["section"]
    return section[1:] if section[:1] == [citation["title"]] else section


def _small_print(answer: Mapping[str, Any]) -> Block:
    only = only_from(answer)
    told = [_sureness(answer), *([f"only from: {only}"] if only else [])]
    warnings = answer["warnings"][:3]
    told += [line for line in (steps_line(answer, warnings),) if line]
    told += [f"note: {warning}" for warning in warnings]
    if answer["index_version"]:
        told.append(f"index version {answer['index_version']}")
    told.append(f"id {answer['id'][:12]}")
    words = literal(_short(" · ".join(told), 800))
    return {"type": "context", "elements": [{"type": "plain_text", "text": words, "emoji": False}]}


def _sureness(answer: Mapping[str, Any]) -> str:
    """What was done and how sure it is. Digits are cut off, not rounded: 0.396 is low, and 0.40 is not."""
    if answer["action"] == "declined":
        return f"not answered: {answer['reason']}"
    if answer["action"] == "replied":
        return "no document was needed"
    confidence = answer["confidence"]
    value = math.floor(confidence["value"] * 100 + 1e-6) / 100
    where = {"internal": "from your documents", "external": "from the web", "both": "from your documents and the web"}
    caution = " with caution" if answer["action"] == "answered_with_caution" else ""
    outcome = f"answered {where.get(answer['knowledge'], '')}".rstrip()
    return f"{outcome}{caution}, confidence {confidence['level']} ({value:.2f})"


def _buttons(answer: Mapping[str, Any], *, private: bool) -> list[Block]:
    """They hold the answer's id, and nothing of what it says or who may read it."""
    if answer["action"] == "replied":
        return []
    feedback = {
        "type": "feedback_buttons", "action_id": FEEDBACK,
        "positive_button": {"text": _label("Helpful"), "value": f"{UP}.{answer['id']}"},
        "negative_button": {"text": _label("Not helpful"), "value": f"{DOWN}.{answer['id']}"},
    }  # fmt: skip
    votes: Block = {"type": "context_actions", "elements": [feedback]}
    if not private:
        asks = [_button(PRIVATELY, "Answer me privately", answer), _button(NEED_HUMAN, "I need a human", answer)]
        return [votes, {"type": "actions", "elements": asks}]
    shared = may_be_shared(str(answer.get("question_id", "")))
    share = [_button(SHARE, "Share with the channel", answer)] if shared else []
    return [votes, {"type": "actions", "elements": [*share, _button(NEED_ALONE, "I need a human", answer)]}]


def _button(action_id: str, label: str, answer: Mapping[str, Any]) -> Block:
    return {"type": "button", "action_id": action_id, "text": _label(label), "value": answer["id"]}


def _label(text: str) -> Block:
    return {"type": "plain_text", "text": text, "emoji": False}


def _words_of(text: str, *, bold: bool = False) -> Block:
    told: Block = {"type": "text", "text": literal(text)}
    return told | {"style": {"bold": True}} if bold else told


def _rich(kind: str, elements: list[Block]) -> Block:
    return {"type": "rich_text", "elements": [{"type": kind, "elements": elements}]}


def _short(text: str, most: int = _NAME) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def _size(thing: Any) -> int:
    """Characters of all texts and addresses in it."""
    if isinstance(thing, dict):
        return sum(len(v) if k in ("text", "url") and isinstance(v, str) else _size(v) for k, v in thing.items())
    return sum(map(_size, thing)) if isinstance(thing, list) else 0
