"""Owners of documents and of channels of Slack, and the people of a group."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime

from indexers.live_index import LiveIndex
from vouch.access import Directory, parse_tag
from vouch.errors import BadAccess, Usage
from vouch.ports.stores import PermissionStore
from vouch.ports.surface import ChannelOwners
from vouch.settings import Settings


@dataclass(frozen=True)
class DocumentOwners:
    """Implements ports.Owners, over the version and the rules of the moment."""

    index: LiveIndex
    permissions: PermissionStore

    def owners_of(self, source: str, path: str) -> tuple[str, ...]:
        header = self.index.header(source, path)
        if header is None:
            return ()
        return self.permissions.permissions().owners_of(source, path, header.owners)

    def named(self) -> tuple[str, ...]:
        stated = {tag for header in self.index.version().headers for tag in header.owners}
        books = self.permissions.permissions().rulebooks.values()
        return tuple(sorted(stated | {tag for book in books for rule in book.owners.rules for tag in rule.owners}))

    def readable(self, tag: str, documents: Collection[str], moment: datetime) -> set[str]:
        """Those of `documents`, SOURCE:PATH, that this reader may read at this moment."""
        view = self.index.view(self.permissions.permissions().directory.audience([tag], moment))
        return {one for one in documents if view.of_document(*one.partition(":")[::2])}


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
