"""Who types, where, and who else is there."""

from bots.slack.console.session import Desk
from bots.slack.console.view import DIRECT, name_of
from bots.slack.console.visible import conversations, named, people
from bots.slack.simulator import Channel
from bots.slack.simulator.refused import Refused
from bots.slack.simulator.workspace import MOST_TOGETHER
from bots.wrapping import Line
from vouch.errors import BadInput


def become(desk: Desk, rest: str) -> list[Line]:
    desk.person = named(desk.space, rest)
    if desk.person.id not in desk.channel.members:
        if desk.channel.kind == "im":
            desk.channel = desk.space.direct(desk.person.id)
        else:
            return [Line(f"{desk.person.name} is not in {name_of(desk.channel)}"), *desk.news()]
    return desk.look()


def enter(desk: Desk, rest: str) -> list[Line]:
    name = rest.removeprefix("#").lower()
    if not name:
        raise BadInput("this needs the name of a channel", cure=":in CHANNEL, or :in direct; type :who to see them")
    if name == DIRECT:
        desk.channel = desk.space.direct(desk.person.id)
        desk.slack.deliveries.opened(desk.person.id, "messages")
        return desk.look()
    found = [one for one in conversations(desk.space) if one.name == name]
    if not found:
        raise BadInput(f"there is no channel {name[:40]!r}", cure="type :who, or :channel NAME PERSON...")
    desk.channel = found[0]
    return desk.look()


def together(desk: Desk, rest: str) -> list[Line]:
    others = [named(desk.space, one).id for one in rest.split()[:100]]
    try:
        desk.channel = desk.space.together([desk.person.id, *others])
    except Refused:
        raise BadInput(f"a group conversation is of two to {MOST_TOGETHER} people and vouch",
                       cure=":group PERSON...") from None
    return desk.look()


def join(desk: Desk, rest: str) -> list[Line]:
    desk.slack.deliveries.join(named(desk.space, rest).id, _no_direct(desk))
    return [desk.title(desk.channel), *desk.news()]


def leave(desk: Desk, rest: str) -> list[Line]:
    desk.slack.deliveries.leave(named(desk.space, rest).id, _no_direct(desk))
    return [desk.title(desk.channel), *desk.news()]


def guest(desk: Desk, rest: str) -> list[Line]:
    user = named(desk.space, rest)
    desk.slack.deliveries.account(user.id, guest=not user.guest)
    return [Line(f"{user.name} is {'a guest' if user.guest else 'a member'} of the workspace")]


def new_channel(desk: Desk, rest: str) -> list[Line]:
    name, *others = rest.lower().removeprefix("#").split()[:100] or [""]
    if not name or any(one.name == name for one in conversations(desk.space)):
        raise BadInput("a new channel needs a name of its own", cure=":channel NAME PERSON...")
    members = list(dict.fromkeys([desk.person.id, *(named(desk.space, one).id for one in others)]))
    id_ = f"C{len(desk.space.channels) + 1:04}"
    desk.channel = desk.space.channel(id_, name, members, "private", creator=desk.person.id)
    return desk.look()


def who(desk: Desk, _: str) -> list[Line]:
    told = [f"{one.name}{' (guest)' if one.guest else ''}" for one in people(desk.space)]
    return [Line(", ".join(told)), *(desk.title(one) for one in conversations(desk.space) if one.kind != "im")]


def _no_direct(desk: Desk) -> Channel:
    if desk.channel.kind in ("im", "mpim"):
        raise BadInput("nobody joins or leaves direct messages", cure="try :group PERSON..., or a channel: :in CHANNEL")
    return desk.channel
