"""The whole service on a home with folders, rules and people: worker, sender and pages in this process, no model."""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from fakes.hashed_models import OverlapReranker
from fastapi.dependencies import models
from homes.living_home import ANALYSER, LivingHome, Rules
from homes.small_world import CoverageEvaluator
from machines.earlier_questions import earlier_within_a_day
from two_world.answers import loop_components

from bots.http.app import Service, build_app
from bots.http.backend import Event
from bots.http.identity.caller import Identity
from bots.http.identity.identities import Identities
from bots.http.identity.local import LocalSessions
from bots.http.identity.proxy import TrustedProxy
from bots.http.middleware import Limits, hosts_of
from bots.http.server import bound, served
from composition.log import GROUPS
from consumers.monitoring.exposition import counted
from consumers.monitoring.status import StatusProbe
from consumers.monitoring.telemetry import Telemetry
from consumers.questions.answerer import Answerer
from consumers.questions.handler import FeedbackHandler, QuestionHandler
from consumers.replies.sender import ReplySender
from consumers.worker.worker import Worker
from http_scene.http_client import Client
from http_scene.http_operating import operating
from services.answering.askers import QuestionIds
from services.answering.contributions import Contributions
from services.answering.progress import ProgressBoard
from services.answering.questions import QuestionService
from services.answering.search import SearchService
from services.answering.traces import TraceService
from services.operating.status import ServiceStanding
from vouch.access import Directory, Person
from vouch.adapters.message_log.embedded.log import EmbeddedLog
from vouch.correction.planning.limits import Limits as Steps
from vouch.messages import HTTP
from vouch.retrieval.fusion import ReciprocalRanks
from vouch.retrieval.ranking import Ranking
from vouch.retrieval.recipe.step import RankingModels

PATIENT = Steps(4, 600.0, 4, 600.0)     # of steps: a slow machine is no difference
SECRET, HEADER = "a-secret-of-the-proxy", "X-Person"
PEOPLE = Directory(
    {"ana": Person(("eng",)), "ben": Person(("people",)), "olga": Person(("ops",))},
    {"eng": (), "people": (), "ops": ()},
)
RULES: Rules = [("**", ["public"]), ("eng/**", ["group:eng"]), ("people/**", ["group:people"])]
PAPERS = {
    "leave.md": "# Leave\n\nEverybody has thirty days of paid leave in a year.\n\n## Sickness\n\nTell your manager.\n",
    "eng/tokens.md": "# Tokens\n\nThe vault tokens are rotated every ninety days by the engineers.\n",
    "people/salaries.md": "# Salaries\n\nThe salary bands are reviewed each April by the people team.\n",
}


@dataclass(frozen=True)
class Paper:
    words: str

    def text(self) -> str:
        return self.words


@dataclass
class Place:
    home: LivingHome
    address: str
    service: Service
    log: EmbeddedLog
    answerer: Answerer
    stop: threading.Event = field(default_factory=threading.Event)

    def visitor(self) -> Client:
        """Who proves nothing."""
        return Client(self.address)

    def person(self, name: str) -> Client:
        """Who was signed in by the proxy."""
        return Client(self.address, {HEADER: name, "X-Vouch-Proxy-Secret": SECRET})


@contextmanager
def http_place(
    folder: Path, papers: Mapping[str, str] = PAPERS, *, rules: Rules = RULES, people: Directory = PEOPLE,
    anonymous: bool = True, works: bool = True, local: LocalSessions | None = None, ways: Sequence[Identity] = (),
    changed: Callable[[Service], Service] = lambda service: service, limits: Mapping[str, Any] | None = None,
    operated: Mapping[str, Any] | None = None, steps: Steps | None = None,
) -> Iterator[Place]:  # fmt: skip
    """`works`: questions are answered. `changed` plants something else into the service, `operated` into what operators
    work with."""
    home = LivingHome(folder, ["docs"])
    home.people(people)
    home.put_rules("docs", rules)
    for path, words in papers.items():
        home.put("docs", path, Paper(words))
    assert home.ingest(["docs"])
    log = EmbeddedLog(folder / "home" / "log.sqlite", 4, 30.0)
    own = [TrustedProxy(HEADER, ["127.0.0.1"], SECRET), *ways, *([] if local is None else [local])]
    board: ProgressBoard[Event] = ProgressBoard(Event, HTTP)  # type: ignore[arg-type]
    service = changed(_service(home, log, board, Identities(own, anonymous=anonymous), local, operated))
    stop = threading.Event()
    answerer = _answerer(home, board, steps or PATIENT)
    threads = working(home, log, board, stop, steps or PATIENT) if works else []
    listening = bound("127.0.0.1", 0)
    address = "http://{}:{}".format(*listening.getsockname())
    try:
        app = build_app(service, Limits(hosts_of("127.0.0.1", ()), **(limits or {})))
        with served(app, listening, stopping=service.stopping):
            yield Place(home, address, service, log, answerer, stop)
    finally:
        stop.set()
        for thread in threads:
            thread.join()
        home.close()
        _forgotten()


def _forgotten() -> None:
    """FastAPI keeps each function that it ever served, and all that is below it, open files too: a process has one
    application, and tests have hundreds."""
    for kept in vars(models).values():
        if hasattr(kept, "cache_clear"):
            kept.cache_clear()


def _service(
    home: LivingHome, log: EmbeddedLog, board: Any, identities: Identities, local: LocalSessions | None,
    operated: Mapping[str, Any] | None,
) -> Service:  # fmt: skip
    ledger = home.bench.ledger
    telemetry = Telemetry()
    standing = ServiceStanding(telemetry, lambda: True)
    probe = StatusProbe(lambda: ledger, lambda: log, GROUPS, {}, lambda: home.now, {HTTP})
    standing.loaded.set()
    library = SearchService(home.index, home.watched, ANALYSER, lambda: home.bench.encoder,
                            lambda: RankingModels(home.bench.encoder, OverlapReranker(ANALYSER), ANALYSER, None),
                            Ranking(top=20), reticent=True)
    return Service(
        questions=QuestionService(
            ledger=ledger, permissions=home.watched, index=home.index, producer=log.producer(),
            ids=QuestionIds(b"ids"), surface=HTTP, clock=lambda: home.now, deadline=timedelta(minutes=2),
        ),
        progress=board,
        library=library, administrators=operating(home, log, **{"library": library, **(operated or {})}),
        traces=TraceService(ledger, home.watched, home.index, Contributions(_serving), lambda: home.now,
                            reticent=True),
        standing=standing, identities=identities, local=local, key=b"forms",
        metrics=counted(telemetry, probe, None).page,
    )


def _serving() -> Any:
    """What `loop_components` below makes answers by."""
    judge = SimpleNamespace(evaluator=CoverageEvaluator(), name="")
    return SimpleNamespace(fusion=ReciprocalRanks(), check=lambda: judge)


def _answerer(home: LivingHome, board: Any, steps: Steps) -> Answerer:
    nothing: Any = None
    components = replace(
        loop_components(nothing, home.bench.encoder, OverlapReranker(ANALYSER), CoverageEvaluator(), index=home.index),
        steps=steps,
    )  # fmt: skip
    return Answerer(home.watched, home.index, lambda: components, lambda: home.now, listen=board.listener,
                    earlier=earlier_within_a_day(home.bench.ledger))


def working(
    home: LivingHome, log: EmbeddedLog, board: Any, stop: threading.Event, steps: Steps
) -> list[threading.Thread]:
    """A worker and a sender, as the process of the service has them."""
    ledger, clock, answerer = home.bench.ledger, lambda: home.now, _answerer(home, board, steps)
    handlers = {
        "questions": QuestionHandler(answerer.answer, answerer.decline, ledger, clock),
        "feedback": FeedbackHandler(ledger, clock),
    }
    worker = Worker(log, "vouch", handlers, ledger.attempts, clock, stop)
    sender = ReplySender(ledger, answerer.still_visible, answerer.answer, answerer.decline, {HTTP: ledger.surface},
                         log.producer(), clock)
    threads = [threading.Thread(target=worker.run), threading.Thread(target=sender.run, args=(stop,))]
    for thread in threads:
        thread.start()
    return threads
