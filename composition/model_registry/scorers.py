"""Which reranker serves with which evaluator: a pair that was trained together, or what serves without a registry."""

from collections.abc import Callable
from dataclasses import dataclass, field

from composition.lazy import Lazy
from composition.model_registry.registered import Kept, Loads, registered_evaluator, registered_reranker, unusable
from composition.model_registry.serving import Judge, Scorers, judge_of_settings, scorers_of_settings
from composition.models import load_kept_reranker, reranker_weights
from vouch.adapters.ledger.registry.models import Models
from vouch.ports.models import Reranker
from vouch.settings import Settings

_Names = tuple[str, str]                # of reranker and evaluator; empty: that of the settings


class ScorerSet:
    """`judge` is known without loading anything. `kept` None: the reranker of the settings.

    Where the reranker turns out not to load, `instead` serves, whole, and the set has `failed`.
    """

    def __init__(
        self, settings: Settings, loads: Loads, kept: Kept | None, judge: Callable[[], Judge],
        instead: Callable[[], Scorers],
    ) -> None:  # fmt: skip
        self.kept, self.judge, self.failed = kept, judge, False
        self._settings, self._loads, self._instead = settings, loads, instead
        self._made = Lazy(self._load)

    def __call__(self) -> Scorers:
        return self._made()

    def _load(self) -> Scorers:
        kept = self.kept
        if kept is not None:
            made = self._loads.load(kept.name, lambda: self._loaded(kept))
            if made is not None:
                return Scorers(made, kept.name, self.judge())
            self.failed = True
        return self._instead()

    def _loaded(self, kept: Kept) -> Reranker:
        return load_kept_reranker(self._settings, kept.folder, kept.weights)


@dataclass
class ScorerSets:
    """Made once, and again where one of the two could not be loaded a minute ago."""

    settings: Settings
    store: Models
    loads: Loads
    _sets: dict[_Names, ScorerSet] = field(default_factory=dict)
    _judges: dict[str, Callable[[], Judge]] = field(default_factory=dict)

    def of(self, reranker: str, evaluator: str) -> ScorerSet:
        """Raises LedgerDown or Busy."""
        names = reranker, evaluator
        known = self._sets.get(names)
        if known is None or any(map(self.loads.due, names)):
            made = self._made(reranker, evaluator)
            if known is None or known.failed or (made.kept, made.judge) != (known.kept, known.judge):
                self._sets[names] = made
        return self._sets[names]

    def forget_all_but(self, reranker: str, evaluator: str) -> None:
        self._sets = {names: made for names, made in self._sets.items() if names == (reranker, evaluator)}
        self._judges = {name: made for name, made in self._judges.items() if name == evaluator}

    def _made(self, reranker: str, evaluator: str) -> ScorerSet:
        pair = self.loads.load(reranker, lambda: self._pair(reranker, evaluator)) if reranker else None
        why = f" ({unusable(reranker)})" if reranker else ""

        if pair is None:
            judge = self._judge(evaluator)
            return ScorerSet(self.settings, self.loads, None, judge,
                             lambda: scorers_of_settings(self.settings, judge(), why))
        kept_reranker, judge = pair
        known = self._sets.get((reranker, evaluator))
        if known is not None and known.kept == kept_reranker:
            judge = known.judge
        return ScorerSet(self.settings, self.loads, kept_reranker, judge,
                         lambda: scorers_of_settings(self.settings, self._judge(evaluator)(), why))

    def _pair(self, reranker: str, evaluator: str) -> tuple[Kept, Callable[[], Judge]]:
        """Raises for a reranker that cannot be used, and for one that the evaluator was not trained with."""
        kept = registered_reranker(self.settings, self.store.get(reranker))
        if not evaluator:
            judge = judge_of_settings(self.settings, reranked_with=kept.weights)
        else:
            row = self.store.get(evaluator)
            judge = Judge(registered_evaluator(self.settings, row, kept.weights), evaluator)
        return kept, lambda: judge

    def _judge(self, name: str) -> Callable[[], Judge]:
        """With the reranker of the settings: the registered one, or that of the settings with the reason."""
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
