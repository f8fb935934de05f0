"""Loads of registered models: which failed and when, so that they are tried again and each reason is logged once."""

import logging
import math
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import TypeVar

from composition.registered import unusable
from vouch.errors import Busy, LedgerDown, VouchError

RETRY_S = 60.0                          # its file, or memory for it, may be there again by then
DOWN = (LedgerDown, Busy)               # it says nothing about a model
T = TypeVar("T")
_log = logging.getLogger(__name__)


@dataclass
class Loads:
    clock: Callable[[], float]
    _failed: dict[str, float] = field(default_factory=dict)     # when, by name
    _told: dict[str, set[str]] = field(default_factory=dict)    # reasons, by name

    def load(self, name: str, make: Callable[[], T]) -> T | None:
        """None for a model that cannot be used. Raises LedgerDown or Busy."""
        try:
            made = make()
        except DOWN:
            raise
        except VouchError as error:
            self._failed[name] = self.clock()
            self._tell(name, error.cause)
            return None
        self._failed.pop(name, None)
        return made

    def due(self, name: str) -> bool:
        """Whether its last load failed, a minute ago or longer."""
        return self.clock() - self._failed.get(name, math.inf) >= RETRY_S

    def forget_all_but(self, names: Collection[str]) -> None:
        """Of the others nothing is known any more; should one come back, its reasons are logged again."""
        for kept in (self._failed, self._told):
            for name in kept.keys() - set(names):
                del kept[name]

    def _tell(self, name: str, cause: str) -> None:
        told = self._told.setdefault(name, set())
        if cause not in told:
            told.add(cause)
            _log.warning("%s: %s", unusable(name), cause)
