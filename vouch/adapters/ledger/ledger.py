"""The SQL database that remembers what must not be lost: one small store per thing it knows."""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Generic, TypeVar

from vouch.adapters.ledger.answers.answers import Answers
from vouch.adapters.ledger.answers.counters import Attempts, RateLimiter
from vouch.adapters.ledger.answers.outbox import LedgerSurface, Outbox
from vouch.adapters.ledger.answers.sent_answers import AskedBy, SentAnswers, Threads
from vouch.adapters.ledger.answers.sent_outlines import SentOutlines
from vouch.adapters.ledger.conversations.changed_questions import ChangedQuestions
from vouch.adapters.ledger.conversations.channels import SlackChannels
from vouch.adapters.ledger.conversations.slack_changes import SlackChanges
from vouch.adapters.ledger.conversations.slack_events import SlackEvents
from vouch.adapters.ledger.documents.runs import Runs
from vouch.adapters.ledger.documents.sources import Sources, StatCache
from vouch.adapters.ledger.documents.versions import Holds, Versions
from vouch.adapters.ledger.engine.database import Database
from vouch.adapters.ledger.engine.migrate import bring_to_head
from vouch.adapters.ledger.handoffs import Drafts, Handoffs
from vouch.adapters.ledger.notices import Notices
from vouch.adapters.ledger.operating.acts import Acts
from vouch.adapters.ledger.operating.flow_runs import FlowRuns
from vouch.adapters.ledger.permissions.access import Access
from vouch.adapters.ledger.permissions.sign_ins import Ended, ProvenGroups
from vouch.adapters.ledger.registry.models import Models
from vouch.adapters.ledger.removal.erasure import Erasure
from vouch.adapters.ledger.removal.expiry import Expiry
from vouch.adapters.ledger.removal.purges import Purges
from vouch.adapters.ledger.usage.answer_figures import AnswerFigures
from vouch.adapters.ledger.usage.feedback import Complaints, Feedback
from vouch.adapters.ledger.usage.history import History
from vouch.adapters.ledger.usage.labels import Labels
from vouch.adapters.ledger.usage.measures import Measures
from vouch.adapters.ledger.usage.past_answers import ExampleChoices, PastAnswers
from vouch.adapters.ledger.usage.ranked_answers import RankedAnswers

Made = TypeVar("Made")


class _Store(Generic[Made]):
    """A store of a ledger, made when it is first asked for: few commands need more than a handful of them."""

    def __init__(self, make: Callable[["Ledger"], Made]) -> None:
        self._make = make

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, ledger: "Ledger", owner: type) -> Made:
        made: Made = vars(ledger).setdefault(self._name, self._make(ledger))   # threads that ask at once get the same
        return made


def _store(kind: Callable[[Database], Made]) -> _Store[Made]:
    return _Store(lambda ledger: kind(ledger._database))


class Ledger:
    """Threads may share it. Every store may raise LedgerDown, Busy, Damaged or Conflict besides what it names."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._arrived = threading.Event()

    sources = _store(Sources)
    stat_cache = _store(StatCache)
    versions = _store(Versions)
    holds = _store(Holds)
    runs = _store(Runs)
    flow_runs = _store(FlowRuns)
    acts = _store(Acts)

    access = _store(Access)
    ended = _store(Ended)
    proven_groups = _store(ProvenGroups)

    answers = _Store(lambda ledger: Answers(ledger._database, ledger._arrived))
    outbox = _Store(lambda ledger: Outbox(ledger._database, ledger._arrived))
    surface = _store(LedgerSurface)
    sent = _store(SentAnswers)
    sent_outlines = _store(SentOutlines)
    asked_by = _store(AskedBy)
    threads = _store(Threads)
    notices = _store(Notices)
    attempts = _store(Attempts)
    pace = _store(RateLimiter)

    changed = _store(ChangedQuestions)
    slack_channels = _store(SlackChannels)
    slack_changes = _store(SlackChanges)
    slack_events = _store(SlackEvents)
    handoffs = _store(Handoffs)
    drafts = _store(Drafts)

    feedback = _store(Feedback)
    complaints = _store(Complaints)
    labels = _store(Labels)
    history = _store(History)
    past_answers = _store(PastAnswers)
    examples = _store(ExampleChoices)
    answer_figures = _store(AnswerFigures)
    measures = _store(Measures)
    ranked = _store(RankedAnswers)
    models = _store(Models)

    purges = _store(Purges)
    erasure = _store(Erasure)
    expiry = _store(Expiry)

    @property
    def name(self) -> str:
        """Where it lies, without a password."""
        return self._database.name

    def close(self) -> None:
        self._database.close()


def open_ledger(url_or_path: str | Path) -> Ledger:
    """The ledger at a SQLAlchemy URL or in a SQLite file, created or brought up to date first.

    Raises Usage when a newer vouch has written it, LedgerDown, Busy or Damaged.
    """
    database = Database(url_or_path)
    try:
        bring_to_head(database)
    except BaseException:
        database.close()
        raise
    return Ledger(database)
