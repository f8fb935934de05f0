"""The SQL database that remembers what must not be lost: one small store per thing it knows."""

import threading
from functools import cached_property
from pathlib import Path

from vouch.adapters.ledger.answers.answers import Answers
from vouch.adapters.ledger.answers.counters import Attempts, RateLimiter
from vouch.adapters.ledger.answers.notices import Notices
from vouch.adapters.ledger.answers.outbox import LedgerSurface, Outbox
from vouch.adapters.ledger.answers.sent_answers import AskedBy, SentAnswers, Threads
from vouch.adapters.ledger.conversations import ChangedQuestions, SlackChanges, SlackChannels, SlackEvents
from vouch.adapters.ledger.documents.runs import Acts, FlowRuns, Runs
from vouch.adapters.ledger.documents.sources import Sources, StatCache
from vouch.adapters.ledger.documents.versions import Holds, Versions
from vouch.adapters.ledger.engine.database import Database
from vouch.adapters.ledger.engine.migrate import bring_to_head
from vouch.adapters.ledger.handoffs import Drafts, Handoffs
from vouch.adapters.ledger.permissions.access import Access
from vouch.adapters.ledger.permissions.directory import Ended, ProvenGroups
from vouch.adapters.ledger.registry.models import Models
from vouch.adapters.ledger.removal.erasure import Erasure
from vouch.adapters.ledger.removal.expiry import Expiry
from vouch.adapters.ledger.removal.purges import Purges
from vouch.adapters.ledger.usage.answer_figures import AnswerFigures, Measures, RankedAnswers
from vouch.adapters.ledger.usage.feedback import Complaints, Feedback
from vouch.adapters.ledger.usage.history import History
from vouch.adapters.ledger.usage.labels import Labels
from vouch.adapters.ledger.usage.past_answers import ExampleChoices, PastAnswers


class Ledger:
    """Threads may share it. Every store may raise LedgerDown, Busy, Damaged or Conflict besides what it names.

    What few commands need is made when it is first asked for.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        arrived = threading.Event()
        self.sources = Sources(database)
        self.versions = Versions(database)
        self.holds = Holds(database)
        self.access = Access(database)
        self.stat_cache = StatCache(database)
        self.answers = Answers(database, arrived)
        self.answer_figures = AnswerFigures(database)
        self.outbox = Outbox(database, arrived)
        self.pace = RateLimiter(database)
        self.surface = LedgerSurface(database)
        self.sent = SentAnswers(database)
        self.feedback = Feedback(database)
        self.attempts = Attempts(database)
        self.runs = Runs(database)
        self.purges = Purges(database)
        self.erasure = Erasure(database)
        self.expiry = Expiry(database)
        self.changed = ChangedQuestions(database)

    @cached_property
    def acts(self) -> Acts:
        return Acts(self._database)

    @cached_property
    def flow_runs(self) -> FlowRuns:
        return FlowRuns(self._database)

    @cached_property
    def ended(self) -> Ended:
        return Ended(self._database)

    @cached_property
    def proven_groups(self) -> ProvenGroups:
        return ProvenGroups(self._database)

    @cached_property
    def threads(self) -> Threads:
        return Threads(self._database)

    @cached_property
    def slack_channels(self) -> SlackChannels:
        return SlackChannels(self._database)

    @cached_property
    def slack_changes(self) -> SlackChanges:
        return SlackChanges(self._database)

    @cached_property
    def slack_events(self) -> SlackEvents:
        return SlackEvents(self._database)

    @cached_property
    def asked_by(self) -> AskedBy:
        return AskedBy(self._database)

    @cached_property
    def handoffs(self) -> Handoffs:
        return Handoffs(self._database)

    @cached_property
    def drafts(self) -> Drafts:
        return Drafts(self._database)

    @cached_property
    def notices(self) -> Notices:
        return Notices(self._database)

    @cached_property
    def labels(self) -> Labels:
        return Labels(self._database)

    @cached_property
    def history(self) -> History:
        return History(self._database)

    @cached_property
    def past_answers(self) -> PastAnswers:
        return PastAnswers(self._database)

    @cached_property
    def examples(self) -> ExampleChoices:
        return ExampleChoices(self._database)

    @cached_property
    def measures(self) -> Measures:
        return Measures(self._database)

    @cached_property
    def complaints(self) -> Complaints:
        return Complaints(self._database)

    @cached_property
    def models(self) -> Models:
        return Models(self._database)

    @cached_property
    def ranked(self) -> RankedAnswers:
        return RankedAnswers(self._database)

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
