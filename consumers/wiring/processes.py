"""The processes that run for good: `vouch worker` and `vouch sender`."""

from functools import partial

from composition.log import DOCUMENTS_GROUP
from composition.storage import graph_search
from consumers.documents.consumer import DocumentsWorker
from consumers.monitoring.watches import RuleFailures
from consumers.process import QUESTIONS, REPLIES, ConsumerLoop, Process, now
from consumers.wiring.components import WorkerComponents, open_worker
from indexers.segments.hnsw import NOT_LEAK_FREE
from vouch.adapters.observability.processes import ended_if_stalled
from vouch.ports.ingestion import IngestRunner
from vouch.settings import Settings


def build_worker(settings: Settings, starter: IngestRunner | None = None, *, sends: bool = True) -> Process:
    """Takes questions and votes off the log; with a `starter` changes of documents too.

    One that does not send leaves its answers to another process.
    """
    parts = open_worker(settings, "worker", judges=True)
    takers: list[ConsumerLoop] = [parts.worker()]
    if starter is not None:
        takers.append(documents_worker(parts, starter))
    return _process(parts, takers, sends=sends)


def build_server(parts: WorkerComponents, starter: IngestRunner | None, *, works: bool) -> Process:
    """What runs beside a surface in its own process: a worker and a sender, or nothing that needs a model."""
    takers: list[ConsumerLoop] = [parts.worker()] if works else []
    if works and starter is not None:
        takers.append(documents_worker(parts, starter))
    return _process(parts, takers, sends=works)


def build_sender(settings: Settings) -> Process:
    """Brings answers to their surfaces, whoever made them."""
    return _process(open_worker(settings, "sender", judges=True), [], sends=True)


def _process(parts: WorkerComponents, takers: list[ConsumerLoop], *, sends: bool) -> Process:
    return Process(
        takers=takers,
        sender=parts.sender() if sends else None,
        follow=parts.index.follow,
        stop=parts.stop,
        shown=parts.shown([*([QUESTIONS] if takers else []), *([REPLIES] if sends else [])]),
        components=parts.components,
        notes=() if graph_search(parts.settings) is None else (NOT_LEAK_FREE,),
        guarded=partial(ended_if_stalled, parts.settings.worker.stall_seconds),
        look=RuleFailures(parts.watched).look,
        warm=parts.warm if takers else _answers_nothing,
        telemetry=parts.telemetry,
    )


def _answers_nothing() -> None:
    """It needs no models, or so seldom that they are loaded then."""


def documents_worker(parts: WorkerComponents, starter: IngestRunner) -> DocumentsWorker:
    """Ingests what was announced."""
    ingest = parts.settings.ingest
    return DocumentsWorker(
        parts.log, DOCUMENTS_GROUP, starter, parts.ledger.attempts, now, parts.stop,
        quiet_s=ingest.quiet_seconds, longest_s=ingest.longest_wait_seconds, telemetry=parts.telemetry,
    )
