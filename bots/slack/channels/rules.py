"""What the settings of a channel mean for one message there."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from bots.slack.api import OddRefusal, SlackApi
from bots.slack.channels.gate import asks_for_documents
from bots.slack.channels.operators import Named, read_operators, read_steps
from bots.slack.identity.people import People
from bots.slack.identity.user_groups import UserGroups, is_user_group
from bots.slack.questions import How
from vouch.access import PUBLIC, Directory
from vouch.access_check.directory import unknown_among
from vouch.errors import BadInput, Denied
from vouch.ports.surface import UNSET, Channels, ChannelSettings

FOR_ONE = "In this channel answers are for whoever asks alone."
NOT_YOU = "In this channel only some people may ask me. In a direct message you may."
NOBODY_KNOWS = ("In this channel only some people may ask me, and Slack does not tell me who you are now. Ask again"
                " later, or in a direct message.")


@dataclass(frozen=True)
class ChannelRules:
    """`directory` is the one in force at the moment of the call, `sources` the names of those that there are then.
    `operators`: their group, or empty."""

    api: SlackApi
    people: People
    groups: UserGroups
    channels: Channels
    directory: Callable[[], Directory]
    sources: Callable[[], Collection[str]]
    operators: str = ""

    def moved(self, event: Mapping[str, Any]) -> None:
        """A conversation has another id from now on, as when it is shared with another organisation."""
        self.channels.move(str(event["old_channel_id"]), str(event["new_channel_id"]))

    def settings(self, channel: str) -> ChannelSettings:
        """Direct messages have none of their own."""
        return self.channels.get(channel) if channel.startswith(("C", "G")) else UNSET

    def answers_unasked(self, event: Mapping[str, Any]) -> bool:
        """Whether a message that names nobody is a question for vouch: by the channel's settings, and by its form.

        Not in threads: there people talk to one another.
        """
        if event.get("thread_ts") or self.settings(str(event["channel"])).answers != "questions":
            return False
        return asks_for_documents(str(event.get("text") or ""))

    def may_not_ask(self, settings: ChannelSettings, user: str) -> str:
        """What the person is told, or empty."""
        askers = settings.askers
        groups = (one for one in askers if is_user_group(one))
        if not askers or user in askers or any(user in self.groups.members(one) for one in groups):
            return ""
        try:
            return "" if self._is_one_of(askers, user) else NOT_YOU
        except OddRefusal:
            return NOBODY_KNOWS

    def owns(self, settings: ChannelSettings, user: str) -> bool:
        return self._is_one_of(settings.owners, user)

    def unknown(self, settings: ChannelSettings, user: str) -> list[str]:
        """Sources that are not there, and what the directory lacks of people and groups. Told to operators alone: it
        tells which there are, and who."""
        if not self.operators or not self._is_one_of((self.operators,), user):
            return []
        there = self.sources()
        no_sources = [f"source {name}: there are {', '.join(there) or 'none'}" for name in settings.sources or ()
                      if name not in there]
        return [*no_sources, *unknown_among(self.directory(), (*settings.askers, *settings.owners))]

    def _is_one_of(self, tags: Collection[str], user: str) -> bool:
        """Who is not known for sure is whoever anybody may be."""
        tag = self.people.tag(user)
        if tag is None:
            return False
        [reader] = self.directory().audience([tag]).readers
        return not reader.principals.isdisjoint(tags)

    def narrowed(
        self, settings: ChannelSettings, channel: str, text: str, name: Callable[[str], str],
        sees: Callable[[str], bool],
    ) -> tuple[str, How]:  # fmt: skip
        """The question's words, filters within the sources of its channel, and steps. Raises BadInput.

        `name` is what whoever asks may be told an account is called; `sees` tells whether they see an open channel.
        """
        rest, steps = read_steps(text)
        words, filters = read_operators(rest, lambda named: self._sources(named, channel, sees),
                                        lambda account: self._owner(account, name))
        within = filters.within(settings.sources)
        if filters.sources and not within.sources:
            raise BadInput("this channel is not answered from that source",
                           cure="leave the source out, or ask in a direct message")
        return words, How(within, steps)

    def _sources(self, named: str, channel: str, sees: Callable[[str], bool]) -> tuple[str, ...] | None:
        """What a closed channel is set to is told in that channel alone."""
        if named != channel and not (self._is_open(named) and sees(named)):
            return None
        return self.settings(named).sources

    def _owner(self, named: str, name: Callable[[str], str]) -> Named | None:
        """Of a user group what the settings say, of an account whom it surely stands for."""
        group = is_user_group(named)
        tag = self.people.mapped.get(named) if group else self.people.reads_as(named)
        if tag is None or tag == PUBLIC:
            return None
        return tag, "a user group" if group else name(named)

    def _is_open(self, channel: str) -> bool:
        try:
            told = self.api.call("conversations.info", channel=channel)["channel"]
        except Denied:
            return False
        return told.get("is_channel") is True and told.get("is_private") is False
