"""What the app is created from."""

import json
from importlib.resources import files
from typing import Any
from urllib.parse import urlsplit

from bots.slack.http_server import PATH
from vouch.errors import BadInput


def manifest_text(url: str = "") -> str:
    """For Socket Mode; with the address that Slack reaches the bot at, for signed requests to it. Raises BadInput."""
    told = _text()
    if not url:
        return told
    return json.dumps(_over_http(json.loads(told), _address(url)), indent=2, ensure_ascii=False) + "\n"


def needed_scopes() -> set[str]:
    told: dict[str, Any] = json.loads(_text())
    return set(told["oauth_config"]["scopes"]["bot"])


def _text() -> str:
    return files("bots.slack").joinpath("manifest.json").read_text(encoding="utf-8")


def _over_http(told: dict[str, Any], address: str) -> dict[str, Any]:
    settings = told["settings"]
    settings["socket_mode_enabled"] = False
    settings["event_subscriptions"] = {"request_url": address} | settings["event_subscriptions"]
    settings["interactivity"]["request_url"] = address
    for command in told["features"]["slash_commands"]:
        command["url"] = address
    return told


def _address(url: str) -> str:
    """Where Slack posts to. The path is the bot's own, whether it was given or not."""
    try:
        parts = urlsplit(url)
        whole = parts.scheme == "https" and bool(parts.hostname) and parts.port != 0
    except ValueError:
        whole = False
    if not whole or "@" in url or "?" in url or "#" in url or not url.isascii() or not url.isprintable() or " " in url:
        raise BadInput("this is no address that Slack could post to", cure="give one such as https://vouch.acme.test")
    return url.rstrip("/").removesuffix(PATH) + PATH
