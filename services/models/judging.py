"""How the evaluator that serves judges what the readers of a question find today."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from flows.training.two_worlds import Score
from indexers.reader import LiveIndex
from vouch.access import Permissions
from vouch.correction.components import Components
from vouch.correction.judging import evaluate
from vouch.ports.evaluator import Evaluator
from vouch.ports.index import View
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
        return judged_in(c.index.view(audience), c, question)

    def worlds(self, compare: Callable[[Score], tuple[int, int]], evaluator: Evaluator) -> tuple[int, int]:
        """How many probabilities of an evaluator differ between two worlds, and how many were compared."""
        c = replace(self.components(), evaluator=evaluator)
        return compare(lambda view, _, text: [(one.chunk_id, one.probability or 0.0)
                                              for one in judged_in(view, c, text)])


def judged_in(view: View, c: Components, question: str) -> Sequence[Candidate]:
    """What a view shows for a question, ranked and judged."""
    query = as_list(form_query(question, c.analyser), c.analyser)
    recipe = c.recipes.of(query)
    ranked = rank(view, query, c.ranking_models, recipe.ranking, near=recipe.places)
    return evaluate(view, c, query, ranked.candidates[: recipe.ranking.rerank], recipe.judged)[1]
