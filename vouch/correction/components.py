"""What the corrective loop works with: its machines, and how questions of each kind are answered."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from vouch.access import Label
from vouch.answering.confidence import Form
from vouch.answering.packing import PLAIN, Packing
from vouch.answering.quoting.listing import LeftOut
from vouch.answering.refinement import NOTHING, Refined
from vouch.answering.verification.citations import Support, Verified
from vouch.correction.evaluation import Verdict
from vouch.correction.planning.limits import Limits
from vouch.correction.planning.planners import SHIPPED, Actor
from vouch.ports.index import Index
from vouch.ports.language import Completer, Draft, Evidence, Planner, Suggester, Writer
from vouch.ports.models import Analyser, Encoder, Evaluator, Reranker
from vouch.ports.web import WebPlanner, WebSearch
from vouch.retrieval.ranking import Ranking
from vouch.retrieval.recipe.step import RankingModels
from vouch.values.candidate import Candidate
from vouch.values.made_by import RULES
from vouch.values.question import Query, Question


@dataclass(frozen=True, slots=True)
class Outside:
    """`readers`: whom it serves, every one of an audience. `surfaces`: where it is asked; None means anywhere."""

    search: WebSearch
    readers: Label
    surfaces: frozenset[str] | None = None
    passages: int = 5

    def serves(self, question: Question) -> bool:
        where = question.outside and (self.surfaces is None or question.surface in self.surfaces)
        return where and question.current_audience().may_read(self.readers)


class QuestionKind(Protocol):
    """How questions of one kind are answered: how they are searched, what is quoted, and in which words."""

    @property
    def name(self) -> str:
        """As answers tell it; empty for the default."""
        ...

    @property
    def ranking(self) -> Ranking: ...

    @property
    def places(self) -> int:
        """How many passages, or documents of a list, an answer is made from at most."""
        ...

    @property
    def evidence_tokens(self) -> int:
        """What the evidence may fill."""
        ...

    @property
    def judged(self) -> int:
        """How many passages the judge reads, where there is one."""
        ...

    def choose(
        self, verdict: Verdict, query: Query, judged: Sequence[Candidate], components: "Components",
        found_by: Mapping[str, str] = NOTHING, room: int = 0,
    ) -> list[Refined]:  # fmt: skip
        """The passages to answer from, once the verdict is that some hold an answer.

        `found_by`: what further steps brought, by chunk id, with the words that they searched for. `room`: for how
        many passages beyond its `places` there is a place.
        """
        ...

    def write(self, verdict: Verdict, query: Query, evidence: Sequence[Evidence], components: "Components") -> Draft:
        """From evidence, of which there is some."""
        ...

    def left_out(
        self, verdict: Verdict, query: Query, judged: Sequence[Candidate], fused: Sequence[Candidate],
        verified: Verified, components: "Components",
    ) -> LeftOut | None:  # fmt: skip
        """What of all that was found the answer has no place for; None for questions that do not want all."""
        ...


@dataclass(frozen=True, slots=True)
class QuestionKinds:
    facts: QuestionKind
    lists: QuestionKind

    def of(self, query: Query) -> QuestionKind:
        return self.lists if query.lists else self.facts


@dataclass(frozen=True, slots=True)
class Components:
    index: Index
    encoder: Encoder
    reranker: Reranker                  # puts passages in order
    closeness: Reranker                 # scores parts of passages, on the scale that refining and quoting are fitted to
    evaluator: Evaluator
    writer: Writer
    fallback: Writer                    # writes when `writer` is down
    analyser: Analyser
    count_tokens: Callable[[str], int]
    clock: Callable[[], datetime]
    kinds: QuestionKinds
    reranked_by: str = ""               # what answers call the reranker
    reranked_with: str = ""             # whose scores they are: `reranked_by` may tell a reason, too
    judged_by: str = ""                 # what answers call the evaluator, where it is not its fingerprint
    outside: Outside | None = None        # None: the web is never asked
    planner: Planner | None = None        # None: the rules
    suggester: Suggester | None = None    # None: the rules suggest what recipes search for besides the question
    completer: Completer | None = None    # None: the rules complete follow-ups
    actor: Actor = SHIPPED              # what the rules go by, and what a planner that is a model is told
    planned_by: str = RULES             # what answers call the rules
    web_planner: WebPlanner | None = None       # None: rules; it is told nothing of the documents
    steps: Limits = field(default_factory=Limits)       # of a question that may take further ones
    judge: Reranker | None = None       # reads question and passage together; None: the evaluator does not weigh it
    read_by: str = ""                   # what answers call the judge
    web_judged: int = 0                 # passages of the web that the judge reads; it learned from companies' documents
    unjudged: Evaluator | None = None   # takes the evaluator's place where the judge reads nothing
    support: Support = field(default_factory=Support)   # what a language model's sentences need
    packing: Packing = PLAIN            # how evidence is packed for the writer
    confidence: Form = "product"
    swap_rate: float = 0.0              # share of questions for which two neighbors change places

    @property
    def judge_name(self) -> str:
        return self.judged_by or self.evaluator.fingerprint

    @property
    def ranking_models(self) -> RankingModels:
        return RankingModels(self.encoder, self.reranker, self.analyser, self.suggester)
