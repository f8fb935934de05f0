"""The HTTP service with all it works with: in the embedded case a whole vouch in one process."""

import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Any, NoReturn

from bots.http.app import Service, build_app
from bots.http.backend import Event
from bots.http.identity.local import LocalSessions
from bots.http.identity.tokens import chosen
from bots.http.load import Pace
from bots.http.middleware import Limits, hosts_of
from bots.http.server import bound, served
from cli.wiring.http.identities import (
    open_groups,
    open_identities,
    open_local,
    open_proven,
    open_resource,
    open_sign_in,
    secure_cookies,
)
from cli.wiring.http.operating import open_operating
from cli.wiring.settings import command_settings
from composition import models
from composition.model_registry.serving import fact_ranking
from composition.ranking import ranking_models
from consumers.process import Process, now
from consumers.wiring.components import WorkerComponents, after_purge, open_worker
from consumers.wiring.processes import build_server
from services.answering.askers import QuestionIds
from services.answering.contributions import Contributions
from services.answering.identity import EndedInLedger
from services.answering.progress import TOPICS, Heard, ProgressBoard, keep_hearing
from services.answering.questions import QuestionService
from services.answering.search import SearchService
from services.answering.traces import TraceService
from services.operating.status import ServiceStanding
from vouch.adapters.analyser import SnowballAnalyser
from vouch.adapters.filesystem.home import kept_secret
from vouch.errors import Usage, VouchError
from vouch.extras import require
from vouch.messages import HTTP
from vouch.ports.ingestion import IngestRunner
from vouch.retrieval.fusion import ReciprocalRanks
from vouch.settings import Settings
from vouch.settings.stores import KafkaLog


def open_library(settings: Settings, parts: WorkerComponents, *, works: bool) -> SearchService:
    """One that `works` holds models, which are loaded when they are needed."""
    return SearchService(
        index=parts.index, watched=parts.watched, analyser=SnowballAnalyser(),
        encoder=models.encoder(settings) if works else _no_model,
        ranking_models=ranking_models(settings, parts.registry, asks=False) if works else _no_model,
        ranking=fact_ranking(settings, ReciprocalRanks(settings.retrieval.rrf_k)),
        fusion=lambda: parts.registry().fusion,
        best="fused" if works else "lexical", reticent=True,
    )  # fmt: skip


def _no_model() -> NoReturn:
    raise Usage("this service holds no model", cure="search without a mode, or with mode lexical")


@dataclass(frozen=True)
class HttpService:
    """`link` opens the page; of a person who is signed in by it, it works once."""

    address: str
    link: str
    works: bool
    process: Process
    standing: ServiceStanding
    loads: tuple[str, ...]
    is_empty: bool = False              # nothing was ingested when it was opened

    def run(self, ready: Callable[[], object]) -> None:
        """Until SIGTERM or Ctrl-C. `ready` is called once questions can be answered."""

        def loaded() -> None:
            self.standing.loaded.set()
            ready()

        self.process.work(ready=loaded)


@contextmanager
def open_http_service(person: str | None, port: int | None) -> Iterator[HttpService]:
    """Requests are answered from now on; questions once it runs. Raises Usage, NotFound for an unknown person."""
    settings = command_settings()
    http = settings.http
    if http.mcp:
        require("mcp", "VOUCH_HTTP__MCP")
    works = not isinstance(settings.log, KafkaLog)
    board: ProgressBoard[Event] = ProgressBoard(_event, HTTP)
    parts = open_worker(settings, "serve", judges=True, listen=board.listener)
    parts.index.when_moved(after_purge(parts.storage.ledger.purges.latest, board.forget_words))
    process = build_server(parts, _starter(settings) if works else None, works=works)
    with closing(process), _heard(parts, board, works=works):
        local = open_local(parts.watched, http, person)
        service = _service(settings, parts, board, local, works=works)
        limits = Limits(hosts_of(http.host, chosen(http.hosts)), http.body_bytes, upload_bytes=http.upload_bytes)
        listening = bound(http.host, http.port if port is None else port)
        address = _address(listening)
        with served(build_app(service, limits), listening, process.stop.set, stopping=service.stopping):
            link = f"{address}/enter?token={local.token}" if local else address
            standing = service.standing
            assert isinstance(standing, ServiceStanding)
            yield HttpService(address, link, works, process, standing, _loads(settings), _is_empty(parts))


@contextmanager
def _heard(parts: WorkerComponents, board: "ProgressBoard[Event]", *, works: bool) -> Iterator[None]:
    """In it the board is told by the log of what other processes answer."""
    if works:
        yield
        return
    stop, heard = threading.Event(), Heard(partial(parts.log.follow, TOPICS))
    thread = threading.Thread(target=keep_hearing, args=(heard, board.hear, stop), name="progress", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join(2.0)


def _service(
    settings: Settings, parts: WorkerComponents, board: "ProgressBoard[Event]", local: LocalSessions | None, *,
    works: bool,
) -> Service:  # fmt: skip
    home, http = parts.storage.home, settings.http
    key = http.secret.get_secret_value().encode() or kept_secret(home / "http.key")
    groups = open_groups(http, open_proven(http, parts.ledger))
    sign_in = open_sign_in(http, key, EndedInLedger(parts.ledger.ended, now), groups)
    questions = QuestionService(
        ledger=parts.ledger, permissions=parts.watched, index=parts.index, producer=parts.producer,
        ids=QuestionIds(key), surface=HTTP, clock=now,
        deadline=timedelta(seconds=settings.answering.deadline_seconds), per_minute=settings.asking.per_minute,
        turns=Pace(settings.asking.per_minute, "question"), strangers=Pace(_of_strangers(settings), "question"),
        record=parts.record,
    )
    library = open_library(settings, parts, works=works)
    return Service(
        questions=questions, progress=board, library=library, local=local, key=key,
        secure_cookies=secure_cookies(http),
        administrators=open_operating(settings, parts, library, works=works),
        traces=TraceService(parts.ledger, parts.watched, parts.index, Contributions(parts.registry), now,
                            reticent=True),
        standing=ServiceStanding(parts.telemetry, partial(_has_index, parts)),
        identities=open_identities(http, local, sign_in, groups), sign_in=sign_in, assistants=http.mcp,
        resource=open_resource(http), metrics=parts.metrics(), metrics_token=http.metrics_token.get_secret_value(),
        load=partial(_load, parts) if works else None,
    )


def _load(parts: WorkerComponents) -> None:
    with suppress(VouchError):          # the process, which waits for it, tells of it and tries again
        parts.warm()


def _of_strangers(settings: Settings) -> int:
    """How many questions a minute; the smaller of two limits where both are set."""
    return min((most for most in (settings.http.stranger_questions, settings.asking.per_minute) if most), default=0)


def _loads(settings: Settings) -> tuple[str, ...]:
    """What is loaded before it is ready, in words for people."""
    named = {"encoder": settings.encoder.model, "reranker": settings.reranker.model}
    return tuple(f"{kind} {model}" if model else f"the {kind} that comes with vouch" for kind, model in named.items())


def _event(number: int, kind: str, data: Mapping[str, Any], chunks: tuple[str, ...]) -> Event:
    return Event(number, "sentence" if kind == "sentence" else "stage", data, chunks)


def _has_index(parts: WorkerComponents) -> bool:
    try:
        parts.index.version()
    except VouchError:
        return False
    return True


def _is_empty(parts: WorkerComponents) -> bool:
    """What cannot be looked at now is not called empty."""
    try:
        return not parts.index.has_version()
    except VouchError:
        return False


def _starter(settings: Settings) -> IngestRunner:
    from flows.wiring.ingesting import build_starter

    return build_starter(settings)


def _address(listening: socket.socket) -> str:
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
