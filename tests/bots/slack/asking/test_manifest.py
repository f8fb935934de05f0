"""The manifest asks for what the code uses, and for nothing else."""

import ast
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from slack_scene.slack_company import manifest

from bots.slack.bot import COMMAND, EVENTS, SHORTCUT
from bots.slack.connection import PATH
from bots.slack.personal.views import WHAT_CAN_YOU_DO
from bots.slack.setup import manifest_text, needed_scopes
from bots.slack.simulator.conversations import METADATA
from bots.slack.simulator.web_api import METHODS
from vouch.errors import BadInput

CODE = Path(__file__).parents[4] / "bots" / "slack"
OF_EVENTS = {
    "app_mention": {"app_mentions:read"}, "message.channels": {"channels:history"},
    "message.groups": {"groups:history"}, "message.im": {"im:history"}, "message.mpim": {"mpim:history"},
    "reaction_added": {"reactions:read"}, "reaction_removed": {"reactions:read"}, "app_home_opened": set[str](),
    **{name: {"channels:read", "groups:read"} for name in (
        "member_joined_channel", "member_left_channel", "channel_shared", "channel_unshared", "channel_id_changed")},
    "user_change": {"users:read"}, "subteam_members_changed": {"usergroups:read"},
    "subteam_updated": {"usergroups:read"},
}  # fmt: skip
KINDS = ("channels", "groups", "im", "mpim")


def texts() -> Iterator[str]:
    """Of the code."""
    for file in (one for one in CODE.rglob("*.py") if "simulator" not in one.parts):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value
            elif isinstance(node, ast.keyword):
                yield str(node.arg)


def called() -> Iterator[str]:
    """Methods of the Web API that the code names."""
    return (text for text in texts() if text in METHODS)


def test_each_event_that_is_heard_is_subscribed_to() -> None:
    subscribed = set(manifest()["settings"]["event_subscriptions"]["bot_events"])
    assert subscribed == set(OF_EVENTS)
    assert {name.partition(".")[0] for name in subscribed} == set(EVENTS)


def test_scopes_are_those_of_the_methods_and_events() -> None:
    needed = set.union(*OF_EVENTS.values()) | {"commands", "users:read.email"}
    for method in set(called()):
        scopes = METHODS[method].scopes         # of all kinds of conversations, or one that is enough
        needed |= set(scopes if "conversations" in method else scopes[:1])
    needed -= {"mpim:write"}            # group conversations are never opened
    needed |= {METADATA} if any("include_all_metadata" in text for text in texts()) else set()
    assert needed_scopes() == needed | {"assistant:write"}


def test_the_command_is_the_one_that_is_heard() -> None:
    assert [command["command"] for command in manifest()["features"]["slash_commands"]] == [COMMAND]


def test_the_shortcut_is_the_one_that_is_heard() -> None:
    shortcuts = manifest()["features"]["shortcuts"]
    assert [(one["type"], one["callback_id"]) for one in shortcuts] == [("message", SHORTCUT)]
    assert all(len(one["name"]) <= 24 and len(one["description"]) <= 150 for one in shortcuts)


def test_the_manifest_suggests_what_every_company_may_ask() -> None:
    assert manifest()["features"]["agent_view"]["suggested_prompts"] == [dict(WHAT_CAN_YOU_DO)]


@pytest.mark.parametrize("url", ["https://vouch.acme.test", "https://vouch.acme.test/", f"https://vouch.acme.test{PATH}"])
def test_over_http_slack_posts_all_of_it_to_one_address(url: str) -> None:
    told, address = json.loads(manifest_text(url)), f"https://vouch.acme.test{PATH}"
    assert told["settings"]["event_subscriptions"].pop("request_url") == address
    assert told["settings"]["interactivity"].pop("request_url") == address
    assert [command.pop("url") for command in told["features"]["slash_commands"]] == [address]
    assert told["settings"].pop("socket_mode_enabled") is False
    otherwise = manifest()
    assert otherwise["settings"].pop("socket_mode_enabled") is True and told == otherwise


@pytest.mark.parametrize("url", [
    "http://vouch.acme.test", "vouch.acme.test", "https://", "https://a b", "https://u@vouch.acme.test", "https://[::1",
    "https://vouch.acme.test?x=1", "https://vouch.acme.test#x", "https://v\u00f6.test", "https://a:x",
])  # fmt: skip
def test_what_slack_could_not_post_to_is_refused(url: str) -> None:
    with pytest.raises(BadInput, match="no address"):
        manifest_text(url)


def test_its_texts_are_as_short_as_slack_wants_them() -> None:
    view = manifest()["features"]["agent_view"]
    assert len(view["agent_description"]) <= 300 and len(view["suggested_prompts"]) <= 4
    assert len(manifest()["display_information"]["name"]) <= 35
    assert manifest_text().isascii()
