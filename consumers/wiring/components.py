"""What asking from a terminal and the processes that work the log off have in common."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property, partial
from threading import Event
from typing import TYPE_CHECKING

from composition import models
from composition.language_model import check_language_models, model_server
from composition.lazy import Following, Lazy
from composition.learning import open_drift
from composition.log import GROUP, GROUPS, open_log
from composition.model_registry.registry import Registry
from composition.model_registry.serving import Serving
from composition.storage import Storage, open_live_index, open_storage
from composition.web_search import check_outside
from consumers.monitoring.exposition import Shown, counted, shown
from consumers.monitoring.status import StatusProbe
from consumers.monitoring.telemetry import Telemetry
from consumers.monitoring.watches import DriftWatch
from consumers.process import Closes, now
from consumers.questions.answerer import Answerer
from consumers.questions.flat_follow_ups import earlier_in_thread, last_in_conversation
from consumers.questions.handler import FeedbackHandler, QuestionHandler
from consumers.questions.progress import Listeners, ProgressPublisher
from consumers.replies.sender import ReplySender
from consumers.wiring.loop import loop_components, served_by
from consumers.wiring.status import build_probes, build_traces
from consumers.wiring.surfaces import (
    build_afterwards,
    build_slack,
    build_surfaces,
    conversations_of,
    is_gone,
    rights,
    served,
)
from consumers.worker.message_processor import Handler
from consumers.worker.worker import Worker
from indexers.live_index import LiveIndex
from vouch.adapters.access.watched import WatchedPermissions
from vouch.adapters.ledger import Ledger
from vouch.correction.components import Components
from vouch.correction.outcome import Outcome
from vouch.correction.progress import Listener
from vouch.messages import QuestionAsked
from vouch.ports.log import Log, Producer
from vouch.ports.surface import Surface
from vouch.settings import Settings
from vouch.trace import Recorder

if TYPE_CHECKING:
    from vouch.adapters.observability.otlp import Traces


def after_purge(latest: Callable[[], datetime | None], forget: Callable[[], None]) -> Callable[[], None]:
    """To be called when another version is served: calls `forget` if a purge was asked for since the last time.

    `latest` says when the newest purge was asked for.
    """
    known = latest()

    def moved() -> None:
        nonlocal known
        newest = latest()
        if newest != known:
            forget()
            known = newest

    return moved


@dataclass(frozen=True)
class WorkerComponents:
    """`judges`: this process knows all surfaces that any serves, so it may say of one that nobody does."""

    settings: Settings
    role: str
    storage: Storage
    index: LiveIndex
    registry: Registry
    log: Log
    producer: Producer
    answerer: Answerer
    surfaces: dict[str, Surface]
    judges: bool
    stop: Event
    telemetry: Telemetry
    traces: "Traces | None"
    progress: ProgressPublisher

    @property
    def ledger(self) -> Ledger:
        return self.storage.ledger

    @property
    def watched(self) -> WatchedPermissions:
        return self.storage.permissions

    @property
    def served(self) -> set[str] | None:
        return served(self.settings) if self.judges else None

    @property
    def record(self) -> Recorder | None:
        return None if self.traces is None else self.traces.record

    @property
    def components(self) -> tuple[Closes, ...]:
        """Closed with the process, in this order."""
        return (self.progress, self.producer, self.ledger, *([] if self.traces is None else [self.traces]))

    def worker(self) -> Worker:
        """Takes questions and votes off the log."""
        handlers: dict[str, Handler] = {
            "questions": QuestionHandler(
                self.answerer.answer, self.answerer.decline, self.ledger, now, models.active_requests().join,
                served=self.served, per_minute=self.settings.asking.per_minute, record=self.record,
            ),
            "feedback": FeedbackHandler(self.ledger, now),
        }
        return Worker(self.log, GROUP, handlers, self.ledger.attempts, now, self.stop,
                      hold=self.settings.worker.hold, telemetry=self.telemetry)

    def sender(self) -> ReplySender:
        """Brings answers to their surfaces."""
        return ReplySender(self.ledger, self.answerer.still_visible, self._answer_anew, self.answerer.decline,
                           self.surfaces, self.producer, now, served=self.served, telemetry=self.telemetry,
                           record=self.record, afterwards=build_afterwards(self.surfaces))

    def _answer_anew(self, question: QuestionAsked) -> Outcome:
        """Somebody waits for it, so that its texts go before others in the models."""
        with models.active_requests().join():
            return self.answerer.answer(question)

    def warm(self) -> None:
        """Loads the models, and has them work once. Raises ModelDown."""
        self.answerer.components().encoder.questions(["ready"])

    def shown(self, does: Sequence[str]) -> Shown:
        """`does`: what of the work others may leave to this process."""
        port = self.settings.monitor.port
        return partial(shown, self.storage.home, self.role, port, self.telemetry, self.status(), does, self.drift)

    def metrics(self) -> Callable[[], tuple[str, str]]:
        """The page that Prometheus reads: the same that the monitor's port shows, if there is one."""
        return counted(self.telemetry, self.status(), self.drift).page

    @cached_property
    def drift(self) -> DriftWatch:
        """One in the process, wherever it is shown."""
        return DriftWatch(open_drift(self.settings, self.ledger), now)

    def status(self) -> StatusProbe:
        """Looks at the machines and at what waits."""
        probes = build_probes(self.settings, self.storage.home, self.watched, self._index)
        return StatusProbe(
            lambda: self.ledger, lambda: self.log, GROUPS, probes, now, served(self.settings),
            lambda: self.index.version().manifest.counts.quarantined,
        )

    def _index(self) -> str:
        return f"version {self.index.version().number}, {self.storage.engine.check()}"


def open_worker(
    settings: Settings, role: str, *, judges: bool, listen: Callable[[QuestionAsked], Listener | None] | None = None
) -> WorkerComponents:
    """On the settings' home. Models are loaded when the first question is answered.

    `listen` names who is told how far a question is that this process answers, besides those who follow the log.
    """
    model_server(settings)              # a missing package is told now, and not at the first question
    check_outside(settings.web)
    check_language_models(settings)
    storage = open_storage(settings)
    registry = Registry(settings, storage.ledger.models)
    registry().check()                  # and so is a wrong evaluator
    index = open_live_index(settings, storage)
    log = open_log(settings, storage.home)

    def loaded() -> tuple[models.Models, Components]:
        loaded_models = models.load_models(settings)
        index.when_moved(after_purge(storage.ledger.purges.latest, loaded_models.closeness.forget))
        return loaded_models, loop_components(settings, index, loaded_models, registry())

    def serve(serving: Serving) -> Components:
        loaded_models, first = heavy()
        return served_by(first, settings, loaded_models, serving)

    heavy = Lazy(loaded)
    components = Following(registry, serve)

    slack = build_slack(settings, storage.ledger.slack_changes)
    conversations = conversations_of(slack)
    progress = ProgressPublisher(partial(log.producer, durable=False), now)
    before = storage.ledger, settings.answering.thread_hours, conversations
    answerer = Answerer(storage.permissions, index, components, now, conversations,
                        partial(_listeners, progress, listen),
                        partial(earlier_in_thread, *before), partial(last_in_conversation, *before),
                        partial(rights, slack), partial(is_gone, slack, storage.ledger))
    return WorkerComponents(
        settings, role, storage, index, registry, log, log.producer(), answerer,
        build_surfaces(settings, storage.ledger, slack), judges, Event(), Telemetry(), build_traces(settings, role),
        progress,
    )


def _listeners(
    progress: ProgressPublisher, listen: Callable[[QuestionAsked], Listener | None] | None, question: QuestionAsked
) -> Listener:
    beside = None if listen is None else listen(question)
    return Listeners([progress.listener(question), *([] if beside is None else [beside])])
