"""`vouch slack doctor` on a company that has just been set up."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bots.slack.simulator import SlackServer
from bots.slack.simulator.server import APP_TOKEN, BOT_TOKEN

Vouch = Callable[..., tuple[int, str, str]]


def settings(slack: SlackServer, **changes: str) -> dict[str, str]:
    return {"VOUCH_SLACK__API_URL": slack.url, "VOUCH_SLACK__BOT_TOKEN": BOT_TOKEN,
            "VOUCH_SLACK__APP_TOKEN": APP_TOKEN} | changes


def checked(vouch: Vouch, slack: SlackServer, **changes: str) -> tuple[int, dict[str, dict[str, Any]], str]:
    code, out, err = vouch("slack", "doctor", "--json", **settings(slack, **changes))
    return code, {row["check"]: row for row in map(json.loads, out.splitlines())}, err


def wrong(rows: dict[str, dict[str, Any]]) -> list[str]:
    """The checks that failed; not those that were not made."""
    return [name for name, row in rows.items() if row["sound"] is False]


def allow(folder: Path, tag: str) -> None:
    (folder / "access.yaml").write_text(f'rules: [{{match: "**", allow: ["{tag}"]}}]\n')
