"""Who looks after channels of Slack: those who were set for one, else those of the settings; the people of a group."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from vouch.access import Directory, parse_tag
from vouch.errors import BadAccess, Usage
from vouch.ports.owners import ChannelOwners
from vouch.settings import Settings


@dataclass(frozen=True)
class SlackOwners:
    """Implements ports.ChannelOwners. `otherwise` look after channels that `channels` names nobody for."""

    channels: ChannelOwners
    otherwise: tuple[str, ...]

    def channel_owners(self, channel_id: str) -> tuple[str, ...]:
        return self.channels.channel_owners(channel_id) or self.otherwise


def owner_tags(settings: Settings) -> tuple[str, ...]:
    """Of all channels, in order. Raises Usage."""
    named = [name for name in (part.strip() for part in settings.slack.owners.split(",")) if name]
    try:
        tags = tuple(dict.fromkeys(parse_tag(name) for name in named))
    except BadAccess as error:
        raise Usage(f"VOUCH_SLACK__OWNERS: {error.cause}", cure=error.cure) from error
    if "public" in tags:
        raise Usage("VOUCH_SLACK__OWNERS: public is nobody", cure="name people or groups: user:NAME, group:NAME")
    return tags


def people_of(directory: Directory, tag: str, moment: datetime) -> Iterator[str]:
    """`user:…` of each person whom the directory has in the group now, groups of groups included."""
    for name in directory.people:
        if tag in directory.reader(f"user:{name}", moment).principals:
            yield f"user:{name}"
