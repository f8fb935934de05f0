"""Accounts and user groups."""

from typing import Any

from bots.slack.simulator.api import Api, Arguments
from bots.slack.simulator.arguments import one_page
from bots.slack.simulator.refused import Refused


def user(api: Api, given: Arguments) -> dict[str, Any]:
    found = api.workspace.users.get(given["user"])
    if found is None:
        raise Refused("user_not_found")
    told = found.json()
    if "users:read.email" not in api.scopes:
        del told["profile"]["email"]
    return {"user": told}


def everybody(api: Api, given: Arguments) -> dict[str, Any]:
    return one_page("members", [user(api, {"user": one})["user"] for one in api.workspace.users], given, 1000)


def by_email(api: Api, given: Arguments) -> dict[str, Any]:
    wanted = given["email"].lower()
    found = [u for u in api.workspace.users.values() if u.email.lower() == wanted and not u.deleted]
    if not wanted or not found:
        raise Refused("users_not_found")
    return {"user": found[0].json()}


def groups(api: Api, given: Arguments) -> dict[str, Any]:
    rows = []
    for group in api.workspace.groups.values():
        if not group.disabled or given.get("include_disabled"):
            more = {"users": list(group.members)} if given.get("include_users") else {}
            count = {"user_count": len(group.members)} if given.get("include_count") else {}
            rows.append(group.json() | more | count)
    return {"usergroups": rows}


def group_members(api: Api, given: Arguments) -> dict[str, Any]:
    group = api.workspace.groups.get(given["usergroup"])
    if group is None or (group.disabled and not given.get("include_disabled")):
        raise Refused("no_such_subteam")
    return {"users": list(group.members)}
