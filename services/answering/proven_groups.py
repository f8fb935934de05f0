"""Groups that people were proven to be in, remembered in the ledger for a time."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from vouch.adapters.ledger.permissions.access import Access
from vouch.adapters.ledger.permissions.proven_groups import ProvenGroups

_HOUR_S = 3600


@dataclass(frozen=True)
class ProvenInLedger:
    """Implements the GroupNotes of `bots.http.identity.tokens`. They count for so many `hours`, and to the end of the
    last one, so that a person who comes with ever new tokens changes who may read what once an hour at most."""

    access: Access
    proven: ProvenGroups
    hours: float

    def note(self, tag: str, groups: Sequence[str], proven: float) -> bool:
        name = tag.removeprefix("user:")
        if name not in self.access.permissions().directory.people:     # cheap: strangers may be many
            return False
        at = datetime.fromtimestamp(proven, UTC)
        ends = (at + timedelta(hours=self.hours)).timestamp()
        until = datetime.fromtimestamp(math.ceil(ends / _HOUR_S) * _HOUR_S, UTC)
        return self.proven.note(name, groups, at, until)
