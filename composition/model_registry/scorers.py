"""Which reranker and judge serve with which evaluator: what was trained together, or what serves without a registry."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from composition.lazy import Lazy
from composition.model_registry.registered import (
    Kept,
    Loads,
    Together,
    registered_cross_encoder,
    registered_evaluator,
    registered_together,
    unusable,
)
from composition.model_registry.serving import Judge, Scorers, judge_of_settings, scorers_of_settings
from composition.models import load_kept_cross_encoder, reranker_weights
from vouch.adapters.ledger.registry.model_rows import JUDGE, RERANKER
from vouch.adapters.ledger.registry.models import Models
from vouch.ports.models import Reranker
from vouch.settings import Settings


class Names(NamedTuple):
    """Empty: that of the settings."""

    reranker: str
    judge: str
    evaluator: str


class ScorerSet:
    """`judge` is known without loading anything. `kept`: the reranker and the judge that are not those of the settings.

    Where one of these turns out not to load, `instead` serves, whole, and the set has `failed`.
    """

    def __init__(
        self, settings: Settings, loads: Loads, kept: tuple[Kept, ...], judge: Callable[[], Judge],
        instead: Callable[[], Scorers],
    ) -> None:  # fmt: skip
        self.kept, self.judge, self.failed = kept, judge, False
        self._settings, self._loads, self._instead = settings, loads, instead
        self._made = Lazy(self._load)

    def __call__(self) -> Scorers:
        return self._made()

    def _load(self) -> Scorers:
        names, loaded, weights = dict[str, str](), dict[str, Reranker](), dict[str, str]()
        for one in self.kept:
            made = self._loads.load(one.name, partial(self._loaded, one))
            if made is None:
                self.failed = True
                return self._instead()
            names[one.kind], loaded[one.kind], weights[one.kind] = one.name, made, one.weights
        if not loaded:
            return self._instead()
        judge, reranked_with = self.judge(), weights.get(RERANKER) or reranker_weights(self._settings)
        return Scorers(
            loaded.get(RERANKER), names.get(RERANKER) or reranked_with, reranked_with, judge,
            loaded.get(JUDGE), names.get(JUDGE) or judge.evaluator.judged_with,
        )

    def _loaded(self, kept: Kept) -> Reranker:
        return load_kept_cross_encoder(self._settings, kept.folder, kept.weights)


@dataclass
class ScorerSets:
    """Made once, and again where one of the models could not be loaded a minute ago."""

    settings: Settings
    store: Models
    loads: Loads
    _sets: dict[Names, ScorerSet] = field(default_factory=dict)
    _judges: dict[str, Callable[[], Judge]] = field(default_factory=dict)

    def of(self, names: Names) -> ScorerSet:
        """Raises LedgerDown or Busy."""
        known = self._sets.get(names)
        if known is None or any(map(self.loads.due, names)):
            made = self._made(names)
            if known is None or known.failed or (made.kept, made.judge) != (known.kept, known.judge):
                self._sets[names] = made
        return self._sets[names]

    def forget_all_but(self, names: Names) -> None:
        self._sets = {each: made for each, made in self._sets.items() if each == names}
        self._judges = {name: made for name, made in self._judges.items() if name == names.evaluator}

    def _made(self, names: Names) -> ScorerSet:
        why = [f" ({unusable(name)})" if name else "" for name in (names.reranker, names.judge)]

        def instead() -> Scorers:
            return scorers_of_settings(self.settings, self._judge(names.evaluator)(), *why)

        found = self._together(names)
        if found is None:
            judge = self._judge(names.evaluator)
            return ScorerSet(self.settings, self.loads, (), judge,
                             lambda: scorers_of_settings(self.settings, judge(), *why))
        known = self._sets.get(names)
        if known is not None and known.kept == found.kept:
            return ScorerSet(self.settings, self.loads, found.kept, known.judge, instead)
        served = Judge(found.evaluator, names.evaluator or found.evaluator.fingerprint)
        return ScorerSet(self.settings, self.loads, found.kept, lambda: served, instead)

    def _together(self, names: Names) -> Together | None:
        """None where neither a reranker nor a judge is registered, one cannot be used, or they do not fit."""
        registered = [(name, kind) for name, kind in ((names.reranker, RERANKER), (names.judge, JUDGE)) if name]
        for name, kind in registered:
            if self.loads.load(name, partial(self._kept, name, kind)) is None:
                return None
        if not registered:
            return None
        return self.loads.load(registered[0][0], lambda: registered_together(self.settings, self.store, *names))

    def _kept(self, name: str, kind: str) -> Kept:
        return registered_cross_encoder(self.settings, self.store.get(name), kind)

    def _judge(self, name: str) -> Callable[[], Judge]:
        """With the reranker and the judge of the settings: the registered one, or that of the settings with the
        reason."""
        if name not in self._judges or self.loads.due(name):
            self._judges[name] = self._loaded(name)
        return self._judges[name]

    def _loaded(self, name: str) -> Callable[[], Judge]:
        if not name:
            return Lazy(lambda: judge_of_settings(self.settings))

        def load() -> Judge:
            weights = reranker_weights(self.settings)
            return Judge(registered_evaluator(self.settings, self.store.get(name), weights), name)

        judge = self.loads.load(name, load)
        if judge is not None:
            return lambda: judge
        return self._judges.get(name) or Lazy(lambda: judge_of_settings(self.settings, f" ({unusable(name)})"))
