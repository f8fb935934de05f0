"""Who may look at what tells of all documents, and change what all are served; and who may say what changed."""

from collections.abc import Collection
from dataclasses import dataclass

from vouch.access import PUBLIC
from vouch.ports.permission_store import PermissionStore


@dataclass(frozen=True)
class Operators:
    """The people of one group, and nobody without one."""

    permissions: PermissionStore
    group: str

    def is_one(self, reader: str) -> bool:
        return _is_of(self.permissions, reader, {self.group} - {""})


@dataclass(frozen=True)
class Announcers:
    """The people named, and those of the groups named."""

    permissions: PermissionStore
    tags: Collection[str]

    def is_one(self, reader: str) -> bool:
        return _is_of(self.permissions, reader, set(self.tags) - {PUBLIC})


def _is_of(permissions: PermissionStore, reader: str, tags: set[str]) -> bool:
    if not tags or not reader.startswith("user:"):
        return False
    (found,) = permissions.permissions().directory.audience([reader]).readers
    return not tags.isdisjoint(found.principals)
