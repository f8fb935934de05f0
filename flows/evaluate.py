"""Retrieval quality on a BEIR folder, measured through the sources, indices and ranking that serve people."""

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from flows.machines import Machines
from flows.progress import Progress
from flows.run import ingest_direct
from indexers.reader import LiveIndex
from vouch.access import PUBLIC, Directory, Permissions, Rule, RuleBook
from vouch.adapters.sources.corpus import CorpusSource, document_id
from vouch.ports import Analyser, Encoder, Reranker, View
from vouch.retrieval.fusion import fuse, reciprocal_ranks
from vouch.retrieval.query import form_query
from vouch.retrieval.rerank import rerank
from vouch.retrieval.retrieve import retrieve

Run = dict[str, dict[str, float]]
RESAMPLES = 1000
EVERYONE = Permissions(1, {"corpus": RuleBook((Rule("**", frozenset({PUBLIC})),))}, Directory())


@dataclass(frozen=True)
class Ranking:
    """What is measured: the models and depths of the answering path."""

    analyser: Analyser
    encoder: Encoder
    reranker: Reranker | None
    top: int
    rrf_k: int
    rerank: int


class _Everyone:
    def permissions(self) -> Permissions:
        return EVERYONE


def evaluate_retrieval(
    machines: Machines,
    ranking: Ranking,
    corpus: Iterable[Any],
    queries: Mapping[str, str],
    qrels: Mapping[str, Mapping[str, int]],
    progress: Progress,
) -> dict[str, Any]:
    """Figures per stage over the queries that have judgements. A document ranks by its best chunk."""
    machines = replace(machines, sources={"corpus": CorpusSource("corpus", corpus)})
    ingest_direct(machines, ["corpus"], progress=progress, done=lambda report: None)
    view = LiveIndex(machines.store, _Everyone()).view(EVERYONE.directory.audience([PUBLIC], datetime.now(UTC)))
    judged = [query for query in queries if query in qrels]
    runs: dict[str, Run] = {stage: {} for stage in ("lexical", "dense", "fused", "reranked")}
    for done, query_id in enumerate(judged, 1):
        for stage, scores in _stages(view, ranking, queries[query_id]).items():
            runs[stage][query_id] = scores
        progress("search", done, len(judged))
    known = machines.store.open_current()
    return {
        "documents": len(known.known("corpus")) if known else 0,
        "queries": len(judged),
        "stages": {stage: _figures(run, {q: qrels[q] for q in judged}) for stage, run in runs.items() if run},
    }


def _stages(view: View, ranking: Ranking, text: str) -> dict[str, dict[str, float]]:
    query = form_query(text, ranking.analyser)
    hits = retrieve(view, ranking.encoder, query, ranking.top)
    fused = reciprocal_ranks(hits, ranking.rrf_k)
    ids = [hit.chunk_id for hit in (*hits.lexical, *hits.dense)]
    place = {p.chunk_id: document_id(p.path) for p in view.passages(list(dict.fromkeys(ids)))}
    stages = {
        "lexical": _best((place[h.chunk_id], h.score) for h in hits.lexical),
        "dense": _best((place[h.chunk_id], h.score) for h in hits.dense),
        "fused": _best((place[f.chunk_id], f.score) for f in fused),
    }
    if ranking.reranker is not None:
        ranked = rerank(ranking.reranker, query, fuse(view, hits, ranking.rrf_k), ranking.rerank)
        stages["reranked"] = _best((place[c.chunk_id], 1.0 / n) for n, c in enumerate(ranked, 1))
    return stages


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
        figures[label] = round(_mean(list(by_query.values())), 4)
        figures[f"{label}_interval"] = _bootstrap(list(by_query.values()), _mean)
    return figures


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def _bootstrap(values: Sequence[float], statistic: Callable[[Sequence[float]], float]) -> list[float]:
    """The 95 % percentile interval over resampled queries (seed 0)."""
    rng = random.Random(0)  # noqa: S311
    drawn = sorted(statistic(rng.choices(values, k=len(values))) for _ in range(RESAMPLES)) if values else [0.0]
    return [round(drawn[int(share * (len(drawn) - 1))], 4) for share in (0.025, 0.975)]
