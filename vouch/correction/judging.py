"""Candidates of a query with what speaks for them, and the evaluator's verdict on them."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from vouch.correction.evaluation import Verdict, judge
from vouch.correction.evidence import evidence_features
from vouch.ports.index import View
from vouch.retrieval.candidate import Candidate
from vouch.retrieval.query import Query

if TYPE_CHECKING:
    from vouch.correction.components import Components


def evaluate(
    view: View, c: "Components", query: Query, candidates: Sequence[Candidate]
) -> tuple[Verdict, list[Candidate]]:
    """The verdict on the reranked candidates, which now carry features and probability."""
    statistics = view.statistics(query.terms)
    features = evidence_features(query.text, query.terms, statistics, candidates, c.analyser.terms)
    described = [replace(one, features=found) for one, found in zip(candidates, features, strict=True)]
    return judge(c.evaluator, query.text, described)
