"""Which models serve: those that the registry points at, looked at anew every two seconds, or those of the settings."""

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from composition import models
from composition.lazy import Lazy
from composition.loads import DOWN, Loads
from composition.ranking import fusion as fusion_of_settings
from composition.registered import EVALUATOR, FUSION, registered_evaluator, registered_fusion, unusable
from vouch.adapters.ledger.registry.model_rows import Pointer
from vouch.adapters.ledger.registry.models import Models
from vouch.ports.evaluator import Evaluator
from vouch.ports.fusion import Fusion
from vouch.retrieval.fusion import ReciprocalRanks
from vouch.retrieval.team_draft import TeamDraft
from vouch.settings import Settings

LOOK_S = 2.0


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
_Parts = tuple[Fusion, Fusion, Callable[[], Judge]]


@dataclass
class Registry:
    """Threads may share it: one of them looks, the others go on with what is known.

    A model that cannot be loaded is tried again every minute, and each reason is logged once.
    """

    settings: Settings
    store: Models
    clock: Callable[[], float] = time.monotonic
    _looking: threading.Lock = field(default_factory=threading.Lock)
    _known: tuple[_Chosen, Serving] | None = None
    _served: _Parts | None = None
    _fusions: dict[str, Fusion] = field(default_factory=dict)  # kept, so that nothing is told twice
    _judges: dict[str, Callable[[], Judge]] = field(default_factory=dict)
    _looked: float = 0.0

    def __post_init__(self) -> None:
        self._loads = Loads(lambda: self.clock())

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
            chosen = self._chosen(self.store.pointers())
            parts = self._parts(*chosen)
            if self._known is None or self._known[0] != chosen or not _same(parts, self._served):
                self._known, self._served = (chosen, _serving(chosen, parts)), parts
                self._forget_all_but(chosen)
        except DOWN:             # it says nothing about a model: what is served stays
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

    def _parts(self, fusion: str, shadow: str, evaluator: str) -> _Parts:
        """Only what is new is made, and what could not be loaded a minute ago."""
        for name in {fusion, shadow}:
            if name not in self._fusions or self._loads.due(name):
                self._fusions[name] = self._fusion(name)
        if evaluator not in self._judges or self._loads.due(evaluator):
            self._judges[evaluator] = self._judge(evaluator)
        return self._fusions[fusion], self._fusions[shadow], self._judges[evaluator]

    def _fusion(self, name: str) -> Fusion:
        """The registered one; reciprocal ranks, with the reason, if it cannot be used. Without a name the settings'."""
        if not name:
            return fusion_of_settings(self.settings)
        found = self._loads.load(name, lambda: registered_fusion(self.settings, self.store.get(name)))
        return found or self._fusions.get(name) or ReciprocalRanks(self.settings.retrieval.rrf_k, unusable(name))

    def _judge(self, name: str) -> Callable[[], Judge]:
        """The registered one; that of the settings, with the reason, if it cannot be used or has no name."""
        if not name:
            return Lazy(lambda: _shipped(self.settings))
        found = self._loads.load(name, lambda: Judge(registered_evaluator(self.settings, self.store.get(name)), name))
        if found is not None:
            return lambda: found
        return self._judges.get(name) or Lazy(lambda: _shipped(self.settings, f" ({unusable(name)})"))

    def _forget_all_but(self, chosen: _Chosen) -> None:
        self._fusions = {name: made for name, made in self._fusions.items() if name in chosen[:2]}
        self._judges = {name: made for name, made in self._judges.items() if name == chosen[2]}
        self._loads.forget_all_but(chosen)


def _same(parts: _Parts, served: _Parts | None) -> bool:
    return served is not None and all(one is other for one, other in zip(parts, served, strict=True))


def _serving(chosen: _Chosen, parts: _Parts) -> Serving:
    current, other, judge = parts
    in_turns = chosen[1] and not isinstance(other, ReciprocalRanks)
    return Serving(TeamDraft(current, other) if in_turns else current, judge)


def _shipped(settings: Settings, why: str = "") -> Judge:
    evaluator = models.load_evaluator(settings)
    return Judge(evaluator, evaluator.fingerprint + why)
