"""The candidates of a question as one audience would find them today, with their features."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from flows.shared.reporting import Progress
from flows.training.kept_searches import Keeper
from vouch.access import PUBLIC, Permissions
from vouch.access_check.directory import asked_in_vain
from vouch.errors import NotFound
from vouch.learning.collections.golden import GoldenQuestion, asker_of, relevance
from vouch.learning.training.fusion_training import JudgedCandidates, describe, group_of
from vouch.learning.training.label_places import Row
from vouch.ports.index import Index, View
from vouch.ports.models import Analyser, Encoder
from vouch.retrieval.fusion import ReciprocalRanks, fuse
from vouch.retrieval.fusion_features import FEATURE_NAMES, FEATURE_SCHEMA, feature_vectors
from vouch.retrieval.hits import retrieve
from vouch.retrieval.question.query import form_query
from vouch.values.candidate import Candidate
from vouch.values.question import Query


@dataclass(frozen=True)
class Finder:
    """`top` hits are taken from each engine. The encoder is loaded by the first search."""

    index: Index
    permissions: Callable[[], Permissions]
    encoder: Callable[[], Encoder]
    analyser: Analyser
    top: int

    def find(self, question: str, tags: Sequence[str]) -> tuple[View, Query, Sequence[Candidate]]:
        """What both engines find, in the order of reciprocal ranks."""
        view = self.index.view(self.permissions().directory.audience(tags))
        query = form_query(question, self.analyser)
        hits = retrieve(view, self.encoder(), query, self.top)
        return view, query, fuse(view, query, hits, ReciprocalRanks()).candidates

    def stamp(self, tags: Sequence[str]) -> str:
        """Of the index, the permissions and the readers, as they are at this moment."""
        audience = self.permissions().directory.audience(tags)
        view = self.index.view(audience)
        return f"{view.version} {view.epoch} {audience.digest} {self.top}"

    def rows(self, question: str, tags: Sequence[str]) -> list[Row]:
        """What is found, as the ledger would keep it with an answer."""
        view, query, found = self.find(question, tags)
        features = feature_vectors(query, found, view.statistics(query.terms), self.analyser)
        return [
            {"chunk_id": c.chunk_id, "text_hash": c.passage.text_hash, "schema": FEATURE_SCHEMA, "features": values}
            for c, values in zip(found, features, strict=True)
        ]


def golden_candidates(
    finder: Finder, questions: Sequence[GoldenQuestion], readers: Mapping[str, str], progress: Progress,
    keeper: Keeper = Keeper(),  # noqa: B008  (it keeps nothing)
) -> Iterator[JudgedCandidates]:  # fmt: skip
    """Per answerable question what both engines find; a passage is relevant if it holds a quotation of the question's.

    Each question finds only what its reader may read: that of its corpus in `readers`, or its own, or the public.
    Raises NotFound for a reader nobody knows.
    """
    asked = [(golden, [asker_of(golden, readers)]) for golden in questions if golden.gold]
    for tag in dict.fromkeys([*readers.values(), *(tag for _, (tag,) in asked)]):
        if cause := asked_in_vain(finder.permissions().directory, tag):
            raise NotFound(cause, cure="name a reader of the directory")
    names = [repr(pair) for pair in asked]
    with keeper.of("golden", names, partial(finder.stamp, [PUBLIC])) as cache:
        for done, (name, (question, tags)) in enumerate(zip(names, asked, strict=True), 1):
            search = partial(_golden, finder, question, tags)
            yield cache.value(name, partial(finder.stamp, tags), search, _packed, partial(_unpacked, finder, question))
            progress(cache.stage, done, len(asked))


def _golden(finder: Finder, question: GoldenQuestion, tags: Sequence[str]) -> JudgedCandidates:
    view, query, candidates = finder.find(question.text, tags)
    relevant = relevance(question, [c.passage for c in candidates])
    return describe(view, query, candidates, [c.chunk_id for c in candidates], relevant, finder.analyser)


def _packed(one: JudgedCandidates) -> list[Any]:
    """Without the words of the question."""
    return [one.matrix.tolist(), list(one.reciprocal), list(one.items), dict(one.relevance)]


def _unpacked(finder: Finder, question: GoldenQuestion, kept: Sequence[Any]) -> JudgedCandidates:
    rows, reciprocal, items, relevance = kept
    matrix = np.array(rows, dtype=np.float64).reshape(len(items), len(FEATURE_NAMES))
    return JudgedCandidates(group_of(form_query(question.text, finder.analyser)), matrix, reciprocal, items, relevance)
