"""Retrieval quality on a BEIR folder, measured through the sources, indices and ranking that serve people."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import numpy as np

from flows.runs.run import ingest_direct
from flows.shared.components import IngestComponents
from flows.shared.reporting import Progress
from indexers.live_index import LiveIndex
from vouch.access import PUBLIC, Directory, Permissions, Rule, RuleBook
from vouch.adapters.data_files.public import Beir, BeirDocument
from vouch.adapters.sources.corpus import CorpusSource, document_id
from vouch.learning.statistics.metrics import bootstrap_interval
from vouch.learning.training.fusion_training import JudgedCandidates, describe
from vouch.ports.index import View
from vouch.ports.models import Analyser, Encoder
from vouch.retrieval.fusion import ReciprocalRanks, fuse
from vouch.retrieval.hits import retrieve
from vouch.retrieval.question.query import form_query
from vouch.retrieval.ranking import Ranking, rank
from vouch.retrieval.recipe.step import RankingModels
from vouch.values.candidate import Candidate

Run = dict[str, dict[str, float]]
EVERYONE = Permissions.settled(1, {"corpus": RuleBook((Rule("**", frozenset({PUBLIC})),))}, Directory())


class Everyone:
    """Permissions of a corpus that everybody may read."""

    def permissions(self) -> Permissions:
        return EVERYONE


def evaluate_retrieval(
    components: IngestComponents,
    models: RankingModels,
    ranking: Ranking,
    data: Beir,
    progress: Progress,
    recipes: Mapping[str, Ranking] | None = None,
) -> dict[str, Any]:
    """Figures per stage over the queries that have judgements. A document ranks by its best chunk.

    The reranker is measured if `ranking` lets it read any candidates. `recipes`: what is searched by instead, each by
    its name; then there are figures of the end of each, with what its steps were made by.
    """
    view = _ingested(components, data, progress)
    if recipes:
        return {"documents": len(data.documents), "queries": len(data.queries),
                "recipes": _of_recipes(view, models, recipes, data, progress)}
    runs: dict[str, Run] = {stage: {} for stage in ("lexical", "dense", "fused", "reranked")}
    for done, (query_id, text) in enumerate(data.queries.items(), 1):
        for stage, scores in _stages(view, models, ranking, text).items():
            runs[stage][query_id] = scores
        progress("search", done, len(data.queries))
    judgements = {query: data.judgements[query] for query in data.queries}
    return {
        "documents": len(data.documents),
        "queries": len(data.queries),
        "stages": {stage: _figures(run, judgements) for stage, run in runs.items() if run},
    }


def _of_recipes(
    view: View, models: RankingModels, recipes: Mapping[str, Ranking], data: Beir, progress: Progress
) -> dict[str, Any]:
    judgements = {query: data.judgements[query] for query in data.queries}
    figures: dict[str, Any] = {}
    for name, ranking in recipes.items():
        run, passage_count, by = Run(), 0, dict[str, Counter[str]]()
        for done, (query_id, text) in enumerate(data.queries.items(), 1):
            ranked = rank(view, form_query(text, models.analyser), models, ranking)
            run[query_id], passage_count = _in_order(ranked.candidates), passage_count + len(ranked.candidates)
            for made in ranked.made:
                by.setdefault(made.step, Counter())[made.by] += 1
            progress(f"search, {name}", done, len(data.queries))
        figures[name] = {**_figures(run, judgements), "passages": round(passage_count / len(data.queries), 2),
                         "made_by": {step: dict(counts) for step, counts in by.items()}}
    return figures


def judged_candidates(
    components: IngestComponents, encoder: Encoder, analyser: Analyser, top: int, data: Beir, progress: Progress
) -> Iterator[JudgedCandidates]:
    """Per judged query the candidates of both engines, `top` of each. Each counts as its document."""
    view = _ingested(components, data, progress)
    for done, (query_id, text) in enumerate(data.queries.items(), 1):
        query = form_query(text, analyser)
        candidates = fuse(view, query, retrieve(view, encoder, query, top), ReciprocalRanks()).candidates
        items = [document_id(c.passage.path) for c in candidates]
        yield describe(view, query, candidates, items, data.judgements[query_id], analyser)
        progress("search", done, len(data.queries))


def _ingested(components: IngestComponents, data: Beir, progress: Progress) -> View:
    index = ingested(components, data.documents, progress)
    return index.view(EVERYONE.directory.audience([PUBLIC], datetime.now(UTC)))


def ingested(components: IngestComponents, documents: Sequence[BeirDocument], progress: Progress) -> LiveIndex:
    """An index of documents that everybody may read."""
    components = replace(components, sources={"corpus": CorpusSource("corpus", documents)})
    ingest_direct(components, ["corpus"], progress=progress, done=lambda report: None)
    return LiveIndex(components.store, Everyone())


def _stages(view: View, models: RankingModels, ranking: Ranking, text: str) -> dict[str, dict[str, float]]:
    ranked = rank(view, form_query(text, models.analyser), models, ranking)
    place = {c.chunk_id: document_id(c.passage.path) for c in ranked.fused}
    stages = {
        "lexical": _best((place[h.chunk_id], h.score) for h in ranked.hits.lexical),
        "dense": _best((place[h.chunk_id], h.score) for h in ranked.hits.dense),
        "fused": _in_order(ranked.fused),
    }
    return {**stages, "reranked": _in_order(ranked.candidates)} if ranking.rerank else stages


def _in_order(candidates: Iterable[Candidate]) -> dict[str, float]:
    return _best((document_id(c.passage.path), 1.0 / n) for n, c in enumerate(candidates, 1))


def _best(scored: Iterable[tuple[str, float]]) -> dict[str, float]:
    best: dict[str, float] = {}
    for document, score in scored:
        best[document] = max(score, best.get(document, float("-inf")))
    return best


def _figures(run: Run, qrels: Mapping[str, Mapping[str, int]]) -> dict[str, Any]:
    import ir_measures
    from ir_measures import RR, R, nDCG

    measures = {"ndcg@10": nDCG @ 10, "recall@100": R @ 100, "mrr@10": RR @ 10}
    name = {measure: label for label, measure in measures.items()}
    values: dict[str, dict[str, float]] = {label: dict.fromkeys(qrels, 0.0) for label in measures}
    for metric in ir_measures.iter_calc(list(measures.values()), qrels, run):
        values[name[metric.measure]][metric.query_id] = metric.value
    figures: dict[str, Any] = {}
    for label, by_query in values.items():
        scores = np.array(list(by_query.values()))
        interval = bootstrap_interval(lambda _, drawn: float(drawn.mean()), scores, scores)
        figures[label] = round(float(scores.mean()), 4)
        figures[f"{label}_interval"] = [round(end, 4) for end in interval]
    return figures
