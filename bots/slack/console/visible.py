"""The people and channels of a workspace, what each person sees of it, and has seen of it already."""

from collections.abc import Iterable, Iterator

from bots.slack.console.view import drawn
from bots.slack.simulator.workspace import BOT_USER, Channel, Message, User, Workspace
from bots.wrapping import Line
from vouch.errors import BadInput, NotFound


class Sight:
    """Messages have numbers from their first drawing on, the same for everybody who sees them."""

    def __init__(self, workspace: Workspace, width: int) -> None:
        self._space = workspace
        self._width = width
        self._numbers: dict[int, int] = {}      # by identity: a message for one person has no id in Slack
        self._shown: set[tuple[str, int]] = set()

    def of(self, person: User, channel: Channel, *, anew: bool = False) -> list[Line]:
        """What this person has not been shown of it; `anew`: all of it."""
        rows = []
        for message in _in_threads(self._space.seen_by(person.id, channel.id)):
            key = person.id, id(message)
            if anew or key not in self._shown:
                self._shown.add(key)
                rows.append((self._numbers.setdefault(id(message), len(self._numbers) + 1), message))
        return drawn(rows, self._space.users, self._width)

    def forget(self, message: Message) -> None:
        """It looks otherwise now, so everybody is shown it once more."""
        self._shown -= {key for key in self._shown if key[1] == id(message)}

    def newest_first(self, person: User, channel: Channel) -> Iterator[Message]:
        """All that this person sees; what is in `channel` before the rest."""
        places = sorted(conversations(self._space), key=lambda one: one is not channel)
        for place in places:
            yield from reversed(self._space.seen_by(person.id, place.id))

    def numbered(self, person: User, channel: Channel, number: int) -> Message:
        for message in self.newest_first(person, channel):
            if self._numbers.get(id(message)) == number:
                return message
        raise BadInput(f"{person.name} sees no message {number}", cure="type :look to see the numbers")

    def last(self, person: User, channel: Channel) -> Message:
        here = self._space.seen_by(person.id, channel.id)
        if not here:
            raise BadInput("nothing was said here yet", cure="say something")
        return here[-1]


def conversations(workspace: Workspace) -> list[Channel]:
    with workspace.lock:
        return list(workspace.channels.values())


def people(workspace: Workspace) -> list[User]:
    return [one for id_, one in workspace.users.items() if id_ != BOT_USER]


def named(workspace: Workspace, name: str) -> User:
    """Raises BadInput."""
    if not name:
        raise BadInput("this needs the name of a person", cure="type :who to see them")
    found = [one for one in people(workspace) if one.name.lower() == name.lower()]
    if not found:
        raise BadInput(f"there is nobody called {name[:40]!r}", cure="type :who")
    return found[0]


def _in_threads(messages: list[Message]) -> list[Message]:
    """Each thread behind the message that began it."""
    return sorted(messages, key=lambda one: (one.thread_ts or one.ts, one.ts))


_MOST = 50


def settle_in(workspace: Workspace, addresses: Iterable[str]) -> tuple[User, Channel]:
    """Who types first, and where: the second person, in a channel with the first.

    Everybody is in `#general`, and the first two alone in `#both`; who types first has created both, and may set them.
    Raises NotFound if there are not two.
    """
    people = [workspace.user(f"U{number:04}", _name(address), address)
              for number, address in enumerate(sorted(addresses)[:_MOST], 1)]
    if len(people) < 2:
        raise NotFound("the directory names fewer than two people", cure="vouch directory load FILE")
    first = people[1]
    workspace.channel("C0001", "general", [one.id for one in people], creator=first.id)
    return first, workspace.channel("C0002", "both", [one.id for one in people[:2]], "private", creator=first.id)


def _name(address: str) -> str:
    return address.partition("@")[0].capitalize()
