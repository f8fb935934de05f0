"""How well the gates of channels and of threads tell questions for vouch from what people say to one another.

    python tests/slack_gate/measure.py [--wrong]

The rules were made by the messages and replies of `first`, and mended by those of `held` and `newcomer`, who had not
seen the rules. What the rules got wrong of `last` was seen when they were mended last: no set is left unseen.
"""

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bots.slack.addressing import calls_by_name
from bots.slack.channels.gate import asks_for_documents
from bots.slack.channels.thread_gate import asks_on

MESSAGES = Path(__file__).with_name("messages.jsonl")
REPLIES = Path(__file__).with_name("replies.jsonl")
PARTS = ("first", "held", "last", "newcomer")
PARTS_OF_THREADS = ("first", "last", "newcomer")


@dataclass(frozen=True)
class Figures:
    """Of `questions` for documents `taken` are taken, and of `chatter` `disturbed`."""

    questions: int
    taken: int
    chatter: int
    disturbed: int
    wrong: tuple[str, ...]


def figures(part: str) -> Figures:
    return _measured(MESSAGES, part, "documents", asks_for_documents)


def thread_figures(part: str) -> Figures:
    return _measured(REPLIES, part, "vouch", lambda text: calls_by_name(text) or asks_on(text))


def _measured(file: Path, part: str, wanted: str, gate: Callable[[str], bool]) -> Figures:
    rows = [row for row in map(json.loads, file.read_text(encoding="utf-8").splitlines()) if row["part"] == part]
    taken = {row["text"] for row in rows if gate(row["text"])}
    meant = {row["text"] for row in rows if row[wanted]}
    others = {row["text"] for row in rows} - meant
    return Figures(len(meant), len(meant & taken), len(others), len(others & taken), tuple(sorted(meant ^ taken)))


if __name__ == "__main__":
    measured = [(part, figures(part)) for part in PARTS]
    measured += [(f"threads, {part}", thread_figures(part)) for part in PARTS_OF_THREADS]
    for part, found in measured:
        others = f"{found.disturbed} of {found.chatter} others"
        print(f"{part}: {found.taken} of {found.questions} questions taken, {others}")
        for text in found.wrong if "--wrong" in sys.argv else ():
            print(f"    {text}")
