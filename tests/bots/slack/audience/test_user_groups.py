"""User groups of Slack: who is in one, who may ask because of it, who is called, and what a question means by it."""

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from pydantic import ValidationError
from slack_scene.slack_company import LEAVE, Company, at, company
from slack_scene.slack_places import Place
from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError

from bots.slack.answers.layout import NEED_HUMAN
from bots.slack.api import SlackApi
from bots.slack.channels.ids import NamedInSlack
from bots.slack.channels.window import channel_view, chosen
from bots.slack.escaping import literal, markdown, plain
from bots.slack.identity.accounts import MOST, Accounts
from bots.slack.identity.user_groups import UserGroups, is_user_group
from bots.slack.simulator import Channel, SlackServer, User
from bots.slack.simulator.server import BOT_TOKEN
from vouch.errors import SurfaceDown
from vouch.ports.surface import ChannelSettings

pytestmark = pytest.mark.integration
HELP = "S0HELP"


@pytest.fixture
def slack() -> Iterator[SlackServer]:
    with SlackServer() as started:
        started.workspace.group(HELP, "help", ["U1", "U2"])
        started.workspace.group("S0OLD", "old", ["U1"]).disabled = True
        yield started


@pytest.fixture
def acme(place: Place) -> Iterator[Company]:
    with company(*place, people={HELP: "group:support"}) as made:
        made.ledger.access.set_directory(made.access.directory)
        made.slack.workspace.group(HELP, "help", [made.ben.id, made.boss.id])
        yield made


def both(acme: Company, **chosen: Any) -> Channel:
    acme.ledger.slack_channels.set("C1", ChannelSettings(**chosen), "terminal")
    return acme.slack.workspace.channel("C1", "both", [acme.ana.id, acme.ben.id], "private")


def handed_over(acme: Company, user: User, channel: Channel) -> str:
    """What this person sees there once Ben is called, of a group that is set as owner."""
    [answer] = acme.answers(user, channel)
    held = next(one["value"] for block in answer.blocks if block["type"] == "actions"
                for one in block["elements"] if one["action_id"] == NEED_HUMAN)
    acme.slack.deliveries.press(user.id, answer, {"type": "button", "action_id": NEED_HUMAN, "value": held})
    until = time.monotonic() + 20
    while f"<@{acme.ben.id}>" not in (told := acme.shown(user, channel)):
        assert time.monotonic() < until
        time.sleep(0.02)
    return told


def asked_for(slack: SlackServer) -> int:
    """How often for the members of a group."""
    return [name for name, _ in slack.api.calls].count("usergroups.users.list")


def test_the_loopback_tells_of_groups_as_slack_does_and_is_as_strict(slack: SlackServer) -> None:
    client = WebClient(BOT_TOKEN, base_url=slack.url, retry_handlers=[])
    [group] = client.usergroups_list(include_users=True, include_count=True)["usergroups"]
    assert (group["id"], group["handle"], group["users"], group["user_count"]) == (HELP, "help", ["U1", "U2"], 2)
    assert "users" not in client.usergroups_list()["usergroups"][0]
    assert len(client.usergroups_list(include_disabled=True)["usergroups"]) == 2
    assert client.usergroups_users_list(usergroup=HELP)["users"] == ["U1", "U2"]
    for given, said in (({"usergroup": "S0NONE"}, "no_such_subteam"), ({"usergroup": "S0OLD"}, "no_such_subteam"),
                        ({}, "invalid_arguments"), ({"usergroup": HELP, "colour": "red"}, "invalid_arguments")):
        with pytest.raises(SlackApiError, match=said):
            client.api_call("usergroups.users.list", params=given)
    with pytest.raises(SlackApiError, match="invalid_arguments"):       # a form, not JSON
        client.api_call("usergroups.users.list", json={"usergroup": HELP})
    slack.api.scopes -= {"usergroups:read"}
    for method in ("usergroups.list", "usergroups.users.list"):
        with pytest.raises(SlackApiError, match="missing_scope"):
            client.api_call(method, params={"usergroup": HELP} if "users" in method else {})


def test_members_of_a_user_group_may_ask_and_nobody_else(acme: Company) -> None:
    channel = both(acme, askers=(HELP,))
    acme.ask(acme.ana, channel, at(LEAVE))
    assert "12 weeks" not in acme.shown(acme.ana, channel)
    acme.ask(acme.ben, channel, at(LEAVE))
    assert "12 weeks" in acme.shown(acme.ben, channel)
    acme.slack.workspace.groups[HELP].members.append(acme.ana.id)       # counts from the next question on
    acme.ask(acme.ana, channel, at(LEAVE))
    assert sum("12 weeks" in m.shown() for m in acme.answers(acme.ana, channel)) == 2


@pytest.mark.parametrize("why", ["scope", "gone"])
def test_a_group_that_cannot_be_looked_up_is_empty_and_slack_being_down_is_not_that(acme: Company, why: str) -> None:
    if why == "scope":
        acme.slack.api.scopes -= {"usergroups:read"}
    else:
        acme.slack.workspace.groups[HELP].disabled = True
    channel = both(acme, askers=(HELP,))
    acme.ask(acme.ben, channel, at(LEAVE))
    assert "12 weeks" not in acme.shown(acme.ben, channel)
    acme.slack.fault("usergroups.users.list", "500")
    with pytest.raises(SurfaceDown):
        acme.parts.groups.members(HELP)


def test_of_a_user_group_those_are_called_who_read_along(acme: Company) -> None:
    channel = both(acme, owners=(HELP,))
    acme.ask(acme.ana, channel, at(LEAVE))
    told = handed_over(acme, acme.ana, channel)
    assert f"<@{acme.boss.id}>" not in told and HELP not in told


def test_of_a_large_group_the_first_are_looked_at_and_no_account_that_is_gone(acme: Company) -> None:
    many = [acme.slack.workspace.user(f"U1{number:03}", "x").id for number in range(MOST + 10)]
    acme.slack.workspace.users[many[0]].deleted = True
    acme.slack.workspace.group("S0MANY", "many", many)
    accounts = Accounts(acme.parts.api, acme.parts.people, {}, lambda _: (), acme.parts.groups)
    assert accounts.of(["S0MANY"]) == many[1:MOST]


def test_one_question_asks_slack_once_for_a_group_until_it_is_handed_over(place: Place) -> None:
    with company(*place, people_seconds=60.0) as acme:
        acme.ledger.access.set_directory(acme.access.directory)
        acme.slack.workspace.group(HELP, "help", [acme.ben.id, acme.boss.id])
        channel = both(acme, askers=(HELP, "group:engineering"), owners=(HELP,))
        acme.ask(acme.ben, channel, at(LEAVE))
        assert len(acme.slack.deliveries.log) == 2 and asked_for(acme.slack) == 1
        handed_over(acme, acme.ana, channel)
        assert asked_for(acme.slack) == 1


def test_what_slack_says_of_a_group_counts_for_so_long_and_a_failure_not_at_all(slack: SlackServer) -> None:
    now = [0.0]
    groups = UserGroups(SlackApi(BOT_TOKEN, slack.url, 20.0), 60.0, lambda: now[0])
    slack.fault("usergroups.users.list", "500")
    with pytest.raises(SurfaceDown):
        groups.members(HELP)
    assert groups.members(HELP) == {"U1", "U2"} and groups.members("S0OLD") == frozenset()
    slack.workspace.groups[HELP].members.remove("U2")
    slack.workspace.groups["S0OLD"].disabled = False
    now[0] = 59.9
    assert groups.members(HELP) == {"U1", "U2"} and groups.members("S0OLD") == frozenset()
    now[0] = 60.0
    assert groups.members(HELP) == {"U1"} and groups.members("S0OLD") == {"U1"} and asked_for(slack) == 4
    for number in range(300):
        groups.members(f"S{number:09}")
    assert len(groups._known) <= 200


@pytest.mark.parametrize("fails", [False, True])
def test_who_asks_while_slack_is_asked_waits_for_the_same_answer(slack: SlackServer, fails: bool) -> None:
    api, asked, go = SlackApi(BOT_TOKEN, slack.url, 20.0), list[str](), threading.Event()
    real = api.call

    def call(method: str, **given: Any) -> Any:
        asked.append(method)
        go.wait(20.0)
        if fails:
            raise SurfaceDown("Slack is away")
        return real(method, **given)

    api.call = call  # type: ignore[method-assign]
    came = list[float]()
    groups = UserGroups(api, 60.0, lambda: came.append(0.0) or 0.0)  # type: ignore[func-returns-value]
    with ThreadPoolExecutor(8) as pool:
        told = [pool.submit(groups.members, HELP) for _ in range(8)]
        while len(came) < 8:
            time.sleep(0.01)
        time.sleep(0.2)                 # each has looked by then
        go.set()
        for one in told:
            if fails:
                assert isinstance(one.exception(20.0), SurfaceDown)
            else:
                assert one.result(20.0) == {"U1", "U2"}
    assert len(asked) == 1
    if fails:
        with pytest.raises(SurfaceDown):
            groups.members(HELP)
        assert len(asked) == 2


def test_to_be_in_a_group_that_is_called_lets_nobody_change_the_settings(acme: Company) -> None:
    assert acme.bot is not None
    channel = both(acme, owners=(HELP,))
    told = acme.slack.deliveries.command(acme.ben.id, channel, "/vouch", "settings")
    assert told.startswith("Only admins")


def test_a_group_behind_from_stands_for_the_group_that_the_settings_give_it(acme: Company) -> None:
    acme.world.index.owners |= {"leave.md": ("group:support",)}
    channel = both(acme)
    acme.ask(acme.ana, channel, at(f"from:<!subteam^{HELP}|@help> {LEAVE}"))
    assert "12 weeks" in acme.shown(acme.ana, channel) and "owner a user group" in acme.shown(acme.ana, channel)


def test_the_window_keeps_groups_beside_people() -> None:
    settings = NamedInSlack(askers=("U1", HELP, "group:people"), owners=(HELP, "user:ana@acme.test"))
    view = channel_view("C1", settings)
    shown = {block["block_id"]: block["element"] for block in view["blocks"]}
    assert shown["askers"]["initial_users"] == ["U1"] and shown["tags"]["initial_value"] == f"{HELP}, group:people"
    values = {"answers": {"selected_option": {"value": "mentions"}},
              "readers": {"selected_option": {"value": "channel"}},
              "askers": {"selected_users": ["U1"]}, "tags": {"value": f"{HELP}, group:people"},
              "owners": {"value": shown["owners"]["initial_value"]}}
    again, wrong = chosen({"state": {"values": {name: {name: value} for name, value in values.items()}}})
    assert (again, wrong) == (settings, {})


def test_what_is_no_id_of_a_group_is_none() -> None:
    assert is_user_group(HELP) and not any(map(is_user_group, ("U1", "s0help", "S", "S0 X", "group:people", "")))
    for wrong in ("S", "s0help", "S0HELP|@help", "<!subteam^S0HELP>"):
        with pytest.raises(ValidationError):
            NamedInSlack(owners=(wrong,))


def test_nothing_that_leaves_mentions_a_group() -> None:
    hostile = f"ask <!subteam^{HELP}|@help> or <!subteam^{HELP}>"
    for made in (markdown(hostile)[0], plain(hostile)):
        assert "<!" not in made and "&lt;!subteam" in made
    assert "@help" not in literal(hostile)
