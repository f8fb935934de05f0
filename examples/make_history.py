"""Cuts the demo's handbook out of the full change events of 18F/handbook.

    python examples/make_history.py EVENTS.jsonl.gz [examples/handbook/events.jsonl.gz]

EVENTS holds the first-parent history, one JSON object a line: {commit, seq,
op, path, old_path?, similarity?, blob, text?, date, subject}. The result has
the same layout: the chosen documents as they stood at FIRST (operation
`snapshot`), then every later change to them up to LAST, untouched.
"""

import gzip
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

Event = dict[str, Any]

FIRST = "42e77aca00eb"  # 2021-08-10, the last commit before all folders moved back into _pages
LAST = "84f9b8daf50c"  # 2021-09-21, Update voucher procedure

CHOSEN = """\
about-us/diversity.md
general-information-and-resources/employee-resources-policies/daily-checkin.md
general-information-and-resources/employee-resources-policies/employment-verification.md
general-information-and-resources/employee-resources-policies/telework.md
general-information-and-resources/employee-resources-policies/transit-benefit.md
general-information-and-resources/purchase-requests.md
general-information-and-resources/sensitive-information.md
general-information-and-resources/tech-policies/password-requirements.md
general-information-and-resources/tech-policies/records-management.md
getting-started/classes/benefits.md
getting-started/classes/meetings-and-meeting-tools.md
getting-started/equipment.md
hiring-staying-or-changing-jobs/promotions.md
hiring-staying-or-changing-jobs/term-extensions.md
performance-management/dates.md
performance-management/mid-year.md
tools/slack/guidelines.md
tools/slack/records.md
travel-and-leave/leave.md
travel-and-leave/travel-and-leave-policies/first-time-travel-travel-card.md
travel-and-leave/travel-and-leave-policies/travel-guide-1-book-travel.md
travel-and-leave/travel-and-leave-policies/travel-guide-3-reimbursement.md
travel-and-leave/travel-and-leave-policies/working-while-traveling.md
travel-and-leave/voluntary-leave-transfer-program.md
""".splitlines()

ADDED_LATER = {
    "_pages/general-information-and-resources/deia-resources.md",
    "_pages/general-information-and-resources/inclusive-behaviors.md",
}


def read_events(path: Path) -> list[Event]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def cut(events: list[Event]) -> Iterator[Event]:
    """The snapshot of CHOSEN at FIRST, then the later events of these documents, following renames."""
    first = max(i for i, event in enumerate(events) if event["commit"].startswith(FIRST))
    last = max(i for i, event in enumerate(events) if event["commit"].startswith(LAST))
    tree = _tree(events[: first + 1])
    head = {key: events[first][key] for key in ("commit", "seq", "date", "subject")}
    for path in CHOSEN:
        yield {**head, "op": "snapshot", "path": path, "blob": tree[path]["blob"], "text": tree[path]["text"]}
    followed = set(CHOSEN) | ADDED_LATER
    for event in events[first + 1 : last + 1]:
        if event["path"] in followed or event.get("old_path") in followed:
            followed.add(event["path"])
            yield event


def _tree(events: list[Event]) -> dict[str, Event]:
    tree: dict[str, Event] = {}
    for event in events:
        if event["op"] == "delete":
            del tree[event["path"]]
            continue
        if event["op"] == "rename":
            del tree[event["old_path"]]
        tree[event["path"]] = event
    return tree


def write_events(events: Iterator[Event], path: Path) -> None:
    text = "".join(json.dumps(event, ensure_ascii=False, sort_keys=True) + "\n" for event in events)
    path.write_bytes(gzip.compress(text.encode(), 9, mtime=0))


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    target = Path(sys.argv[2]) if len(sys.argv) == 3 else Path(__file__).parent / "handbook" / "events.jsonl.gz"
    write_events(cut(read_events(Path(sys.argv[1]))), target)
