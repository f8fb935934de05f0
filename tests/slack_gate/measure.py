"""How well the gate of channels tells questions for documents from what people say to one another.

    python tests/slack_gate/measure.py [--wrong]

The rules were made by the messages of `first`, and once mended by those of `held`; no message of `last` was looked at.
"""

import json
import sys
from dataclasses import dataclass
from pathlib import Path

from bots.slack.channels.gate import asks_for_documents

MESSAGES = Path(__file__).with_name("messages.jsonl")
PARTS = ("first", "held", "last")


@dataclass(frozen=True)
class Figures:
    """Of `questions` for documents `taken` are taken, and of `chatter` `disturbed`."""

    questions: int
    taken: int
    chatter: int
    disturbed: int
    wrong: tuple[str, ...]


def figures(part: str) -> Figures:
    rows = [row for row in map(json.loads, MESSAGES.read_text(encoding="utf-8").splitlines()) if row["part"] == part]
    taken = {row["text"] for row in rows if asks_for_documents(row["text"])}
    meant = {row["text"] for row in rows if row["documents"]}
    others = {row["text"] for row in rows} - meant
    return Figures(len(meant), len(meant & taken), len(others), len(others & taken), tuple(sorted(meant ^ taken)))


if __name__ == "__main__":
    for part in PARTS:
        found = figures(part)
        others = f"{found.disturbed} of {found.chatter} others"
        print(f"{part}: {found.taken} of {found.questions} questions taken, {others}")
        for text in found.wrong if "--wrong" in sys.argv else ():
            print(f"    {text}")
