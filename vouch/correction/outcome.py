"""What a question leaves behind: its answer, its candidates as the ledger keeps them, the times of its stages."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from vouch.answering.answer import Answer
from vouch.answering.verification.citations import Verified
from vouch.correction.progress import Listener
from vouch.ports.language import Evidence
from vouch.retrieval.fusion_features import FEATURE_SCHEMA
from vouch.trace import span
from vouch.values.candidate import Candidate

NO_SCHEMA = 0                           # of a candidate without features


@dataclass(frozen=True, slots=True)
class Outcome:
    """`given`: ids of all chunks whose words the answer may hold, or that its numbers were made from.

    Each must still be visible when it is sent.
    """

    answer: Answer
    candidates: list[dict[str, Any]]
    given: tuple[str, ...]
    steps: Sequence[dict[str, Any]] = ()    # further ones, as the ledger keeps them


class Stopwatch:
    """Milliseconds by stage; each is a span of the question's trace too, and told to the listener."""

    def __init__(self, listener: Listener | None = None) -> None:
        self._listener = listener
        self._started = time.perf_counter()
        self._stages: dict[str, float] = {}

    @contextmanager
    def __call__(self, stage: str) -> Iterator[Callable[[int], None]]:
        before = time.perf_counter()
        if self._listener is not None:
            self._listener.stage(stage)
        with span(stage):
            yield partial(self._counted, stage)
        self._stages[stage] = round((time.perf_counter() - before) * 1000, 2)

    def _counted(self, stage: str, number: int) -> None:
        if self._listener is not None:
            self._listener.counted(stage, number)

    def timings_ms(self) -> dict[str, float]:
        return {**self._stages, "total": round((time.perf_counter() - self._started) * 1000, 2)}


def only_by_steps(first: Sequence[Candidate], walked: Sequence[Candidate]) -> list[Candidate]:
    """Those that the first search did not find, without the ranks and scores that they have for other words."""
    known = {one.chunk_id for one in first}
    return [
        Candidate(one.passage, probability=one.probability, features=one.features)
        for one in walked if one.chunk_id not in known
    ]


def candidate_rows(
    ranked: Sequence[Candidate],
    pooled: Sequence[Candidate],
    vectors: Sequence[dict[str, float]],
    evidence: Sequence[Evidence],
    verified: Verified,
) -> list[dict[str, Any]]:
    """One JSON-ready row per candidate in final order, with its place at each stage.

    `vectors` belong to `pooled`, the order before reranking. `position`
    counts from 1 in final order, `shown` is the evidence number the writer
    saw, `cited` says whether the answer quotes it. Who is not in `pooled` has
    no features, of no schema.
    """
    vector = {c.chunk_id: v for c, v in zip(pooled, vectors, strict=True)}
    shown = {piece.passage.chunk_id: piece.number for piece in evidence}
    cited = {citation.passage.chunk_id for citation in verified.citations}
    return [
        {
            "chunk_id": c.chunk_id,
            "text_hash": c.passage.text_hash,
            "lexical_score": c.lexical_score,
            "lexical_rank": c.lexical_rank,
            "dense_score": c.dense_score,
            "dense_rank": c.dense_rank,
            "fused_score": c.fused_score,
            "fused_rank": c.fused_rank,
            "expansion": c.expansion,
            "seed": c.seed,
            "rerank_score": c.rerank_score,
            "rerank_rank": c.rerank_rank,
            "evidence": dict(c.features),
            "probability": c.probability,
            "position": position,
            "shown": shown.get(c.chunk_id),
            "cited": c.chunk_id in cited,
            "schema": FEATURE_SCHEMA if c.chunk_id in vector else NO_SCHEMA,
            "features": vector.get(c.chunk_id, {}),
        }
        for position, c in enumerate(ranked, 1)
    ]


ORDER = ("retrieve", "fuse", "expand", "rerank", "evaluate", "steps", "outside", "refine", "pack", "write", "verify")


class StageTime(NamedTuple):
    """Milliseconds; `since`: from the beginning."""

    stage: str
    since: float
    ms: float


def waterfall(timings_ms: Mapping[str, float]) -> list[StageTime]:
    """Each stage begins where the one before ended; what lies between them and the total is the last, `other`."""
    place = {name: number for number, name in enumerate(ORDER)}
    stages = sorted((name for name in timings_ms if name != "total"), key=lambda name: place.get(name, len(ORDER)))
    found, reached = [], 0.0
    for name in stages:
        found.append(StageTime(name, round(reached, 2), timings_ms[name]))
        reached += timings_ms[name]
    rest = round(timings_ms.get("total", reached) - reached, 2)
    return [*found, StageTime("other", round(reached, 2), rest)] if rest > 0 else found
