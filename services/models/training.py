"""Trainings that people ask for: of the evaluator, and of the fusion by questions or by labels."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Any

from flows.shared.reporting import Progress
from flows.training.finding import Finder, golden_candidates
from flows.training.promotion import Advanced, Registrar
from flows.training.retraining import Trained, TrainingComponents, train
from flows.training.whole_training import train_and_advance
from indexers.live_index import LiveIndex
from services.answering.search import SearchService
from services.models.evaluation import check_reader
from vouch.access import PUBLIC, Permissions
from vouch.adapters.ledger.registry.model_rows import CANDIDATE, FUSION
from vouch.correction.components import Components
from vouch.correction.judging import JUDGED, describe, scored
from vouch.errors import NothingToLearn
from vouch.learning.collections.golden import GoldenQuestion
from vouch.learning.evaluator.calibration import Costs
from vouch.learning.evaluator.questions_training import AskedList, asked_list, train_from_questions
from vouch.learning.models.evaluator_model import EvaluatorModel
from vouch.learning.models.fusion_model import CURE, WHAT, FusionModel
from vouch.learning.models.model_file import check_place, parse_body, write_model
from vouch.learning.training.fusion_training import JudgedCandidates
from vouch.ports.models import Reranker
from vouch.retrieval.question.query import form_query
from vouch.retrieval.ranking import rank


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
        how = c.kinds.facts.ranking
        view = c.index.view(self.permissions().directory.audience([tag]))
        query = form_query(question.text, c.analyser)
        found = scored(c.reranker, query, rank(view, query, c.ranking_models, how).candidates[: how.rerank])
        judge = self.judge()
        return asked_list(question, describe(view, c, query, found if judge is None else found[:JUDGED], judge))


BY = "vouch train fusion"


@dataclass(frozen=True)
class RetrainingService:
    """Where people promote, a training changes nothing but the registry; where vouch does, it goes on as the weekly
    flow."""

    components: TrainingComponents
    registrar: Registrar
    clock: Callable[[], datetime]

    def train(self, seed: int, out: Path | None, progress: Progress) -> dict[str, Any]:
        """What is registered, with its report, what became of it and what comes `next`; also written to `out`, if that
        is given. Raises NothingToLearn, and what shadows was looked after all the same."""
        if out is not None:
            check_place(out)
        done, after = self._trained(seed, progress)
        if out is not None:
            write_model(parse_body(FusionModel, done.model.body, done.model.name, WHAT, CURE), out)
        went_on = {} if after is None else after.row()
        return {**done.row(), **went_on, "next": self._next(done.model.name, done.model.state)}

    def _trained(self, seed: int, progress: Progress) -> tuple[Trained, Advanced | None]:
        if not self.registrar.automatic:
            return train(self.components, seed, self.clock(), progress=progress), None
        whole = train_and_advance(self.components, self.registrar, seed, self.clock(), progress=progress)
        if isinstance(whole.outcome, NothingToLearn):
            promoted = f"; {whole.after.promoted}, which shadowed, serves now" if whole.after.promoted else ""
            raise NothingToLearn(f"{whole.outcome.cause}{promoted}", cure=whole.outcome.cure)
        return whole.outcome, whole.after

    def _next(self, name: str, state: str) -> list[str]:
        pointer = self.components.ledger.models.pointer(FUSION)
        if state != CANDIDATE or name == pointer.model or (self.registrar.automatic and name == pointer.shadow):
            return []
        steps = [f"vouch models shadow {name}", f"vouch models promote {name}"]
        return steps[1:] if name == pointer.shadow else steps


def judged_candidates(
    search: SearchService, questions: Sequence[GoldenQuestion], readers: Mapping[str, str],
    progress: Callable[[str, int, int], None],
) -> Iterator[JudgedCandidates]:  # fmt: skip
    """Per answerable question what both engines find. Raises NotFound for a reader nobody knows."""
    finder = Finder(search.index, search.permissions, search.encoder, search.analyser, search.ranking.top)
    return golden_candidates(finder, questions, readers, progress)
