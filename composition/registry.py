"""Which models serve: those that the registry points at, looked at anew every two seconds, or those of the settings."""

import logging
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from composition import models
from composition.lazy import Lazy
from composition.ranking import fusion as fusion_of_settings
from composition.registered import EVALUATOR, FUSION, registered_evaluator, registered_fusion, unusable
from vouch.adapters.ledger.registry.model_rows import Pointer
from vouch.adapters.ledger.registry.models import Models
from vouch.errors import Busy, LedgerDown, VouchError
from vouch.ports.evaluator import Evaluator
from vouch.ports.fusion import Fusion
from vouch.retrieval.fusion import ReciprocalRanks
from vouch.retrieval.team_draft import TeamDraft
from vouch.settings import Settings

LOOK_S = 2.0
_log = logging.getLogger(__name__)
_DOWN = (LedgerDown, Busy)              # it says nothing about a model: what is served stays


class Judge(NamedTuple):
    """`name`: as answers name it."""

    evaluator: Evaluator
    name: str


@dataclass(frozen=True)
class Serving:
    """One consistent set for a whole answer. `judge` raises what `load_evaluator` raises, when it is first asked."""

    fusion: Fusion
    judge: Callable[[], Judge]


def without_registry(settings: Settings) -> Serving:
    """What serves where nothing is registered."""
    return Serving(fusion_of_settings(settings), Lazy(lambda: _shipped(settings)))


_Chosen = tuple[str, str, str]          # fusion, interleaved shadow, evaluator; empty: that of the settings, or none


@dataclass
class Registry:
    """Threads may share it: one of them looks, the others go on with what is known."""

    settings: Settings
    store: Models
    clock: Callable[[], float] = time.monotonic
    _looking: threading.Lock = field(default_factory=threading.Lock)
    _known: tuple[_Chosen, Serving] | None = None
    _fusions: dict[str, Fusion] = field(default_factory=dict)  # kept, so that nothing is told twice
    _judges: dict[str, Callable[[], Judge]] = field(default_factory=dict)
    _looked: float = 0.0

    def __call__(self) -> Serving:
        """Raises LedgerDown or Busy only while nothing is known yet."""
        known = self._known
        if known is not None and self.clock() - self._looked < LOOK_S:
            return known[1]
        if not self._looking.acquire(blocking=known is None):
            return known[1]             # type: ignore[index]  # a lock that is waited for is got
        try:
            return self._look()
        finally:
            self._looking.release()

    def _look(self) -> Serving:
        try:
            pointers = self.store.pointers()
            chosen = self._chosen(pointers)
            if self._known is None or self._known[0] != chosen:
                self._known = chosen, self._made(*chosen)
                self._fusions = {name: made for name, made in self._fusions.items() if name in chosen[:2]}
                self._judges = {name: made for name, made in self._judges.items() if name == chosen[2]}
        except _DOWN:
            if self._known is None:
                raise
        self._looked = self.clock()
        return self._known[1]

    def _chosen(self, pointers: Mapping[str, Pointer]) -> _Chosen:
        """A file of the settings wins over what is registered."""
        fusion, evaluator = (pointers.get(kind, Pointer(kind)) for kind in (FUSION, EVALUATOR))
        model, shadow = ("", "") if self.settings.fusion.model else (fusion.model or "", fusion.shadow or "")
        judge = "" if self.settings.evaluator.model else evaluator.model or ""
        return model, shadow if self.settings.shadow.interleave else "", judge

    def _made(self, fusion: str, shadow: str, evaluator: str) -> Serving:
        for name in {fusion, shadow} - self._fusions.keys():
            self._fusions[name] = self._fusion(name)
        if evaluator not in self._judges:
            self._judges[evaluator] = self._judge(evaluator)
        current, other = self._fusions[fusion], self._fusions[shadow]
        in_turns = shadow and not isinstance(other, ReciprocalRanks)
        return Serving(TeamDraft(current, other) if in_turns else current, self._judges[evaluator])

    def _fusion(self, name: str) -> Fusion:
        """The registered one; reciprocal ranks, with the reason, if it cannot be used. Without a name the settings'."""
        if not name:
            return fusion_of_settings(self.settings)
        try:
            return registered_fusion(self.settings, self.store.get(name))
        except _DOWN:
            raise
        except VouchError as error:
            _log.warning("%s: %s", unusable(name), error.cause)
            return ReciprocalRanks(self.settings.retrieval.rrf_k, unusable(name))

    def _judge(self, name: str) -> Callable[[], Judge]:
        """The registered one; that of the settings, with the reason, if it cannot be used or has no name."""
        if not name:
            return Lazy(lambda: _shipped(self.settings))
        try:
            found = Judge(registered_evaluator(self.settings, self.store.get(name)), name)
        except _DOWN:
            raise
        except VouchError as error:
            _log.warning("%s: %s", unusable(name), error.cause)
            return Lazy(lambda: _shipped(self.settings, f" ({unusable(name)})"))
        return lambda: found


def _shipped(settings: Settings, why: str = "") -> Judge:
    evaluator = models.load_evaluator(settings)
    return Judge(evaluator, evaluator.fingerprint + why)
