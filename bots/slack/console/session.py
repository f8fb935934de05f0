"""Where a person sits in the workspace: who types, in which conversation, and what is seen from there."""

from collections.abc import Callable, Iterator, Mapping

from bots.slack.console.view import home_tab, name_of, suggested, title, typed
from bots.slack.console.visible import Sight, conversations
from bots.slack.console.windows import Windows
from bots.slack.simulator import Channel, Message, SlackServer, User
from bots.wrapping import Line
from vouch.errors import BadInput, Unavailable


class Desk:
    """`settle` returns once nothing is left to be answered."""

    def __init__(
        self, slack: SlackServer, settle: Callable[[], object], person: User, channel: Channel, width: int
    ) -> None:
        self.slack, self.space = slack, slack.workspace
        self.person, self.channel = person, channel
        self._settle = settle
        self._width = width
        self._sight = Sight(self.space, width)
        self.windows = Windows(self.space, width)

    def title(self, channel: Channel) -> Line:
        return title(channel, self.space.users, self.person)

    def look(self) -> list[Line]:
        """The conversation from its beginning, as this person sees it."""
        self._settle()
        said = self._sight.of(self.person, self.channel, anew=True)
        return [self.title(self.channel), *suggested(self.prompts()), *said]

    def prompts(self) -> Mapping[str, str]:
        """What the app suggests here: what is chosen, and what is then said."""
        return next((told for channel, told in reversed(self.space.prompts) if channel == self.channel.id), {})

    def home(self) -> list[Line]:
        """The app's home tab as it is drawn for this person now, and what is new elsewhere."""
        before = len(self.space.views)
        self.slack.deliveries.opened(self.person.id, "home")
        self._settle()
        drawn = [one for one in self.space.views[before:] if one["type"] == "home" and one["for"] == self.person.id]
        if not drawn:
            raise Unavailable("the app drew no home tab", cure="try :home again")
        return [*home_tab(drawn[-1], self.person, self._width), *self.news()]

    def news(self) -> list[Line]:
        """What this person has not seen yet, wherever it is; here first."""
        self._settle()
        lines = self._sight.of(self.person, self.channel)
        for channel in conversations(self.space):
            if channel is not self.channel and (found := self._sight.of(self.person, channel)):
                lines += [self.title(channel), *found]
        return lines + self.windows.news(self.person)

    def changed(self, message: Message) -> list[Line]:
        """What is seen once it looks otherwise."""
        self._sight.forget(message)
        return self.news()

    def own(self, number: int | None) -> Message:
        """What this person said last here, or the numbered one. Raises BadInput for what another said."""
        if number is not None:
            message = self.numbered(number)
            if message.user != self.person.id:
                raise BadInput(f"{self.person.name} did not say message {number}", cure="type :as NAME first")
            return message
        for message in self.newest_first():
            if message.user == self.person.id and message.channel == self.channel.id:
                return message
        raise BadInput(f"{self.person.name} said nothing here", cure="say something")

    def say(self, text: str, thread: str | None = None) -> None:
        """As `inside`."""
        self.inside()
        self.slack.deliveries.say(self.person.id, self.channel, self.typed(text), thread)

    def inside(self) -> None:
        """Raises BadInput for who is not in the conversation, and so can type nothing there."""
        if self.person.id not in self.channel.members:
            raise BadInput(f"{self.person.name} is not in {name_of(self.channel)}", cure="try :join, or :in CHANNEL")

    def typed(self, text: str) -> str:
        return typed(text, self.space.users, conversations(self.space))

    def numbered(self, number: int) -> Message:
        return self._sight.numbered(self.person, self.channel, number)

    def last(self) -> Message:
        return self._sight.last(self.person, self.channel)

    def newest_first(self) -> Iterator[Message]:
        return self._sight.newest_first(self.person, self.channel)
