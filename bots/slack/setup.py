"""Setting the app up: what it is created from, and whether Slack lets it do what it has to do."""

import json
from collections.abc import Callable
from contextlib import suppress
from email.utils import parsedate_to_datetime
from functools import partial
from importlib.resources import files
from ipaddress import ip_address
from time import time
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from bots.slack.api import SlackApi, slack_errors, web_client
from bots.slack.connection import PATH
from bots.slack.cures import FROM_PAGE
from vouch.errors import BadInput, Denied, Usage
from vouch.plurals import count

_EXAMPLE = "give one such as https://vouch.acme.test"


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
        raise BadInput("this is no address that Slack could post to", cure=_EXAMPLE)
    if _is_here(parts.hostname or ""):
        raise BadInput("Slack cannot post to an address that only this machine reaches", cure=_EXAMPLE)
    return url.rstrip("/").removesuffix(PATH) + PATH


def _is_here(host: str) -> bool:
    with suppress(ValueError):
        address = ip_address(host)
        return address.is_loopback or address.is_unspecified
    return host == "localhost" or host.endswith(".localhost")


class Found(NamedTuple):
    """`cure`: what to do if it is not as it should be, which nobody but a person can say; empty where all is well."""

    told: str
    cure: str = ""


class Look(NamedTuple):
    """`found` says what was found; it raises a VouchError with the cure if that is wrong.

    `needs`: it could find nothing new if that look failed.
    """

    name: str
    found: Callable[[], Found]
    needs: str = ""


TOKEN = "token"                         # noqa: S105 - the name of a look
_MOST_APART_S = 60.0                    # Slack refuses, and is refused, from five minutes on


def looks(api: SlackApi, app_token: str) -> list[Look]:
    """In order; without an app-level token no connection is tried."""
    found = [Look(TOKEN, partial(_token, api)), Look("scopes", partial(_scopes, api), TOKEN),
             Look("clock", partial(_clock, api), TOKEN), Look("channels", partial(_channels, api), TOKEN)]
    return [*found, Look("connection", partial(_connection, api, app_token))] if app_token else found


def _token(api: SlackApi) -> Found:
    me = api.me
    if not me.get("bot_id"):
        raise Usage(f"this is the token of a person, {me['user']}, not of the app", cure=FROM_PAGE)
    return Found(f"{me['user']} in {me['team']}")


def _scopes(api: SlackApi) -> Found:
    given = {scope.strip() for scope in _header(api, "x-oauth-scopes").split(",") if scope.strip()}
    missing = sorted(needed_scopes() - given)
    if missing:
        raise Denied(f"the token lacks {', '.join(missing)}",
                     cure="give the app the scopes of vouch slack manifest, and install it again")
    more = sorted(given - needed_scopes())
    return Found(f"all {len(needed_scopes())} that are needed" + (f"; not needed: {', '.join(more)}" if more else ""))


def _clock(api: SlackApi) -> Found:
    try:
        apart = abs(parsedate_to_datetime(_header(api, "date")).timestamp() - time())
    except (ValueError, TypeError) as error:
        raise Usage("Slack did not say what time it is", cure="look whether a proxy is in between") from error
    if apart > _MOST_APART_S:
        raise Usage(f"{apart:.0f} s from that of Slack", cure="set the machine's clock; NTP keeps it right")
    return Found(f"{apart:.0f} s from that of Slack")


def _channels(api: SlackApi) -> Found:
    told = api.call("users.conversations", limit=200, types="public_channel,private_channel,mpim")
    more = " or more" if (told.get("response_metadata") or {}).get("next_cursor") else ""
    found = f"the app is in {count(len(told['channels']), 'channel')}{more}"
    return Found(found, "" if told["channels"] else f"in a channel of Slack: /invite @{api.me['user']}")


def _connection(api: SlackApi, app_token: str) -> Found:
    with slack_errors("apps.connections.open"):
        web_client(app_token, api.client.base_url, api.client.timeout).apps_connections_open(app_token=app_token)
    return Found("Slack gives one to the app-level token")


def _header(api: SlackApi, name: str) -> str:
    with slack_errors("auth.test"):
        headers = api.client.api_call("auth.test").headers
    value = next((v for k, v in headers.items() if k.lower() == name), "")
    return str(value[0] if isinstance(value, list) else value)
