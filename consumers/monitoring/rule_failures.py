"""Access rules that cannot be read hide whole sources: that is said aloud, once for each change."""

import logging

from vouch.errors import Unavailable
from vouch.ports.permission_store import PermissionStore
from vouch.wording import count

_log = logging.getLogger(__name__)
CURE = "fix the access file it names; docs/access.md shows the layout"


class RuleFailures:
    """One thread looks."""

    def __init__(self, permissions: PermissionStore) -> None:
        self._permissions = permissions
        self._told: dict[str, str] = {}

    def look(self) -> None:
        """Logs what cannot be read since the last look, and what can again. Raises what the store raises."""
        found = self._permissions.permissions().unreadable
        for source, reason in found.items():
            if self._told.get(source) != reason:
                _log.error("the access rules of source %s cannot be read, so nobody may read its documents: %s",
                           source, reason)
        for source in self._told.keys() - found.keys():
            _log.warning("the access rules of source %s are in force again, or it was removed", source)
        self._told = found


def probe_rules(permissions: PermissionStore) -> str:
    """How many sources have rules that can be read. Raises Unavailable naming those whose rules cannot."""
    found = permissions.permissions()
    if found.unreadable:
        told = "; ".join(f"{source}: {reason}" for source, reason in found.unreadable.items())
        raise Unavailable(f"they cannot be read, so nobody may read the documents of {told}", cure=CURE)
    return f"rules of {count(len(found.rulebooks), 'source')} in force"
