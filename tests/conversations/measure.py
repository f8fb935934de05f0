"""Follow-up questions: of those whose full form cites the expected passage, how many cite it when asked in a thread?

    python tests/conversations/measure.py [company|incomplete]

Asks the conversations of that file about the demo company in a home of its
own. The last six of `company` change the subject: there the thread must not
lead astray. In `incomplete` the first questions cannot stand alone either.
"""

import json
import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

FOLDER = Path(__file__).parent
COMPANY = Path(__file__).parents[2] / "examples"


def conversations(name: str = "company") -> list[dict[str, str]]:
    return [json.loads(line) for line in (FOLDER / f"{name}.jsonl").read_text("utf-8").splitlines()]


def cites(answer: Mapping[str, Any], wanted: Mapping[str, str]) -> bool:
    return any(c["path"] == wanted["path"] and wanted["section"] in c["section"] for c in answer["citations"])


class Measured(NamedTuple):
    """Whether the passage is cited: by the full question, by the follow-up in its thread, and by it alone."""

    conversation: dict[str, str]
    full: bool
    follow_up: bool
    alone: bool
    action: str
    by: str                             # what completed the follow-up


def measured(every: int = 1, name: str = "company") -> list[Measured]:
    """Of one conversation in `every`."""
    from cli.wiring.asking import open_ask_client

    found = []
    with open_ask_client() as client:
        for one in conversations(name)[::every]:
            def ask(text: str, thread: str | None = None, one: dict[str, str] = one) -> dict[str, Any]:
                return client.ask(text, [one["reader"]], thread)

            full, alone = ask(one["full"]), ask(one["follow_up"])
            ask(one["first"], one["id"])
            answer = ask(one["follow_up"], one["id"])
            found.append(Measured(one, cites(full, one), cites(answer, one), cites(alone, one), answer["action"],
                                  answer.get("understood_by", "")))
    return found


def share(of: Sequence[bool], found: Sequence[Measured]) -> float:
    """Among the conversations whose full question cites the passage."""
    both = [cited for cited, one in zip(of, found, strict=True) if one.full]
    return sum(both) / len(both)


def prepare() -> None:
    from cli.main import app

    for words in (
        ["source", "add", "handbook", "--kind", "events", "--path", str(COMPANY / "handbook" / "events.jsonl.gz"),
         "--access", str(COMPANY / "handbook" / "access.yaml")],
        ["source", "add", "company", "--kind", "folder", "--path",
         str(COMPANY / "company")],
        ["directory", "load", str(COMPANY / "directory.yaml")], ["ingest"],
    ):
        app(words, standalone_mode=False)


def main() -> None:
    with tempfile.TemporaryDirectory() as home:
        os.environ.setdefault("VOUCH_HOME", home)
        if os.environ["VOUCH_HOME"] == home:
            prepare()
        found = measured(1, *sys.argv[1:])
    for one in found:
        cited = f"full {one.full:d} follow-up {one.follow_up:d} alone {one.alone:d}"
        made = f"{one.action:22} {one.by:18}"
        sys.stdout.write(f"{one.conversation['id']} {cited} {made} {one.conversation['follow_up']}\n")
    in_thread, alone = (share(of, found) for of in ([one.follow_up for one in found], [one.alone for one in found]))
    sys.stdout.write(f"{len(found)} conversations, {sum(one.full for one in found)} full questions cite the passage; "
                     f"of their follow-ups {in_thread:.0%} do in the thread, {alone:.0%} alone\n")


if __name__ == "__main__":
    main()
