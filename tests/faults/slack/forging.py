"""What Slack never sent: envelopes of Socket Mode that are none, and clients without a ticket."""

import json
from typing import Any

from slack_scene.slack_company import LEAVE, at
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from bots.slack.simulator.workspace import APP_ID, TEAM


def question(channel: str, user: str) -> dict[str, Any]:
    """It would be answered if somebody took it."""
    event = {"type": "app_mention", "channel": channel, "user": user, "text": at(LEAVE), "ts": "1.000001"}
    return {"type": "event_callback", "team_id": TEAM, "api_app_id": APP_ID, "event_id": "Ev9", "event": event}


def envelopes(channel: str, user: str, mark: str = "") -> dict[str, str]:
    """By the ids that an acknowledgement would name. The first has a sound payload, in no envelope of Slack's."""
    sound = question(channel, user)
    told: list[tuple[str, Any]] = [
        ("made_up", sound), ("", sound), ("hello", sound), ("events_api", sound | {"api_app_id": "A0OTHER"}),
        ("interactive", sound | {"api_app_id": ""}), ("events_api", {}), ("events_api", [sound]), ("events_api", 7),
        ("events_api", json.dumps(sound)), ("events_api", sound | {"event": [sound["event"]]}),
        ("events_api", sound | {"event": None}), ("events_api", sound | {"type": "made_up"}),
        ("slash_commands", {"command": "/other", "text": LEAVE}), ("interactive", {"type": "block_actions"}),
    ]  # fmt: skip
    made = {}
    for number, (kind, payload) in enumerate(told):
        name = f"forged{mark}-{number}"
        made[name] = json.dumps({"envelope_id": name, "type": kind, "payload": payload})
    made[f"forged{mark}-nameless"] = json.dumps({"type": "events_api", "payload": sound})
    return made | {f"forged{mark}-text": "no JSON", f"forged{mark}-half": '{"type":'}


def let_in(address: str) -> bool:
    """Whether a client at this address of Socket Mode is connected."""
    try:
        connect(address).close()
    except InvalidStatus:
        return False
    return True
