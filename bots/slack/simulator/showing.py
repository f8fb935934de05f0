"""What an app shows beside its messages: windows, home tabs, what it is about, and what one could ask."""

from typing import Any

from bots.slack.simulator.api import TS, Api, Arguments, joined, known
from bots.slack.simulator.refused import Refused
from bots.slack.simulator.views import check_view

_MOST_LOADING, _MOST_PROMPTS = 10, 4


def open_window(api: Api, given: Arguments) -> dict[str, Any]:
    check_view(given["view"], "modal")
    return _shown(api, given["view"], api.workspace.triggers.use(given["trigger_id"]))


def publish_home(api: Api, given: Arguments) -> dict[str, Any]:
    check_view(given["view"], "home")
    if given["user_id"] not in api.workspace.users:
        raise Refused("user_not_found")
    return _shown(api, given["view"], given["user_id"])


def _shown(api: Api, view: dict[str, Any], user: str) -> dict[str, Any]:
    api.workspace.views.append(view | {"for": user})
    return {"view": {"id": f"V{len(api.workspace.views)}", **view}}


def status(api: Api, given: Arguments) -> dict[str, Any]:
    place, loading = (given["channel_id"], given["thread_ts"]), given.get("loading_messages", [])
    if len(loading) > _MOST_LOADING or not all(isinstance(one, str) and one for one in loading) \
            or not TS.fullmatch(given["thread_ts"]):
        raise Refused("invalid_arguments")
    joined(api, given["channel_id"])
    if given["status"]:
        api.workspace.set_status(*place, given["status"])
    else:
        api.workspace.clear_status(*place)
    api.workspace.statuses.append((*place, given["status"]))
    return {}


def prompts(api: Api, given: Arguments) -> dict[str, Any]:
    """Pinned to the top of the messages tab; an app with an agent's view names no thread for them."""
    told = given["prompts"]
    if not 1 <= len(told) <= _MOST_PROMPTS or not all(map(_is_prompt, told)):
        raise Refused("invalid_arguments")
    if known(api, given["channel_id"]).kind != "im":
        raise Refused("channel_not_found")
    api.workspace.prompts.append((given["channel_id"], {one["title"]: one["message"] for one in told}))
    return {}


def _is_prompt(one: Any) -> bool:
    return isinstance(one, dict) and one.keys() == {"title", "message"} \
        and all(isinstance(text, str) and text for text in one.values())
