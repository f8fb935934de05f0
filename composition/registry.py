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
from vouch.adapters.ledger.model_rows import Pointer
from vouch.adapters.ledger.models import Models
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


@dataclass
class Registry:
    """Threads may share it: one of them looks, the others go on with what is known."""

    settings: Settings
    store: Models
    clock: Callable[[], float] = time.monotonic
    _looking: threading.Lock = field(default_factory=threading.Lock)
    _known: tuple[tuple[str | None, ...], Serving] | None = None
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
        except _DOWN:
            if self._known is None:
                raise
        self._looked = self.clock()
        return self._known[1]

    def _chosen(self, pointers: Mapping[str, Pointer]) -> tuple[str | None, str | None, str | None]:
        """Names of fusion, interleaved shadow and evaluator; None where a file of the settings wins, or nothing is."""
        fusion, evaluator = pointers.get(FUSION), pointers.get(EVALUATOR)
        by_file = bool(self.settings.fusion.model)
        return (
            None if fusion is None or by_file else fusion.model,
            None if fusion is None or by_file or not self.settings.shadow.interleave else fusion.shadow,
            None if evaluator is None or self.settings.evaluator.model else evaluator.model,
        )

    def _made(self, fusion: str | None, shadow: str | None, evaluator: str | None) -> Serving:
        current = self._fusion(fusion) if fusion else fusion_of_settings(self.settings)
        if shadow is not None and not isinstance(other := self._fusion(shadow), ReciprocalRanks):
            current = TeamDraft(current, other)
        return Serving(current, self._judge(evaluator))

    def _fusion(self, name: str) -> Fusion:
        """The registered one; reciprocal ranks, with the reason, if it cannot be used."""
        try:
            return registered_fusion(self.settings, self.store.get(name))
        except _DOWN:
            raise
        except VouchError as error:
            _log.warning("%s: %s", unusable(name), error.cause)
            return ReciprocalRanks(self.settings.retrieval.rrf_k, unusable(name))

    def _judge(self, name: str | None) -> Callable[[], Judge]:
        """The registered one; that of the settings, with the reason, if it cannot be used."""
        if name is None:
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
