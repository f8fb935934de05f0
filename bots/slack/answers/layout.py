"""An answer as a message of Slack. Pure: what may be shown was decided before."""

import math
from collections.abc import Mapping
from typing import Any

from bots.slack.answers.sharing import may_be_shared
from bots.slack.answers.source_list import Block, shortened, size_of, sources, text_of
from bots.slack.escaping import literal, markdown, plain
from bots.steps_line import steps_line
from vouch.answering.answer import REMOVED, only_from
from vouch.answering.answer_text import only_nearest
from vouch.plurals import count

FEEDBACK, PRIVATELY, SHARE = "vouch_feedback", "vouch_ask_privately", "vouch_share"
NEED_HUMAN, NEED_ALONE = "vouch_need_human", "vouch_human_alone"
UP, DOWN = "up", "down"
LARGEST_TEXT, LARGEST_IN_ALL = 11_500, 12_500       # Slack takes 12,000 in one block, and about 13,000 in all
_LARGEST_FALLBACK, _SMALL_PRINT = 300, 800
_WHERE = {"internal": "from your documents", "external": "from the web", "both": "from your documents and the web"}
_CUT = "… The answer is longer than a message may be; its sources are below."


def message(answer: Mapping[str, Any], *, alone: bool, private: bool = False) -> tuple[list[Block], str]:
    """Blocks, and the text for notifications.

    `alone`: it is under no question, so it repeats it. `private`: one person alone reads it.
    """
    tail = [*sources(answer), _small_print(answer)]
    head = [_question(answer)] if alone and answer["question"] != REMOVED else []
    buttons = _buttons(answer, private=private)
    room = min(LARGEST_TEXT, LARGEST_IN_ALL - size_of([*head, *tail, *buttons]))
    body = {"type": "markdown", "text": cut(answer["answer"], room)}
    return [*head, body, *tail, *buttons], plain(answer["answer"][:_LARGEST_FALLBACK])


def cut(text: str, room: int) -> str:
    """The text as Markdown in at most `room` characters; what is left out is said."""
    told, whole = markdown(text, room)
    if not whole:
        told = f"{markdown(text, room - len(_CUT) - 2)[0].rstrip()}\n\n{_CUT}"
    return told if told.strip() else "-"


def _question(answer: Mapping[str, Any]) -> Block:
    return _rich("rich_text_quote", [text_of(f"You asked: {answer['question'][:500]}")])


def _small_print(answer: Mapping[str, Any]) -> Block:
    only = only_from(answer)
    told = [_sureness(answer), *([f"only from: {only}"] if only else [])]
    warnings, more = answer["warnings"][:3], len(answer["warnings"][3:])
    told += [line for line in (steps_line(answer, warnings),) if line]
    told += [f"note: {warning}" for warning in warnings]
    told += [f"{count(more, 'more note')}, as /vouch why shows"] if more else []
    named = [f"index version {answer['index_version']}"] if answer["index_version"] else []
    named.append(f"id {answer['id'][:12]}")             # by which people ask why: it is never cut
    end = f" · {' · '.join(named)}"
    words = literal(f"{shortened(' · '.join(told), _SMALL_PRINT - len(end))}{end}")
    return {"type": "context", "elements": [{"type": "plain_text", "text": words, "emoji": False}]}


def _sureness(answer: Mapping[str, Any]) -> str:
    """What was done and how sure it is. Digits are cut off, not rounded: 0.396 is low, and 0.40 is not."""
    if answer["action"] == "declined":
        return "not answered" if answer["reason"] in answer["answer"] else f"not answered: {answer['reason']}"
    if answer["action"] == "replied":
        return "no document was needed"
    confidence = answer["confidence"]
    value = math.floor(confidence["value"] * 100 + 1e-6) / 100
    sure = f"confidence {confidence['level']} ({value:.2f})"
    where = _WHERE.get(answer["knowledge"], "")
    if only_nearest(answer["answer"]):
        outside = "" if answer["knowledge"] == "internal" else where
        return ", ".join(filter(None, ("nearest passages only", outside, sure)))
    caution = " with caution" if answer["action"] == "answered_with_caution" else ""
    return f"{f'answered {where}'.rstrip()}{caution}, {sure}"


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


def _rich(kind: str, elements: list[Block]) -> Block:
    return {"type": "rich_text", "elements": [{"type": kind, "elements": elements}]}
