"""The people of a directory in a workspace, with a few channels."""

from collections.abc import Iterable

from bots.slack.simulator.workspace import Channel, User, Workspace
from vouch.errors import NotFound

_MOST = 50


def settle_in(workspace: Workspace, addresses: Iterable[str]) -> tuple[User, Channel]:
    """Who types first, and where: the second person, in a channel with the first.

    Everybody is in `#general`, and the first two alone in `#both`. Raises NotFound if there are not two.
    """
    people = [workspace.user(f"U{number:04}", _name(address), address)
              for number, address in enumerate(sorted(addresses)[:_MOST], 1)]
    if len(people) < 2:
        raise NotFound("the directory names fewer than two people", cure="vouch directory load FILE")
    workspace.channel("C0001", "general", [one.id for one in people])
    return people[1], workspace.channel("C0002", "both", [one.id for one in people[:2]], "private")


def _name(address: str) -> str:
    return address.partition("@")[0].capitalize()
