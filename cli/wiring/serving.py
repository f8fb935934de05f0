"""The HTTP service with all it works with: in the embedded case a whole vouch in one process."""

import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Any

from bots.http.app import Service, build_app
from bots.http.backend import Event
from bots.http.caller import Identity
from bots.http.identity.bearer import BearerTokens, Expected, chosen
from bots.http.identity.identities import Identities
from bots.http.identity.jwks import open_jwks
from bots.http.identity.local import LocalSessions, is_loopback
from bots.http.identity.proxy import TrustedProxy
from bots.http.limits import Limits, hosts_of
from bots.http.server import bound, served
from cli.wiring.settings import command_settings
from composition import models
from composition.ranking import fact_ranking
from consumers.process import Process
from consumers.wiring.clock import now
from consumers.wiring.components import WorkerComponents, open_parts
from consumers.wiring.processes import build_server
from services.answering.operators import Operators
from services.answering.progress import ProgressBoard
from services.answering.question_ids import QuestionIds
from services.answering.questions import QuestionService
from services.answering.search import SearchService
from services.answering.standing import ServiceStanding
from services.documents.versions import VersionService
from vouch.access_check.names import expired, unknown
from vouch.adapters.analyser import SnowballAnalyser
from vouch.adapters.filesystem.kept_secret import kept_secret
from vouch.errors import NotFound, Usage, VouchError
from vouch.messages import HTTP
from vouch.ports.ingest_runner import IngestRunner
from vouch.retrieval.fusion import ReciprocalRanks
from vouch.settings import HttpSettings, KafkaLog, Settings


@dataclass(frozen=True)
class HttpService:
    """`link` opens the page; of a person who is signed in by it, it works once."""

    address: str
    link: str
    works: bool
    process: Process
    standing: ServiceStanding

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
    works = not isinstance(settings.log, KafkaLog)
    board: ProgressBoard[Event] = ProgressBoard(_event, HTTP)
    parts = open_parts(settings, "serve", judges=True, listen=board.listener)
    parts.index.when_moved(board.clear)
    process = build_server(parts, _starter(settings) if works else None, works=works)
    with closing(process):
        local = _local(parts, http, person)
        service = _service(settings, parts, board, local, works=works)
        limits = Limits(hosts_of(http.host, chosen(http.hosts)), http.body_bytes)
        listening = bound(http.host, http.port if port is None else port)
        address = _address(listening)
        with served(build_app(service, limits), listening, process.stop.set):
            link = f"{address}/enter?token={local.token}" if local else address
            standing = service.standing
            assert isinstance(standing, ServiceStanding)
            yield HttpService(address, link, works, process, standing)


def _service(
    settings: Settings, parts: WorkerComponents, board: "ProgressBoard[Event]", local: LocalSessions | None, *,
    works: bool,
) -> Service:  # fmt: skip
    home, http = parts.storage.home, settings.http
    key = http.secret.get_secret_value().encode() or kept_secret(home / "http.key")
    questions = QuestionService(
        ledger=parts.ledger, permissions=parts.watched, index=parts.index, producer=parts.producer,
        ids=QuestionIds(key), surface=HTTP, clock=now,
        deadline=timedelta(seconds=settings.answering.deadline_seconds), per_minute=settings.asking.per_minute,
    )
    library = SearchService(
        index=parts.index, watched=parts.watched, analyser=SnowballAnalyser(),
        encoder=models.encoder(settings) if works else _no_model,
        reranker=partial(models.load_reranker, settings) if works else _no_model,
        ranking=fact_ranking(settings, ReciprocalRanks(settings.retrieval.rrf_k)),
        fusion=lambda: parts.registry().fusion,
    )
    history = VersionService(home, parts.ledger, parts.storage.index)
    return Service(
        questions=questions, progress=board, library=library, local=local, key=key, secure_cookies=http.secure_cookies,
        administrators=Operators(parts.watched, http.operators, history.rows),
        standing=ServiceStanding(parts.telemetry, partial(_has_index, parts)),
        identities=_identities(http, local),
    )


def _identities(http: HttpSettings, local: LocalSessions | None) -> Identities:
    """Those that the settings turn on. Where one person is named, nobody else gets in."""
    ways: list[Identity] = [] if local is None else [local]
    if http.bearer_jwks:
        algorithms = tuple(chosen(http.bearer_algorithms))
        expected = Expected(http.bearer_issuer, http.bearer_audience, algorithms, http.bearer_claim)
        ways.append(BearerTokens(open_jwks(http.bearer_jwks), expected))
    if http.proxy_header:
        ways.append(TrustedProxy(http.proxy_header, chosen(http.proxy_peers), http.proxy_secret.get_secret_value()))
    return Identities(ways, anonymous=http.anonymous and local is None)


def _local(parts: WorkerComponents, http: HttpSettings, person: str | None) -> LocalSessions | None:
    if person is None:
        return None
    if not is_loopback(http.host):
        raise Usage("--as is for this machine alone", cure="leave out VOUCH_HTTP__HOST, or sign people in by a proxy")
    if not person.startswith("user:"):
        raise Usage(f"{person} is no person", cure="vouch serve --as user:NAME")
    directory = parts.watched.permissions().directory
    told, gone = unknown(directory, person), expired(directory, person)
    if told or gone:
        raise NotFound(told or f"{person} {gone}", cure="load a directory that holds them: vouch directory load FILE")
    return LocalSessions(person)


def _event(number: int, kind: str, data: Mapping[str, Any], chunks: tuple[str, ...]) -> Event:
    return Event(number, "sentence" if kind == "sentence" else "stage", data, chunks)


def _has_index(parts: WorkerComponents) -> bool:
    try:
        parts.index.version()
    except VouchError:
        return False
    return True


def _no_model() -> Any:
    raise Usage("this service holds no model", cure="search with mode lexical")


def _starter(settings: Settings) -> IngestRunner:
    from flows.wiring import build_starter

    return build_starter(settings)


def _address(listening: socket.socket) -> str:
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"

