"""Builds what consumers work with. The one place of this room that reads settings."""

import gc
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import UTC, datetime, timedelta
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from consumers.answerer import Answerer
from consumers.desk import SURFACE, Desk
from consumers.documents import DocumentsWorker
from consumers.feedback import FeedbackHandler
from consumers.handling import Handler
from consumers.once import Once
from consumers.purged import after_purge
from consumers.questions import QuestionHandler
from consumers.replies import ReplySender
from consumers.shown import shown
from consumers.standing import Probe, Standing
from consumers.vitals import Vitals
from consumers.worker import Worker
from indexers.hnsw import NOT_LEAK_FREE, GraphSearch
from indexers.lexical import LexicalEngine, lexical_engine
from indexers.publish import IndexStore
from indexers.reader import LiveIndex
from vouch.adapters.access_watch import WatchedPermissions
from vouch.adapters.analyser import SnowballAnalyser
from vouch.adapters.batching import Company
from vouch.adapters.encoder import encoder_fingerprint
from vouch.adapters.home import open_home
from vouch.adapters.http_callback import HttpCallback
from vouch.adapters.ledger import Ledger, open_ledger
from vouch.adapters.log_embedded import EmbeddedLog
from vouch.adapters.reach import reach
from vouch.answering.extractive import ExtractiveWriter
from vouch.correction.loop import Limits, Machines
from vouch.errors import Usage
from vouch.ports import Index, IngestStarter, Log, PermissionStore, Surface, Writer
from vouch.settings import HnswVectors, Settings, read_settings
from vouch.settings import KafkaLog as KafkaSettings
from vouch.settings import OpenAIWriter as OpenAISettings

if TYPE_CHECKING:
    from vouch.adapters.log_kafka_place import KafkaPlace
    from vouch.adapters.log_kafka_topics import KafkaTopics

GROUP = "vouch"
DOCUMENTS_GROUP = "vouch-documents"     # of its own: a long ingest holds up no question
GROUPS = {"questions": GROUP, "feedback": GROUP, "documents.changed": DOCUMENTS_GROUP}
_DAY_MS = 86_400_000


def build_log(settings: Settings, home: Path) -> Log:
    """Connects to nothing before its first use."""
    if isinstance(settings.log, KafkaSettings):
        from vouch.adapters.log_kafka import KafkaLog

        return KafkaLog(_kafka_place(settings.log))
    return EmbeddedLog(home / "log.sqlite", settings.log.partitions, settings.log.lease_seconds)


def build_topics(settings: Settings) -> "KafkaTopics | None":
    """What makes topics; None where the log makes them itself."""
    if not isinstance(settings.log, KafkaSettings):
        return None
    from vouch.adapters.log_kafka_topics import KafkaTopics

    kept = settings.retention
    return KafkaTopics(_kafka_place(settings.log), int(kept.log_days * _DAY_MS), int(kept.answers_days * _DAY_MS))


def _kafka_place(settings: KafkaSettings) -> "KafkaPlace":
    from vouch.adapters.log_kafka_place import KafkaPlace

    return KafkaPlace(**settings.model_dump(exclude={"kind"}))


def build_desk(settings: Settings | None = None, starter: IngestStarter | None = None) -> Desk:
    """A desk on the settings' home. Models are loaded when the first question is answered.

    With a `starter` its `work` takes changes of documents off the log as well.
    """
    settings = settings or read_settings()
    home = open_home(settings.home)
    ledger = open_ledger(settings.ledger.url or home / "ledger.sqlite")
    watched = WatchedPermissions(ledger.sources, ledger.access, watch=settings.access.watch)
    engine, graphs = _lexical_engine(settings, home, watched), _graph_search(settings)
    index = _live_index(settings, home, ledger, watched, engine)
    log = build_log(settings, home)

    def machines() -> Machines:
        made = loop_machines(settings, index)
        index.when_moved(after_purge(ledger.purges.latest, _models(*_encoder_settings(settings))[1].forget))
        return made

    answerer = Answerer(watched, index, Once(machines), now)
    stop, vitals = threading.Event(), Vitals()
    surfaces = build_surfaces(settings, ledger)
    # Only a worker judges that nobody serves a surface: who just asks may not have its settings.
    served = {*surfaces, *_names(settings.worker.surfaces)} if starter is not None else None
    probes = build_probes(settings, lambda: (index, engine))
    standing = Standing(lambda: ledger, lambda: log, GROUPS, probes, now)
    handlers: dict[str, Handler] = {
        "questions": QuestionHandler(answerer.answer, answerer.decline, ledger, now, _company().join,
                                     served=served, per_minute=settings.asking.per_minute),
        "feedback": FeedbackHandler(ledger),
    }
    producer = log.producer()
    return Desk(
        ledger=ledger,
        watched=watched,
        producer=producer,
        worker=Worker(log, GROUP, handlers, ledger.attempts, now, stop, hold=settings.worker.hold, vitals=vitals),
        sender=ReplySender(ledger, answerer.still_visible, answerer.answer, answerer.decline,
                           surfaces, producer, now, served=served, vitals=vitals),
        documents=None if starter is None else DocumentsWorker(
            log, DOCUMENTS_GROUP, starter, ledger.attempts, now, stop,
            quiet_s=settings.ingest.quiet_seconds, longest_s=settings.ingest.longest_wait_seconds, vitals=vitals,
        ),
        stop=stop,
        clock=now,
        deadline=timedelta(seconds=settings.answering.deadline_seconds),
        ready=index.follow,
        per_minute=settings.asking.per_minute,
        shown=partial(shown, home, "worker", settings.monitor.port, vitals, standing),
        notes=() if graphs is None else (NOT_LEAK_FREE,),
        helps=not isinstance(settings.log, KafkaSettings),
    )


def build_surfaces(settings: Settings, ledger: Ledger) -> dict[str, Surface]:
    """What this process can post on, by name. Raises Usage for a callback that cannot be used."""
    surfaces: dict[str, Surface] = dict.fromkeys((SURFACE, "log"), ledger.surface)
    callback = _callback(settings)
    if callback is not None:
        if settings.callback.surface in surfaces:
            raise Usage(f"the surface {settings.callback.surface} is taken", cure="mend VOUCH_CALLBACK__SURFACE")
        surfaces[settings.callback.surface] = callback
    return surfaces


def build_standing(settings: Settings, home: Path, *, asking: bool = True) -> Standing:
    """For a process that only looks: what cannot be opened is said to be down.

    Unless it is `asking`, it looks at ledger and log alone, and opens no index.
    """

    @cache
    def ledger() -> Ledger:
        return open_ledger(settings.ledger.url or home / "ledger.sqlite")

    @cache
    def index() -> tuple[LiveIndex, LexicalEngine]:
        opened = ledger()
        watched = WatchedPermissions(opened.sources, opened.access, watch=settings.access.watch)
        engine = _lexical_engine(settings, home, watched)
        return _live_index(settings, home, opened, watched, engine), engine

    return Standing(ledger, cache(partial(build_log, settings, home)), GROUPS,
                    build_probes(settings, index) if asking else {}, now)


def build_probes(settings: Settings, index: Callable[[], tuple[LiveIndex, LexicalEngine]]) -> dict[str, Probe]:
    """The machines of the settings that can be asked how they are, besides ledger and log."""

    def ask_index() -> str:
        live, engine = index()
        return f"version {live.version().number}, {engine.check()}"

    probes: dict[str, Probe] = {"index": ask_index}
    callback = _callback(settings)
    if callback is not None:
        probes[f"surface {settings.callback.surface}"] = callback.probe
    if isinstance(settings.writer, OpenAISettings):
        probes["model"] = partial(reach, settings.writer.base_url)
    return probes


def _live_index(
    settings: Settings, home: Path, ledger: Ledger, watched: WatchedPermissions, engine: LexicalEngine
) -> LiveIndex:
    store = IndexStore(home, ledger.versions, SnowballAnalyser(), settings.lexical.reference_length, lexical=engine)
    encoder = encoder_fingerprint(*_encoder_settings(settings))
    return LiveIndex(store, watched, encoder=encoder, graphs=_graph_search(settings))


def watch_shown(settings: Settings, home: Path, vitals: Vitals) -> AbstractContextManager[None]:
    """In it a process that announces changes is seen by others."""
    return shown(home, "watch", settings.monitor.port, vitals, build_standing(settings, home, asking=False))


def _callback(settings: Settings) -> HttpCallback | None:
    chosen = settings.callback
    return None if not chosen.url else HttpCallback(
        chosen.url, chosen.secret.get_secret_value(), _names(chosen.hosts),
        after_doubt=chosen.after_doubt, timeout_s=chosen.timeout_seconds,
    )  # fmt: skip


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


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


def _lexical_engine(settings: Settings, home: Path, permissions: PermissionStore) -> LexicalEngine:
    return lexical_engine(settings.lexical.model_dump(), home, SnowballAnalyser(), permissions)


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
