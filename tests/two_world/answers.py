"""What a world answers: the whole corrective loop over one side of a pair, and what of it must be equal."""

from typing import Any

from two_world.worlds import ANALYSER, NOW, Pair, World

from vouch.answering.quoting.extractive import ExtractiveWriter
from vouch.correction.components import Components, QuestionKinds
from vouch.correction.loop import answer_question
from vouch.correction.recipes import FactQuestions, ListQuestions
from vouch.learning.models.evaluator_model import UNJUDGED, load_evaluator
from vouch.ports.index import Fusion, Index
from vouch.ports.models import Encoder, Evaluator, Reranker
from vouch.retrieval.fusion import ReciprocalRanks
from vouch.retrieval.ranking import Ranking
from vouch.values.question import Question

# What may differ: the version and epoch an answer is stamped with, and how long it took.
EXEMPT = {"index_version", "access_epoch", "timings_ms"}


def loop_components(world: World, encoder: Encoder, reranker: Reranker, evaluator: Evaluator,
                  index: Index | None = None, fusion: Fusion | None = None, swap_rate: float = 0.0,
                  judge: Reranker | None = None) -> Components:
    """Without a judge the reranker reads as one, so that this stage runs."""
    writer = ExtractiveWriter(reranker, ANALYSER)
    ranking = Ranking(top=20, rerank=8, fusion=fusion or ReciprocalRanks())
    return Components(
        index=index or world.index, encoder=encoder, reranker=reranker, closeness=reranker,
        evaluator=evaluator, judge=judge or reranker, unjudged=load_evaluator(UNJUDGED), writer=writer,
        fallback=writer, analyser=ANALYSER, count_tokens=lambda text: len(text.split()), clock=lambda: NOW,
        kinds=QuestionKinds(FactQuestions(ranking, places=3, evidence_tokens=120), ListQuestions()),
        swap_rate=swap_rate,
    )


def observed_answer(components: Components, pair: Pair) -> dict[str, Any]:
    """Answer, candidates with every score and rank, and the chunks given, as exact JSON values."""
    question = Question("q", pair.question, pair.audience, NOW)
    outcome = answer_question(question, components)
    answer = {k: v for k, v in outcome.answer.model_dump(mode="json").items() if k not in EXEMPT}
    return {"answer": answer, "candidates": exact(outcome.candidates), "given": list(outcome.given)}


def exact(value: Any) -> Any:
    """Numbers as hexadecimal, so that equal means equal in every bit."""
    if isinstance(value, float):
        return value.hex()
    if isinstance(value, dict):
        return {key: exact(item) for key, item in value.items()}
    return [exact(item) for item in value] if isinstance(value, list | tuple) else value
