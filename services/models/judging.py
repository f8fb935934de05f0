"""How the evaluator that serves judges what the readers of a question find today."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from indexers.reader import LiveIndex
from vouch.access import Permissions
from vouch.correction.components import Components
from vouch.correction.loop import evaluate
from vouch.retrieval.candidate import Candidate
from vouch.retrieval.listing import as_list
from vouch.retrieval.query import form_query
from vouch.retrieval.ranking import rank


@dataclass(frozen=True)
class Judging:
    """Ranks and judges as for an answer; nothing is written, stored or sent."""

    components: Callable[[], Components]
    index: LiveIndex
    permissions: Callable[[], Permissions]

    def judged(self, question: str, tags: Sequence[str]) -> Sequence[Candidate]:
        """With evidence and probability. Raises BadAccess for a tag that names no reader."""
        audience = self.permissions().directory.audience(tags)
        self.index.follow()
        c = self.components()
        query = as_list(form_query(question, c.analyser), c.analyser)
        recipe, view = c.recipes.of(query), c.index.view(audience)
        ranked = rank(view, query, c.ranking_models, recipe.ranking, near=recipe.places)
        return evaluate(view, c, query, ranked.candidates[: recipe.ranking.rerank])[1]
