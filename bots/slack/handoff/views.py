"""What people see of a hand-over: messages, the window for the human's answer, and drafts. Pure."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from bots.slack.escaping import literal, markdown, plain

Block = dict[str, Any]
TAKE, RESOLVE = "vouch_take", "vouch_resolve"
APPROVE, REFUSE = "vouch_draft_approve", "vouch_draft_refuse"
RESOLUTION, AGREEMENT = "vouch_resolution", "vouch_agreement"
LONGEST, LONGEST_QUESTION = 3000, 500
_LARGEST = 11_000                       # of a draft, as Slack counts it
_KEPT = {"90": "Keep it for 90 days", "30": "Keep it for 30 days", "365": "Keep it for a year",
         "0": "Do not keep it"}


def agreement_view(answer_id: str, question: str) -> Block:
    """Says what is sent, to the person who alone reads there."""
    told = ("People who look after documents near this question, or after vouch, get it as a direct message, with your"
            " name. They get neither the answer nor a word of a document. Their answer comes to you alone.")
    return {
        "type": "modal", "callback_id": AGREEMENT, "private_metadata": answer_id, "title": _plain("Ask a human"),
        "submit": _plain("Send it"), "close": _plain("Do not send"),
        "blocks": [{"type": "section", "text": _plain(told)}, _quote(question)],
    }  # fmt: skip


def asked_alone_message(answer_id: str, name: str, question: str) -> tuple[list[Block], str]:
    """For an owner: the question and who asks, and nothing of an answer."""
    told = f"{name} would like a human to answer this. Your answer goes to {name} alone."
    buttons = [_button(TAKE, "I take it", answer_id), _button(RESOLVE, "Resolved", answer_id)]
    return [_rich([_text(told)]), _quote(question), {"type": "actions", "elements": buttons}], plain(told)


def opened_message(answer_id: str, owners: Sequence[str], name: str) -> tuple[list[Block], str]:
    """The owners are mentioned, each once; `name` is of who would like it."""
    told = f"{name} would like a human to answer this."
    quiet = f"Until it is resolved, for a day at most, I answer {name} here only where I am mentioned."
    mentioned: list[Block] = [one for user in owners for one in ({"type": "user", "user_id": user}, _text(" "))]
    whole = _rich([*mentioned, _text(told if owners else f"{told} No owner reads along here any more.")])
    buttons = [_button(TAKE, "I take it", answer_id), _button(RESOLVE, "Resolved", answer_id)]
    return [whole, _rich([_text(quiet)]), {"type": "actions", "elements": buttons}], plain(told)


def taken_message(name: str, question: str = "") -> tuple[list[Block], str]:
    """`question` is repeated to whoever asked it alone."""
    told = f"{name} takes it."
    return [*_quoted(question), _rich([_text(told)])], plain(told)


def resolved_message(name: str, words: str | None, question: str = "") -> tuple[list[Block], str]:
    told = f"{name} has resolved it." if words else f"{name} has resolved it, without an answer."
    body: list[Block] = [{"type": "markdown", "text": markdown(words, 11_000)[0] or "-"}] if words else []
    return [*_quoted(question), _rich([_text(told)]), *body], plain(told)


def resolution_view(answer_id: str, *, keep: bool = True) -> Block:
    """Holds the answer's id and nothing else. `keep`: the words may become a document."""
    options = [{"text": _plain(label), "value": value} for value, label in _KEPT.items()]
    hint = "It is posted in the thread." if keep else "It goes to who asked, alone."
    choice = {"type": "input", "block_id": "keep", "label": _plain("For vouch to answer with later"),
              "hint": _plain("An owner decides. Only those who read along here now may read it."), "element": {
                  "type": "radio_buttons", "action_id": "keep", "options": options, "initial_option": options[0]}}
    return {
        "type": "modal", "callback_id": RESOLUTION, "private_metadata": answer_id, "title": _plain("Resolved"),
        "submit": _plain("Send"), "close": _plain("Not yet"),
        "blocks": [_words(hint), *([choice] if keep else [])],
    }  # fmt: skip


def _words(hint: str) -> Block:
    return {"type": "input", "block_id": "words", "optional": True, "label": _plain("The answer"),
            "hint": _plain(hint), "element": {
                "type": "plain_text_input", "action_id": "words", "multiline": True, "max_length": LONGEST}}


def _quoted(question: str) -> list[Block]:
    return [_quote(question)] if question else []


def _quote(question: str) -> Block:
    return {"type": "rich_text", "elements": [
        {"type": "rich_text_quote", "elements": [_text(question[:LONGEST_QUESTION])]}]}


def resolution_of(view: Mapping[str, Any]) -> tuple[str, int]:
    """What was written, and for how many days it may be kept; 0: not at all."""
    values = (view.get("state") or {}).get("values") or {}
    written = str(((values.get("words") or {}).get("words") or {}).get("value") or "").strip()
    chosen = (((values.get("keep") or {}).get("keep") or {}).get("selected_option") or {}).get("value")
    sound = written.replace("\x00", "").encode(errors="ignore").decode()[:LONGEST]
    return sound, int(chosen) if isinstance(chosen, str) and chosen in _KEPT else 0


def shown_whole(text: str) -> bool:
    """Whether who decides about it would see all of it, and it is something."""
    return bool(text) and markdown(text, _LARGEST)[1]


def draft_message(
    id_: str, question: str, text: str, by: str, readers: str, until: datetime
) -> tuple[list[Block], str]:
    """For an owner alone who reads along."""
    request = f"May I answer with this until {until.date().isoformat()}? {by} wrote it. {readers} may read it."
    blocks: list[Block] = [
        _rich([_text(request)]), {"type": "rich_text", "elements": [
            {"type": "rich_text_quote", "elements": [_text(f"Asked: {question[:LONGEST_QUESTION]}")]}]},
        {"type": "markdown", "text": markdown(text, _LARGEST)[0] or "-"},
        {"type": "actions", "elements": [_button(APPROVE, "Approve", id_), _button(REFUSE, "Refuse", id_)]},
    ]  # fmt: skip
    return blocks, plain(request)


def decided_message(blocks: Sequence[Block], told: str, approved: str = "") -> tuple[list[Block], str]:
    """The draft as it was shown, and what became of it where the buttons were.

    `approved`: the draft's id, if it can still be taken back.
    """
    left = [block for block in blocks if block["type"] != "actions"]
    back: list[Block] = [{"type": "actions", "elements": [_button(REFUSE, "Take it back", approved)]}]
    return [*left, _rich([_text(told)]), *(back if approved else [])], plain(told)


def _button(action: str, label: str, value: str) -> Block:
    return {"type": "button", "action_id": action, "text": _plain(label), "value": value}


def _rich(elements: Sequence[Block]) -> Block:
    return {"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": list(elements)}]}


def _text(text: str) -> Block:
    return {"type": "text", "text": literal(text) if text != " " else text}


def _plain(text: str) -> Block:
    return {"type": "plain_text", "text": text, "emoji": False}
