"""A file of change events read in the plainest possible way: what an ingest of it must end in."""

import gzip
import hashlib
import json
from pathlib import Path
from typing import Any


def events(file: Path) -> list[dict[str, Any]]:
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def replayed(file: Path, until: int | None = None) -> dict[str, str]:
    """Path → sha256 after the first `until` events (none: all)."""
    state: dict[str, str] = {}
    for event in events(file)[:until]:
        if event["op"] == "delete":
            state.pop(event["path"], None)
            continue
        before = state.pop(event["old_path"], None) if event["op"] == "rename" else None
        text = event.get("text")
        state[event["path"]] = hashlib.sha256(text.encode()).hexdigest() if text is not None else str(before)
    return state
