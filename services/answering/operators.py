"""Who may look at what tells of all documents."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from vouch.ports.permission_store import PermissionStore


@dataclass(frozen=True)
class Operators:
    """Implements the Administrators of `bots.http.backend`: the people of one group, and nobody without one."""

    permissions: PermissionStore
    group: str
    rows: Callable[[], list[dict[str, Any]]]

    def is_one(self, reader: str) -> bool:
        if not self.group or not reader.startswith("user:"):
            return False
        (found,) = self.permissions.permissions().directory.audience([reader]).readers
        return self.group in found.principals

    def versions(self) -> list[dict[str, Any]]:
        return self.rows()
