"""The models, loaded once in a process, and the corrective loop's machines on them."""

import gc
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from consumers.wiring.clock import now
from vouch.adapters.analyser import SnowballAnalyser
from vouch.adapters.models.batching import Company
from vouch.answering.extractive import ExtractiveWriter
from vouch.correction.loop import Limits, Machines
from vouch.ports.index import Index
from vouch.ports.writer import Writer
from vouch.settings import OpenAIWriter as OpenAISettings
from vouch.settings import Settings


def loop_machines(settings: Settings, index: Index) -> Machines:
    """The corrective loop's machines, models loaded. The models are shared by all that is built in this process."""
    encoder, reranker, evaluator, count = models(*encoder_settings(settings))
    analyser = SnowballAnalyser()
    extractive = ExtractiveWriter(reranker, analyser)
    retrieval, answering = settings.retrieval, settings.answering
    return Machines(
        index=index,
        encoder=encoder,
        reranker=reranker,
        evaluator=evaluator,
        writer=_writer(settings, extractive, count),
        fallback=extractive,
        analyser=analyser,
        count_tokens=count,
        clock=now,
        limits=Limits(
            retrieval.top, retrieval.rrf_k, retrieval.rerank, answering.passages, answering.evidence_tokens,
            retrieval.list_top, retrieval.list_rerank, answering.list_documents,
        ),
    )


def encoder_settings(settings: Settings) -> tuple[Path | None, str, str]:
    """Model folder (None: the one that comes along), dtype and device."""
    encoder = settings.encoder
    return Path(encoder.model).expanduser() if encoder.model else None, encoder.dtype, encoder.device


@cache
def company() -> Company:
    """The questions that this process has in hand; the models wait a moment for each other's texts."""
    return Company()


@cache
def models(folder: Path | None, dtype: str, device: str) -> tuple[Any, Any, Any, Callable[[str], int]]:
    """Encoder, reranker, evaluator, and what counts tokens."""
    from vouch.adapters.models.encoder import load_encoder
    from vouch.adapters.models.maxsim import MaxSimReranker
    from vouch.adapters.models.tokenizer import load_tokenizer
    from vouch.learning.evaluator_model import load_evaluator

    encoder = load_encoder(folder, dtype, device, company())
    tokenizer = load_tokenizer(folder)
    # The libraries' objects stay for good. Gone through by the collector they hold up an answer now and then by .15 s.
    gc.collect()
    gc.freeze()
    return encoder, MaxSimReranker(encoder), load_evaluator(), tokenizer.count


def _writer(settings: Settings, extractive: ExtractiveWriter, count: Callable[[str], int]) -> Writer:
    chosen = settings.writer
    if not isinstance(chosen, OpenAISettings):
        return extractive
    from vouch.adapters.openai_writer import OpenAIWriter

    return OpenAIWriter(
        base_url=chosen.base_url,
        model=chosen.model,
        api_key=chosen.api_key.get_secret_value(),
        timeout_s=chosen.timeout_seconds,
        retries=chosen.retries,
        max_prompt_tokens=chosen.max_prompt_tokens,
        max_answer_tokens=chosen.max_answer_tokens,
        count_tokens=count,
    )
