"""The first search of a question, the same for answers and for all that is measured of them: its candidates with what
speaks for them, and the evaluator's verdict on them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from vouch.correction.codes import held_to_codes
from vouch.correction.components import Components, QuestionKind
from vouch.correction.evaluation import Verdict, judge
from vouch.documents.chunk import model_input
from vouch.ports.index import View
from vouch.ports.models import MAXSIM, Reranker
from vouch.retrieval.evidence_features import USUAL_MAXSIM, evidence_features
from vouch.retrieval.named_rows import named_first
from vouch.retrieval.question.listing import as_list
from vouch.retrieval.question.query import form_query
from vouch.retrieval.ranking import Ranked, Stage, rank, untimed
from vouch.retrieval.recipe.reranking import ENGINES, joined_scores
from vouch.values.candidate import Candidate
from vouch.values.question import Query

JUDGED = 8                              # passages that the judge reads; docs/models/judge.md says why no more
SAID = 0.5                              # what its log-odds count beside the ranking's standardised scores


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


def evaluate(
    view: View, c: Components, query: Query, candidates: Sequence[Candidate], most: int
) -> tuple[Verdict, list[Candidate]]:
    """The verdict on the reranked candidates, which now carry features and probability.

    Where there is a judge it reads the first `most`; the others stay as they
    are. Where `most` is 0, the evaluator that needs no judge weighs all. What
    is far from this one's threshold as well is off the topic, and never more
    than ambiguous: a judge learned to tell answers from near misses, not from
    anything.
    """
    candidates = scored(c.reranker, query, candidates)
    if c.judge is None or not most:
        evaluator = c.evaluator if c.judge is None else c.unjudged or c.evaluator
        verdict, judged = judge(evaluator, query.text, describe(view, c, query, candidates))
        return held_to_codes(query.text, verdict, judged), judged
    read = describe(view, c, query, candidates[:most], c.judge)
    verdict, judged = judge(c.evaluator, query.text, read)
    if c.unjudged is not None and read:
        topic, _ = judge(c.unjudged, query.text, read)
        if not topic.has_nearest:
            verdict = verdict.off_topic(f"what was found is about something else: {topic.reason}")
    verdict = held_to_codes(query.text, verdict, judged)
    ordered = in_joint_order(judged, candidates, c.kinds.of(query).ranking.engines)
    return verdict, named_first(query.text, [*ordered, *candidates[most:]])


def in_joint_order(
    judged: Sequence[Candidate], candidates: Sequence[Candidate], engines: float = ENGINES
) -> list[Candidate]:  # fmt: skip
    """What the judge read, by the scores that ranked it and, times `SAID`, the log-odds of the judge; ties as given.

    `candidates`: all that were ranked, the judged ones first. A recipe decides what is read, and not in which order.
    """
    ranked = joined_scores([one.rerank_score for one in candidates], candidates, engines)
    whole = [score + SAID * (one.features or {}).get("judge", 0.0) for score, one in zip(ranked, judged, strict=False)]
    return [judged[n] for n in sorted(range(len(judged)), key=lambda n: -whole[n])]


def scored(reranker: Reranker, query: Query, candidates: Sequence[Candidate]) -> Sequence[Candidate]:
    """With the reranker's scores, in the same order: a recipe may have put them in order without it."""
    unread = [one for one in candidates if one.rerank_score is None]
    if not unread:
        return candidates
    texts = [model_input(one.passage.section, one.passage.text, one.passage.header) for one in unread]
    scores = iter(reranker.scores([(query.text, text) for text in texts]))
    return [replace(one, rerank_score=next(scores)) if one.rerank_score is None else one for one in candidates]


def describe(
    view: View, c: Components, query: Query, candidates: Sequence[Candidate], judge_model: Reranker | None = None
) -> list[Candidate]:
    """With their features; `judge_model`: it reads them too."""
    texts = [model_input(one.passage.section, one.passage.text, one.passage.header) for one in candidates]
    said = judge_model.scores([(query.text, text) for text in texts]) if judge_model is not None else ()
    statistics = view.statistics(query.terms)
    usual = USUAL_MAXSIM if c.reranked_with == MAXSIM else None
    features = evidence_features(query.text, query.terms, statistics, candidates, c.analyser.terms, said, usual)
    return [replace(one, features=found) for one, found in zip(candidates, features, strict=True)]
