"""A step of a recipe: its parameters, its place in the search, and what it makes of what was found before it."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Literal, NamedTuple, Protocol, get_args

from pydantic import BaseModel, ConfigDict

from vouch.filters import EVERYTHING, Filters
from vouch.ports.index import Fusion, View
from vouch.ports.language import Suggester
from vouch.ports.models import Analyser, Encoder, Reranker
from vouch.retrieval.hits import Hits
from vouch.values.candidate import Candidate
from vouch.values.question import Query

Phase = Literal["retrieve", "fuse", "expand", "rerank"]
PHASES: tuple[Phase, ...] = get_args(Phase)
"""In the order in which a search goes through them. Between `expand` and `rerank` the sentences that give orders to a
language model are taken out, whatever the recipe."""


@dataclass(frozen=True, slots=True)
class Made:
    """What a step has made that is no passage: `by` whom, and the words it `said`, none where it only chose."""

    step: str
    by: str
    said: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Search:
    """What is known so far. `query` is what is searched for, and `beside` what else is; `asked` stays the question.

    `words_of`: passages whose words are searched for, or have put others in order.
    `scores`: by chunk id, those that the last order was made by.
    """

    asked: Query
    query: Query
    beside: tuple[Query, ...] = ()
    filters: Filters = EVERYTHING
    hits: tuple[Hits, ...] = ()             # of `query`, then of each beside it
    fused: list[Candidate] = field(default_factory=list)
    fused_by: str = ""
    pooled: list[Candidate] = field(default_factory=list)
    candidates: list[Candidate] = field(default_factory=list)
    scores: Mapping[str, float] = field(default_factory=dict)
    made: tuple[Made, ...] = ()
    words_of: tuple[Candidate, ...] = ()


@dataclass(frozen=True, slots=True)
class RankingModels:
    """`suggester`: None where no language model is set; rules suggest then what recipes ask for."""

    encoder: Encoder
    reranker: Reranker
    analyser: Analyser
    suggester: Suggester | None


class Depths(Protocol):
    """How deep a question is searched where a step does not say, and how its lists are fused: see Ranking."""

    @property
    def top(self) -> int: ...

    @property
    def rerank(self) -> int: ...

    @property
    def engines(self) -> float: ...

    @property
    def fusion(self) -> Fusion: ...


class Depth(NamedTuple):
    """How deep a step itself says that the search goes; None: as deep as is set for all."""

    top: int | None = None                  # hits of each engine
    read: int | None = None                 # candidates that the reranker reads


@dataclass(frozen=True, slots=True)
class Bench:
    """What steps work with. A view is all that they see of an index: what its readers may see."""

    view: View
    models: RankingModels
    how: Depths


class Step(BaseModel, ABC):
    """Its fields are its parameters, as a recipe's file writes them. It depends on nothing but `run`'s arguments."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    name: ClassVar[str]
    phase: ClassVar[Phase]

    def depth(self) -> Depth:
        """To be overridden by what retrieves or reranks."""
        return Depth()

    @abstractmethod
    def run(self, search: Search, bench: Bench) -> Search:
        """The search after it. Raises what an index or a model that is away raises."""
