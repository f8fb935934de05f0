"""Which models serve: those that the registry points at, looked at anew every two seconds, or those of the settings."""

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from composition.model_registry.registered import DOWN, Loads, registered_agent, registered_fusion, unusable
from composition.model_registry.scorers import Names, ScorerSet, ScorerSets
from composition.model_registry.serving import SHIPPED_AGENT, Agent, Serving
from composition.model_registry.serving import fusion as fusion_of_settings
from composition.models import own_judge
from vouch.adapters.ledger.registry.model_rows import AGENT, EVALUATOR, FUSION, JUDGE, RERANKER, Pointer
from vouch.adapters.ledger.registry.models import Models
from vouch.errors import Damaged
from vouch.ports.index import Fusion
from vouch.retrieval.experiments import TeamDraft
from vouch.retrieval.fusion import ReciprocalRanks
from vouch.settings import Settings

LOOK_S = 2.0


class _Chosen(NamedTuple):
    """Names; empty: that of the settings, or none."""

    fusion: str
    shadow: str                         # only where it takes turns with the fusion
    scorers: Names
    agent: str


_Parts = tuple[Fusion, Fusion, ScorerSet, Agent]


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
    _agents: dict[str, Agent] = field(default_factory=dict)    # the last one
    _looked: float = 0.0

    def __post_init__(self) -> None:
        self._loads = Loads(lambda: self.clock())
        self._scorers = ScorerSets(self.settings, self.store, self._loads)

    def __call__(self) -> Serving:
        """Raises LedgerDown, Busy or Damaged only while nothing is known yet."""
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
            parts = self._parts(chosen)
            if self._known is None or self._known[0] != chosen or not _same(parts, self._served):
                self._known, self._served = (chosen, _serving(chosen, parts)), parts
                self._forget_all_but(chosen)
        except (*DOWN, Damaged):     # it says nothing about a model: what is served stays
            if self._known is None:
                raise
        self._looked = self.clock()
        return self._known[1]

    def _chosen(self, pointers: Mapping[str, Pointer]) -> _Chosen:
        """A file or folder of the settings wins over what is registered."""
        fusion, reranker, judge, evaluator = (
            pointers.get(kind, Pointer(kind)) for kind in (FUSION, RERANKER, JUDGE, EVALUATOR))
        of = self.settings
        return _Chosen(
            "" if of.fusion.model else fusion.model or "",
            "" if of.fusion.model or not of.shadow.interleave else fusion.shadow or "",
            Names(
                "" if of.reranker.model else reranker.model or "",
                "" if own_judge(of) else judge.model or "",
                "" if of.evaluator.model else evaluator.model or "",
            ),
            pointers.get(AGENT, Pointer(AGENT)).model or "",
        )

    def _parts(self, chosen: _Chosen) -> _Parts:
        """Only what is new is made, and what could not be loaded a minute ago."""
        for name in {chosen.fusion, chosen.shadow}:
            if name not in self._fusions or self._loads.due(name):
                self._fusions[name] = self._fusion(name)
        scorers = self._scorers.of(chosen.scorers)
        return self._fusions[chosen.fusion], self._fusions[chosen.shadow], scorers, self._agent(chosen.agent)

    def _agent(self, name: str) -> Agent:
        """The registered one; what comes with vouch, with the reason, if it cannot be used."""
        if not name:
            return SHIPPED_AGENT
        if name not in self._agents or self._loads.due(name):
            found = self._loads.load(name, lambda: registered_agent(self.store.get(name)))
            instead = self._agents.get(name) or Agent(SHIPPED_AGENT.actor, f"{SHIPPED_AGENT.name} ({unusable(name)})")
            self._agents = {name: instead if found is None else Agent(found.actor, name)}
        return self._agents[name]

    def _fusion(self, name: str) -> Fusion:
        """The registered one; reciprocal ranks, with the reason, if it cannot be used. Without a name the settings'."""
        if not name:
            return fusion_of_settings(self.settings)
        found = self._loads.load(name, lambda: registered_fusion(self.settings, self.store.get(name)))
        return found or self._fusions.get(name) or ReciprocalRanks(self.settings.retrieval.rrf_k, unusable(name))

    def _forget_all_but(self, chosen: _Chosen) -> None:
        self._fusions = {name: made for name, made in self._fusions.items() if name in (chosen.fusion, chosen.shadow)}
        self._scorers.forget_all_but(chosen.scorers)
        self._loads.forget_all_but({chosen.fusion, chosen.shadow, chosen.agent, *chosen.scorers})


def _same(parts: _Parts, served: _Parts | None) -> bool:
    return served is not None and all(one is other for one, other in zip(parts, served, strict=True))


def _serving(chosen: _Chosen, parts: _Parts) -> Serving:
    current, other, scorers, agent = parts
    in_turns = chosen.shadow and not isinstance(other, ReciprocalRanks)
    return Serving(TeamDraft(current, other) if in_turns else current, scorers, scorers.judge, agent)
