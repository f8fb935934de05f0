"""One reader of whom vouch is not sure: everybody in the conversation sees what is public, and nothing else."""

from collections.abc import Callable
from typing import Any

import pytest
from slack_scene.slack_company import LEAVE, PLAN, Company, at, company
from slack_scene.slack_places import EVERYWHERE, Place

from bots.slack.simulator import Channel
from bots.slack.simulator.workspace import User

pytestmark = pytest.mark.integration


def channel(acme: Company, kind: str, *more: User, **how: Any) -> Channel:
    members = [acme.ben.id, acme.boss.id, *(one.id for one in more)]
    return acme.slack.workspace.channel("C1", "people", members, kind, **how)


def member(**doubt: Any) -> Callable[[Company, str], Channel]:
    """Whose address is that of somebody who may read it all."""
    def made(acme: Company, kind: str) -> Channel:
        return channel(acme, kind, acme.slack.workspace.user("U0ODD", "Odd", "boss@acme.test", **doubt))

    return made


def unknown(acme: Company, kind: str) -> Channel:
    return channel(acme, kind, acme.slack.workspace.user("U0NEW", "New", "new@acme.test"))


def told_of(**doubt: bool) -> Callable[[Company, str], Channel]:
    """What Slack says of the channel itself."""
    return lambda acme, kind: channel(acme, kind, **doubt)


DOUBTS = {
    "a guest": member(guest=True), "a guest of one channel": member(guest_of_one=True),
    "of another organisation": member(team="T0OTHER"),
    "another app": member(is_bot=True), "an address that is not confirmed": member(confirmed=False),
    "not in the directory": unknown, "a channel that others share": told_of(shared=True),
    "one that other workspaces share": told_of(shared_within=True),
    "one that others were invited to": told_of(invited=True),
}


def only_what_is_public(acme: Company, there: Channel) -> None:
    acme.ask(acme.ben, there, at(PLAN))
    acme.ask(acme.ben, there, at(LEAVE))
    seen = acme.shown(acme.boss, there)
    assert "60 days" not in seen and "12 weeks" in seen and "may read more" not in seen
    assert "You may read more about this" in acme.shown(acme.ben, there)


@pytest.mark.parametrize("kind", ["channel", "private", "mpim"])
@pytest.mark.parametrize("doubt", DOUBTS)
def test_one_doubt_leaves_what_is_public_and_tells_the_asker_alone_of_more(
    acme: Company, doubt: str, kind: str
) -> None:
    only_what_is_public(acme, DOUBTS[doubt](acme, kind))


@EVERYWHERE
def test_more_members_than_are_looked_at_are_a_doubt(place: Place) -> None:
    with company(*place, max_members=2) as acme:
        there = channel(acme, "private")
        acme.ask(acme.ben, there, at(PLAN))
        assert "60 days" in acme.shown(acme.boss, there)
    with company(*place, max_members=1) as acme:
        only_what_is_public(acme, channel(acme, "private"))


@EVERYWHERE
def test_who_has_left_the_organisation_keeps_nothing_from_the_others(acme: Company) -> None:
    gone = acme.slack.workspace.user("U0GONE", "Gone", "gone@acme.test", deleted=True)
    there = channel(acme, "private", gone)
    acme.ask(acme.ben, there, at(PLAN))
    assert "60 days" in acme.shown(acme.boss, there)
