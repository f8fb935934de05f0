"""Whom a question may be handed to: owners, and of these only who reads along in the conversation."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from bots.slack.identity.accounts import Accounts, Found
from bots.slack.identity.channel_members import SlackConversations
from bots.slack.place import read_place
from vouch.errors import NotFound
from vouch.ports.surface import ChannelOwners
from vouch.ports.surface import Owners as DocumentOwners

MOST_TAGGED = 10


@dataclass(frozen=True)
class Owners:
    """Looked up anew at every call. Each may raise SurfaceDown."""

    accounts: Accounts
    conversations: SlackConversations
    channels: ChannelOwners
    documents: Callable[[], DocumentOwners]
    everywhere: tuple[str, ...] = ()    # owners by the settings of vouch, which nobody in Slack can change

    def all(self, conversation: str, documents: Iterable[str]) -> list[str]:
        """User ids of the owners of the conversation, then of the documents, each once, wherever they read."""
        channel = self.channels.channel_owners(read_place(conversation).channel)
        return self.accounts.of([*channel, *self._of(documents)])

    def deciding(self, documents: Iterable[str]) -> Found:
        """User ids of those who may make a document of what somebody wrote: not who is set for a channel, as anybody
        who creates a channel may set owners there."""
        return self.accounts.of([*self.everywhere, *self._of(documents)])

    def of_documents(self, documents: Iterable[str]) -> list[str]:
        """User ids of the owners of documents alone."""
        return self.accounts.of(self._of(documents))

    def _of(self, documents: Iterable[str]) -> list[str]:
        tags: list[str] = []
        for document in documents:
            source, _, path = document.partition(":")
            with suppress(NotFound):            # nothing is indexed any more
                tags += self.documents().owners_of(source, path)
        return tags

    def reading(self, conversation: str, documents: Iterable[str]) -> list[str]:
        """Those of them who are members of the conversation now; of many, the first."""
        owners = self.all(conversation, documents)
        members = self.conversations.members(conversation) if owners else frozenset[str]()
        return [user for user in owners if user in members][:MOST_TAGGED]


def cited_documents(answer: Mapping[str, Any]) -> list[str]:
    """SOURCE:PATH of what the answer cites, each once; of the web nothing."""
    inside = [one for one in answer["citations"] if one.get("origin") != "external"]
    return list(dict.fromkeys(f"{one['source']}:{one['path']}" for one in inside))
