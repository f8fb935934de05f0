"""The home tab and the trace of an answer, as Slack shows them. Pure: what may be shown was decided before."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from bots.confidence_words import in_words
from bots.slack.escaping import literal, markdown
from bots.slack.how_to_ask import HOME
from bots.steps_line import steps_line
from vouch.answering.answer import searched_for
from vouch.answering.spending import told_cost
from vouch.documents.formats import shown_path, shown_title
from vouch.plurals import count
from vouch.ports.language import QUOTED

Block = dict[str, Any]
Recent = tuple[str, str, str]           # question, what became of it, first words of the answer; these may be empty
_MOST_SOURCES, _MOST_PASSAGES, _SHORT = 30, 10, 200
_PARTIAL = (
    "Something that this answer was made from has changed since, or you may not read it any more: what tells of it is"
    " left out. To get a new answer, ask again."
)
_EVIDENCE = {
    "correct": "the passages hold the answer", "ambiguous": "the passages may hold the answer",
    "incorrect": "no passage seems to hold the answer",
}  # fmt: skip
WHAT_CAN_YOU_DO: Mapping[str, str] = {"title": "What can you do?", "message": "help"}


UNKNOWN = "I do not know your account: ask whoever runs vouch to add you. Until then I read public documents alone."


def home_view(readable: Mapping[str, int] | None, recent: Sequence[Recent], *, known: bool = True) -> Block:
    """`readable` None: nobody can tell now."""
    blocks = [_header("vouch"), *([] if known else [_section(UNKNOWN)]), _section(HOME)]
    blocks.append(_header("What I can read for you"))
    blocks.append(_section(_sources(readable)))
    if recent:
        blocks.append(_header("What you asked"))
        blocks += [block for one in recent for block in _asked(*one)]
    return {"type": "home", "blocks": blocks}


def _sources(readable: Mapping[str, int] | None) -> str:
    if readable is None:
        return "I cannot tell at the moment."
    lines = [f"{name}: {count(number, 'document')}" for name, number in list(readable.items())[:_MOST_SOURCES]]
    more = len(readable) - len(lines)
    return "\n".join([*lines, *([f"and {count(more, 'more source')}"] if more > 0 else [])]) or "No document yet."


def _asked(question: str, outcome: str, words: str) -> list[Block]:
    quoted: Block = {"type": "rich_text", "elements": [
        {"type": "rich_text_quote", "elements": [{"type": "text", "text": literal(_short(question))}]}]}
    told = f"{outcome}: {_short(words)}" if words else outcome
    return [quoted, {"type": "context", "elements": [{"type": "plain_text", "text": literal(told), "emoji": False}]}]


def trace_text(answer: Mapping[str, Any], looked: Iterable[tuple[str, float | None, bool]]) -> str:
    """Markdown. `looked`: a passage's place, how likely it holds the answer, and whether it is cited, best first."""
    lines = [f"You asked: {answer['question']}"]
    if words := searched_for(answer):
        by = f" (by {answer['understood_by']})" if answer.get("understood_by") else ""
        lines.append(f"Searched for: {words}{by}")
    why = f", {answer['reason']}" if answer["reason"] else ""
    lines.append(f"Outcome: {answer['action'].replace('_', ' ')}{why}")
    if verdict := answer.get("verdict"):
        lines.append("Evidence: " + ", ".join([_EVIDENCE[verdict["kind"]], *filter(None, [verdict.get("reason")])]))
    if told_steps := steps_line(answer):
        lines.append(told_steps[0].upper() + told_steps[1:])
    if confidence := answer["confidence"]:
        lines.append("Confidence: " + " ".join(in_words(confidence)))
    passages = list(looked)
    lines.append(f"Passages looked at that you may read: {len(passages)}")
    lines += [_passage(*passage) for passage in passages[:_MOST_PASSAGES]]
    times = ", ".join(f"{name} {value:.0f} ms" for name, value in answer["timings_ms"].items())
    lines.append(f"Time: {times or 'not noted'}")
    lines.append(f"{_written_by(answer['model'])}index version {answer['index_version']}")
    if spent := told_cost(answer.get("tokens") or {}):
        lines.append(f"Language model: {spent}")
    if answer.get("partial"):
        lines.append(_PARTIAL)
    return markdown("\n".join(lines), 11_000)[0]


def _written_by(model: str) -> str:
    return "" if model == "none" else "Quoted from the documents, " if model == QUOTED else f"Written by {model}, "


def passage_place(source: str, path: str, title: str, section: Sequence[str]) -> str:
    told = [shown_title(title, path), " > ".join(section), f"{source}:{shown_path(path)}"]
    return ", ".join(dict.fromkeys(one for one in told if one))


def _passage(place: str, likely: float | None, cited: bool) -> str:
    told = "" if likely is None else f", {likely:.2f}"
    return f"• {_short(place)}{told}{', cited' if cited else ''}"


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _SHORT else flat[: _SHORT - 1] + "…"


def _header(text: str) -> Block:
    return {"type": "header", "text": {"type": "plain_text", "text": text, "emoji": False}}


def _section(text: str) -> Block:
    told = "\n".join(literal(line) for line in text.split("\n"))
    return {"type": "section", "text": {"type": "plain_text", "text": told, "emoji": False}}
