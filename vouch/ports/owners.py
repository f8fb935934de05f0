"""Who looks after a document or a channel."""

from typing import Protocol


class Owners(Protocol):
    def owners_of(self, source: str, path: str) -> tuple[str, ...]:
        """Access tags (`user:…`, `group:…`) in order; none if nobody is named or there is no such document.

        An owner need not be allowed to read it: who is told of a document is decided by its label alone.
        """
        ...

    def named(self) -> tuple[str, ...]:
        """Everybody who is named as an owner of anything, in order."""
        ...


class ChannelOwners(Protocol):
    """Of the conversations of a surface."""

    def channel_owners(self, channel_id: str) -> tuple[str, ...]:
        """Access tags, `user:…` or `group:…`; none where nobody was named."""
        ...
