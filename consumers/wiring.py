"""Builds what consumers work with. The one place of this room that reads settings."""

import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

from consumers.answerer import Answerer
from consumers.desk import SURFACE, Desk
from consumers.documents import DocumentsWorker
from consumers.feedback import FeedbackHandler
from consumers.handling import Handler
from consumers.once import Once
from consumers.purged import after_purge
from consumers.questions import QuestionHandler
from consumers.replies import ReplySender
from consumers.worker import Worker
from indexers.hnsw import NOT_LEAK_FREE, GraphSearch
from indexers.publish import IndexStore
from indexers.reader import LiveIndex
from vouch.adapters.access_watch import WatchedPermissions
from vouch.adapters.analyser import SnowballAnalyser
from vouch.adapters.batching import Company
from vouch.adapters.encoder import encoder_fingerprint
from vouch.adapters.home import open_home
from vouch.adapters.ledger import open_ledger
from vouch.adapters.log_embedded import EmbeddedLog
from vouch.answering.extractive import ExtractiveWriter
from vouch.correction.loop import Limits, Machines
from vouch.ports import Index, IngestStarter, Log, Writer
from vouch.settings import HnswVectors, Settings, read_settings
from vouch.settings import KafkaLog as KafkaSettings
from vouch.settings import OpenAIWriter as OpenAISettings

GROUP = "vouch"
DOCUMENTS_GROUP = "vouch-documents"     # of its own: a long ingest holds up no question


def build_log(settings: Settings, home: Path) -> Log:
    """Connects to nothing before its first use."""
    if isinstance(settings.log, KafkaSettings):
        from vouch.adapters.log_kafka import KafkaLog
        from vouch.adapters.log_kafka_place import KafkaPlace

        return KafkaLog(KafkaPlace(**settings.log.model_dump(exclude={"kind"})))
    return EmbeddedLog(home / "log.sqlite", settings.log.partitions, settings.log.lease_seconds)


def build_desk(settings: Settings | None = None, starter: IngestStarter | None = None) -> Desk:
    """A desk on the settings' home. Models are loaded when the first question is answered.

    With a `starter` its `work` takes changes of documents off the log as well.
    """
    settings = settings or read_settings()
    home = open_home(settings.home)
    ledger = open_ledger(settings.ledger.url or home / "ledger.sqlite")
    watched = WatchedPermissions(ledger.sources, ledger.access, watch=settings.access.watch)
    store = IndexStore(home, ledger.versions, SnowballAnalyser(), settings.lexical.reference_length)
    graphs = _graph_search(settings)
    index = LiveIndex(store, watched, encoder=encoder_fingerprint(*_encoder_settings(settings)), graphs=graphs)
    log = build_log(settings, home)

    def machines() -> Machines:
        made = loop_machines(settings, index)
        index.when_moved(after_purge(ledger.purges.latest, _models(*_encoder_settings(settings))[1].forget))
        return made

    answerer = Answerer(watched, index, Once(machines), now)
    stop = threading.Event()
    handlers: dict[str, Handler] = {
        "questions": QuestionHandler(answerer.answer, answerer.decline, ledger, now, _company().join),
        "feedback": FeedbackHandler(ledger),
    }
    producer = log.producer()
    return Desk(
        ledger=ledger,
        watched=watched,
        producer=producer,
        worker=Worker(log, GROUP, handlers, ledger.attempts, now, stop, hold=settings.worker.hold),
        sender=ReplySender(ledger, answerer.still_visible, answerer.answer, answerer.decline,
                           dict.fromkeys((SURFACE, "log"), ledger.surface), producer, now),
        documents=None if starter is None else DocumentsWorker(
            log, DOCUMENTS_GROUP, starter, ledger.attempts, now, stop,
            quiet_s=settings.ingest.quiet_seconds, longest_s=settings.ingest.longest_wait_seconds,
        ),
        stop=stop,
        clock=now,
        deadline=timedelta(seconds=settings.answering.deadline_seconds),
        ready=index.version,
        notes=() if graphs is None else (NOT_LEAK_FREE,),
        helps=not isinstance(settings.log, KafkaSettings),
    )


def loop_machines(settings: Settings, index: Index) -> Machines:
    """The corrective loop's machines, models loaded. The models are shared by all desks of this process."""
    encoder, reranker, evaluator, count = _models(*_encoder_settings(settings))
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


def _graph_search(settings: Settings) -> GraphSearch | None:
    kind = settings.vectors
    return GraphSearch(kind.ef_search, kind.exact_share) if isinstance(kind, HnswVectors) else None


def now() -> datetime:
    return datetime.now(UTC)


def _encoder_settings(settings: Settings) -> tuple[Path | None, str, str]:
    """Model folder (None: the one that comes along), dtype and device."""
    encoder = settings.encoder
    return Path(encoder.model).expanduser() if encoder.model else None, encoder.dtype, encoder.device


@cache
def _company() -> Company:
    """The questions that this process has in hand; the models wait a moment for each other's texts."""
    return Company()


@cache
def _models(folder: Path | None, dtype: str, device: str) -> tuple[Any, Any, Any, Callable[[str], int]]:
    from vouch.adapters.encoder import load_encoder
    from vouch.adapters.maxsim import MaxSimReranker
    from vouch.adapters.tokenizer import load_tokenizer
    from vouch.learning.evaluator_model import load_evaluator

    encoder = load_encoder(folder, dtype, device, _company())
    tokenizer = load_tokenizer(folder)
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
