"""Trains an evaluator from questions with known answers, over the version that is served. Nothing is stored or sent."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from indexers.reader import LiveIndex
from services.models.evaluation import check_reader
from vouch.access import PUBLIC, Permissions
from vouch.correction.components import Components
from vouch.correction.judging import JUDGED, describe, scored
from vouch.learning.collections.golden import GoldenQuestion
from vouch.learning.evaluator.calibration import Costs
from vouch.learning.evaluator.questions_training import AskedList, asked_list, train_from_questions
from vouch.learning.models.evaluator_model import EvaluatorModel
from vouch.ports.reranker import Reranker
from vouch.retrieval.query import form_query
from vouch.retrieval.ranking import rank

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class EvaluatorTraining:
    """`judge` reads the passages, if there is one. `fingerprints`: of all that the scores depend on."""

    components: Callable[[], Components]
    judge: Callable[[], Reranker | None]
    index: LiveIndex
    permissions: Callable[[], Permissions]
    fingerprints: Mapping[str, str]
    costs: Costs

    def run(
        self, questions: Sequence[GoldenQuestion], readers: Mapping[str, str], data: Sequence[str], today: date,
        progress: Progress,
    ) -> EvaluatorModel:  # fmt: skip
        """Raises NotFound for a reader nobody knows, BadInput for too few questions."""
        directory = self.permissions().directory
        for tag in readers.values():
            check_reader(directory, tag)
        self.index.follow()
        lists = []
        for done, question in enumerate(questions):
            progress("search", done, len(questions))
            lists.append(self._asked(question, readers.get(question.corpus, PUBLIC)))
        return train_from_questions(lists, self.costs, data=data, fingerprints=self.fingerprints, today=today)

    def _asked(self, question: GoldenQuestion, tag: str) -> AskedList:
        c = self.components()
        how = c.recipes.facts.ranking
        view = c.index.view(self.permissions().directory.audience([tag]))
        query = form_query(question.text, c.analyser)
        found = scored(c.reranker, query, rank(view, query, c.ranking_models, how).candidates[: how.rerank])
        judge = self.judge()
        return asked_list(question, describe(view, c, query, found if judge is None else found[:JUDGED], judge))
