"""Processes of vouch built as in life, but with models made of hashes."""

from collections.abc import Callable
from typing import Any

from fakes.hashed_models import HashedEncoder, OverlapReranker
from homes.small_world import CoverageEvaluator

from composition import models
from consumers.process import Process
from vouch.adapters.analyser import SnowballAnalyser


def work_with_hashed_models(build: Callable[[], Process], *, drain: bool = False) -> None:
    """Builds a process and works until it is told to end, or with `drain` until nothing is left."""
    analyser = SnowballAnalyser()
    encoder = HashedEncoder(analyser)
    reranker: Any = OverlapReranker(analyser)
    made = models.Models(encoder, reranker, reranker, lambda text: len(text.split()))
    models.load_models = lambda _: made
    evaluator: Any = CoverageEvaluator()
    models.load_evaluator = lambda _: evaluator
    models.encoder_fingerprint = lambda _: encoder.fingerprint
    process = build()
    process.work(drain=drain)
    process.close()
