"""Where passages are found: an index, one version of it as an audience sees it, and what fuses its lists."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from vouch.access import Audience
from vouch.filters import EVERYTHING, Filters
from vouch.ports.models import Vector
from vouch.values.candidate import Candidate, Hit, Listed, Passage, Statistics
from vouch.values.question import Query


class View(Protocol):
    """One pinned version as one audience sees it. Nothing in it tells of rows the audience may not read."""

    @property
    def version(self) -> int: ...

    @property
    def epoch(self) -> int: ...

    @property
    def notes(self) -> tuple[str, ...]:
        """What whoever reads results of this view must be told: where the promise about permissions does not hold."""
        ...

    def narrowed(self, filters: Filters) -> "View":
        """The same version under the same permissions, with what `filters` leave of this view; none where they name
        owners, which a view does not know."""
        ...

    def lexical(self, terms: Sequence[str], top: int) -> list[Hit]:
        """BM25 over the visible rows, best first, ties by chunk id, scores > 0 only."""
        ...

    def dense(self, vector: Vector, top: int) -> list[Hit]:
        """Exact inner product over the visible rows, best first, ties by chunk id."""
        ...

    def statistics(self, terms: Iterable[str]) -> Statistics: ...

    def passages(self, chunk_ids: Sequence[str]) -> list[Passage]:
        """In the order asked. Raises Denied for an id that is unknown or not visible, without telling which."""
        ...

    def starting(self, digits: str) -> list[str]:
        """Ids of visible chunks that begin with these hex digits, in order."""
        ...

    def around(self, chunk_id: str, before: int, after: int) -> list[str]:
        """Ids of the chunk's neighbors in its document, in document order, itself left out."""
        ...

    def of_document(self, source: str, path: str) -> list[str]:
        """Ids of the visible chunks of the document there, in document order; none if it is unknown or hidden."""
        ...

    def documents(self, after: tuple[str, str], most: int) -> list[Listed]:
        """The first visible documents beyond that source and path, in order of both; what has no words is none."""
        ...

    def same_section(self, chunk_id: str) -> list[str]:
        """Ids of the chunks with the same section path in its document, itself left out, in document order."""
        ...


class Readable(NamedTuple):
    """What readers who were named may read, who they were found to be, and the view of that moment."""

    chunk_ids: set[str]
    audience: Audience
    view: View


class Index(Protocol):
    """The current version and the current permissions, looked up anew at every call."""

    def view(self, audience: Audience, filters: Filters = EVERYTHING) -> View:
        """What `audience` may read, narrowed by `filters`: the rest counts for nothing, as if it were not there."""
        ...

    def visible(self, audience: Audience, chunk_ids: Sequence[str]) -> set[str]:
        """Those of `chunk_ids` that the audience may read in the current version under current permissions."""
        ...

    def visible_to(self, readers: Sequence[str], chunk_ids: Sequence[str]) -> Readable:
        """Those of `chunk_ids` that all of these readers, named by their access tags, may read: rules and memberships
        are those of one moment, looked up once."""
        ...

    def has_version(self) -> bool:
        """Whether there is a version; once there was one there always is. Nobody's permissions are looked up for that.
        Raises what a look at it raises."""
        ...


Look = Callable[[], Statistics]
"""Asks for the statistics of the query's terms over what its audience may see. Only who needs them asks."""


@dataclass(frozen=True, slots=True)
class Contribution:
    """What one feature adds to a candidate's score: weight · (value − mean) / deviation.

    `weight`, `mean` and `deviation` are a model's; None where there is none, as in ranks.
    """

    feature: str
    value: float
    adds: float
    weight: float | None = None
    mean: float | None = None
    deviation: float | None = None


class Fusion(Protocol):
    """Sees the ranks and scores that a candidate has from both engines, and its passage."""

    @property
    def name(self) -> str:
        """Which one it is, as answers name it."""
        ...

    def scores(self, query: Query, candidates: Sequence[Candidate], look: Look) -> Sequence[float]:
        """One score per candidate, higher is better."""
        ...

    def explain(self, query: Query, candidates: Sequence[Candidate], look: Look) -> Sequence[Sequence[Contribution]]:
        """Per candidate what its score is made of; the sum differs from the score by the same number for all."""
        ...
