"""The permissions in force."""

from typing import Protocol

from vouch.access import Permissions


class PermissionStore(Protocol):
    def permissions(self) -> Permissions:
        """The rules, memberships and epoch in force now."""
        ...
