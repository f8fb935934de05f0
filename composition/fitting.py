"""Whether registered models can be used with the settings, and which reranker and evaluator fit each other."""

from dataclasses import dataclass

from composition.loads import DOWN
from composition.models import load_evaluator, reranker_weights
from composition.registered import check_registered, registered_evaluator, registered_reranker
from vouch.adapters.ledger.registry.models import Models
from vouch.errors import VouchError
from vouch.settings import Settings


@dataclass(frozen=True)
class Fitting:
    """Implements `Fits`, for the registry that `store` is. A ledger that is down says nothing about a model: raised."""

    settings: Settings
    store: Models

    def unusable(self, name: str) -> str:
        """Why the model cannot be used with these settings; empty if it can."""
        try:
            check_registered(self.settings, self.store.get(name))
        except DOWN:
            raise
        except VouchError as error:
            return error.cause
        return ""

    def apart(self, reranker: str | None, evaluator: str | None) -> str:
        """Why these two must not serve together; empty if they may. None: that of the settings."""
        try:
            self._check(reranker, evaluator)
        except DOWN:
            raise
        except VouchError as error:
            return error.cause
        return ""

    def _check(self, reranker: str | None, evaluator: str | None) -> None:
        """A reranker that the settings name wins over a registered one."""
        if reranker is None or self.settings.reranker.model:
            weights = reranker_weights(self.settings)
        else:
            weights = registered_reranker(self.settings, self.store.get(reranker)).weights
        if evaluator is None:
            load_evaluator(self.settings, weights)
        else:
            registered_evaluator(self.settings, self.store.get(evaluator), weights)
