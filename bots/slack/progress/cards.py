"""The stages of a question as task cards of Slack. Pure: stages, counts and times, and no word of anybody."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from vouch.messages import QuestionProgress, Stage, StageDone
from vouch.plurals import count

Chunk = dict[str, Any]
TITLE, DONE_TITLE = "Looking through the documents", "What I did"
TITLES: Mapping[Stage, str] = {
    "retrieve": "Search the documents", "rerank": "Read the closest passages",
    "evaluate": "Judge whether they answer the question", "web": "Search the web",
    "refine": "Choose what matters in them", "cite": "Write, and check each citation",
}  # fmt: skip
STATUSES: Mapping[Stage, str] = {
    "retrieve": "is searching the documents", "rerank": "is reading the closest passages",
    "evaluate": "is judging whether they answer the question", "web": "is searching the web",
    "refine": "is choosing what matters in them", "cite": "is writing, and checking each citation",
}  # fmt: skip
_THINGS: Mapping[Stage, tuple[str, str]] = {
    "retrieve": ("passage", "found"), "rerank": ("passage", "read"), "evaluate": ("passage", "may answer it"),
    "web": ("passage", "found"), "refine": ("passage", "kept"), "cite": ("sentence", "supported"),
}  # fmt: skip


def mark(question_id: str) -> str:
    """Tells the cards of this question from those of others in the same thread."""
    return f"vouch.{hashlib.sha256(question_id.encode()).hexdigest()[:16]}"


def cards(told: QuestionProgress) -> dict[str, Chunk]:
    """By their ids, in order: what is done, and what is under way."""
    prefix = mark(told.question_id)
    made = [_card(prefix, one.stage, "complete", _outcome(one)) for one in told.done]
    made += [] if told.stage is None else [_card(prefix, told.stage, "in_progress")]
    return {one["id"]: one for one in made}


def changes(now: Mapping[str, Chunk], shown: Mapping[str, Chunk]) -> list[Chunk]:
    """What makes `shown` into `now`. A stage that is to come again waits."""
    back = [_again(one) for id_, one in shown.items() if id_ not in now and one["status"] != "pending"]
    return back + [one for id_, one in now.items() if shown.get(id_) != one]


def ended(posted: Mapping[str, Any], *, well: bool) -> list[Chunk]:
    """What ends the cards that a message shows."""
    cards = [one for one in _task_cards(posted.get("blocks") or []) if one.get("status") != "complete"]
    status = "complete" if well else "error"
    made = [{"type": "task_update", "id": one["task_id"], "title": _title(one), "status": status} for one in cards]
    return [{"type": "plan_update", "title": DONE_TITLE}, *made]


def is_of(question_id: str, posted: Mapping[str, Any]) -> bool:
    """Whether the message shows cards of this question."""
    prefix = f"{mark(question_id)}."
    return any(str(one.get("task_id", "")).startswith(prefix) for one in _task_cards(posted.get("blocks") or []))


def _card(prefix: str, stage: Stage, status: str, output: str = "") -> Chunk:
    made = {"type": "task_update", "id": f"{prefix}.{stage}", "title": TITLES[stage], "status": status}
    return made | {"output": output} if output else made


def _again(card: Chunk) -> Chunk:
    return {name: value for name, value in card.items() if name != "output"} | {"status": "pending"}


def _outcome(done: StageDone) -> str:
    seconds = f"{done.ms / 1000:.1f} s"
    if done.count is None:
        return seconds
    thing, became = _THINGS[done.stage]
    return f"{count(done.count, thing)} {became}, {seconds}"


def _title(card: Mapping[str, Any]) -> str:
    return str(card.get("title") or "") or "-"


def _task_cards(blocks: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """In a message of Slack they stand by themselves, or in a plan."""
    for block in blocks:
        if block.get("type") == "task_card":
            yield block
        elif block.get("type") == "plan":
            yield from (one for one in block.get("tasks") or [])
