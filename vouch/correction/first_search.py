"""The first search of a question and the verdict on it, the same for answers and for all that is measured of them."""

from dataclasses import dataclass

from vouch.correction.components import Components, QuestionKind
from vouch.correction.evaluation import Verdict
from vouch.correction.judging import evaluate
from vouch.ports.index import View
from vouch.retrieval.question.listing import as_list
from vouch.retrieval.question.query import form_query
from vouch.retrieval.ranking import Ranked, Stage, rank, untimed
from vouch.values.candidate import Candidate
from vouch.values.question import Query


@dataclass(frozen=True, slots=True)
class FirstSearch:
    query: Query
    kind: QuestionKind
    ranked: Ranked
    verdict: Verdict
    judged: list[Candidate]


def first_search(view: View, c: Components, text: str, stage: Stage = untimed) -> FirstSearch:
    """As questions of its kind are searched for."""
    query = as_list(form_query(text, c.analyser), c.analyser)
    kind = c.kinds.of(query)
    ranked = rank(view, query, c.ranking_models, kind.ranking, near=kind.places, stage=stage)
    with stage("evaluate") as likely:
        verdict, judged = evaluate(view, c, query, ranked.candidates[: kind.ranking.rerank], kind.judged)
        likely(sum((candidate.probability or 0.0) >= verdict.thresholds[0] for candidate in judged))
    return FirstSearch(query, kind, ranked, verdict, judged)
