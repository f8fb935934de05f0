"""What Slack said counts until it is too old, or until Slack tells that it has changed."""

from collections.abc import Iterable, Mapping
from typing import Protocol


class Changes(Protocol):
    """Of conversations, accounts, and user groups, by their ids. Threads may share it."""

    def stamps(self, subjects: Iterable[str]) -> Mapping[str, str]:
        """Of what has changed of late, another one after each change."""
        ...


class Untold:
    """Where nobody tells of changes: age alone counts."""

    def stamps(self, subjects: Iterable[str]) -> Mapping[str, str]:
        return {}
