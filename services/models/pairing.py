"""Which reranker and evaluator were trained together, and why one of them is not promoted without the other."""

from collections.abc import Mapping
from dataclasses import dataclass

from services.models.model_rows import scores_of
from vouch.adapters.ledger import RegisteredModel
from vouch.adapters.ledger.registry.going_back import OTHER, Fits, pair
from vouch.adapters.ledger.registry.model_rows import CANDIDATE, EVALUATOR, RERANKER
from vouch.adapters.ledger.registry.models import Models
from vouch.errors import Usage
from vouch.ports.reranker import MAXSIM


@dataclass(frozen=True)
class Pairing:
    models: Models
    fits: Fits

    def together(self, model: RegisteredModel) -> list[str]:
        """The candidates that it was trained with, or that were trained with it, oldest first."""
        if model.kind not in OTHER:
            return []
        mine = scores_of(model)
        if model.kind == EVALUATOR and mine == MAXSIM:
            return [MAXSIM]
        others = self.models.list(OTHER[model.kind])
        return [one.name for one in others if one.state == CANDIDATE and scores_of(one) == mine]

    def other(self, model: RegisteredModel, beside: str) -> str:
        """The kind of what is to serve beside it. Raises NotFound, and Usage for what does not serve beside it."""
        other = OTHER.get(model.kind)
        if other is None:
            raise Usage(f"a {model.kind} serves with any reranker and evaluator", cure="leave out --with")
        if not (other == RERANKER and beside == MAXSIM) and self.models.head(beside).kind != other:
            raise Usage(f"{beside} is no {other}", cure=f"name one: vouch models list --kind {other}")
        return other

    def refuse_apart(self, model: RegisteredModel, after: Mapping[str, str | None]) -> None:
        """Raises Usage where `after`, by kind what would serve, is a pair that does not fit and nobody would use."""
        if model.kind not in OTHER:
            return
        if why := self.fits.apart(*pair(after)):
            raise Usage(f"{model.name} cannot serve with the {OTHER[model.kind]} that would serve: {why}",
                        cure=self._cure(model))

    def _cure(self, model: RegisteredModel) -> str:
        fitting = self.together(model)
        if fitting:
            return f"promote both at once: vouch models promote {model.name} --with {fitting[-1]}"
        if model.kind == RERANKER:
            return ("train an evaluator with it (VOUCH_RERANKER__MODEL=FOLDER vouch train evaluator), add that, "
                    f"then: vouch models promote {model.name} --with EVALUATOR")
        return f"add its reranker (vouch models add FOLDER), then: vouch models promote {model.name} --with RERANKER"
