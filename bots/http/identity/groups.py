"""Groups that a verified token names, as far as a setting says which group of the directory a name stands for."""

import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from vouch.access import parse_tag
from vouch.errors import BadAccess, Usage

_KNOWN = 10_000                         # people; of whoever came longest ago it is noted once more


class GroupNotes(Protocol):
    def note(self, tag: str, groups: Sequence[str], proven: float) -> bool:
        """The person is in these groups, and in no others that are proven, as of that time. False if the directory
        does not list them, and nothing counts. Raises what a ledger that is away raises."""
        ...


class GroupClaims:
    """Threads share it. What the setting does not name counts for nothing."""

    def __init__(self, claim: str, groups: Mapping[str, str], notes: GroupNotes) -> None:
        """`groups`: by a value of the claim the access tag of a group. Raises Usage for a tag that is none."""
        self._claim, self._notes = claim, notes
        self._groups = {value: _group(tag) for value, tag in groups.items()}
        self._noted: OrderedDict[str, tuple[float, frozenset[str]]] = OrderedDict()
        self._lock = threading.Lock()

    def take(self, tag: str, claims: Mapping[str, Any]) -> None:
        """Of a token whose signature, issuer, audience and time hold, and that names this person."""
        seen = float(claims["iat"]), self._named(claims)
        with self._lock:
            known = self._noted.get(tag)
        if known is not None and (known == seen or known[0] > seen[0]):
            return                          # an older token tells nothing new
        if not self._notes.note(tag, sorted(seen[1]), seen[0]):
            return
        with self._lock:
            self._noted[tag] = seen
            self._noted.move_to_end(tag)
            while len(self._noted) > _KNOWN:
                self._noted.popitem(last=False)

    def _named(self, claims: Mapping[str, Any]) -> frozenset[str]:
        """None where the claim is missing, or is neither a text nor a list."""
        found = claims.get(self._claim)
        values = [found] if isinstance(found, str) else found if isinstance(found, list) else []
        return frozenset(self._groups[one] for one in values if isinstance(one, str) and one in self._groups)


def _group(tag: str) -> str:
    try:
        kind, _, name = parse_tag(tag).partition(":")
    except BadAccess as error:
        raise Usage(f"groups of tokens: {error.cause}", cure="fix VOUCH_HTTP__GROUP_MAP") from error
    if kind != "group":
        raise Usage(f"groups of tokens: {tag!r:.80} is no group", cure="fix VOUCH_HTTP__GROUP_MAP: write group:NAME")
    return name
