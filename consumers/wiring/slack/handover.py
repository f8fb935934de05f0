"""What hands questions over to people in Slack, what posts about it, and what a person may look at again."""

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from bots.slack.place import SLACK
from composition.lazy import Lazy
from composition.owners import DocumentOwners, SlackOwners, owner_tags, people_of
from composition.storage import open_live_index, open_permissions, open_storage
from consumers.process import now
from consumers.questions.own_answers import OwnAnswers
from consumers.wiring.surfaces import Slack
from vouch.adapters.ledger import Draft, Ledger
from vouch.adapters.sources.human_answers import NAME, HumanAnswers
from vouch.errors import VouchError
from vouch.messages import DocumentsChanged, Message
from vouch.settings import Settings

if TYPE_CHECKING:
    from bots.slack.answers.reach import AnswersInReach
    from bots.slack.answers.still_said import StillSaid
    from bots.slack.handoff.handover import Handover
    from bots.slack.personal.app_home import Personal

LOOK_S, SETTLE_S = 1.0, 60.0
_log = logging.getLogger(__name__)


@dataclass
class Upkeep:
    """Posts what waits, and lets documents of people's answers go when they expire, also what others left undone."""

    post_one: Callable[[], bool]
    settle: Callable[[], object]
    _stop: threading.Event = field(default_factory=threading.Event)
    _wanted: threading.Event = field(default_factory=threading.Event)
    _turn: threading.Lock = field(default_factory=threading.Lock)
    _thread: threading.Thread | None = None

    def wake(self) -> None:
        """What waits is posted at once, by the thread that posts."""
        self._wanted.set()

    def post_due(self) -> None:
        with self._turn:
            while self.post_one():
                pass

    def begin(self) -> None:
        self._thread = threading.Thread(target=self._run, name="slack notices", daemon=True)
        self._thread.start()

    def end(self) -> None:
        self._stop.set()
        self.wake()
        if self._thread is not None:
            self._thread.join(timeout=5)

    def _run(self) -> None:
        settled = float("-inf")
        while not self._stop.is_set():
            self._wanted.clear()
            self._try(self.post_due)
            if time.monotonic() - settled >= SETTLE_S:
                settled = time.monotonic()
                self._try(self.settle)
            self._wanted.wait(LOOK_S)

    @staticmethod
    def _try(work: Callable[[], object]) -> None:
        """The thread outlives whatever fails."""
        try:
            work()
        except VouchError as error:
            _log.warning("slack: what waits to be posted: %s", error)
        except Exception as error:
            _log.warning("slack: what waits to be posted: %s", type(error).__name__)


def build_handover(
    settings: Settings, slack: Slack, home: Path, ledger: Ledger, send: Callable[[Message], object], still: "StillSaid"
) -> "tuple[Handover, Upkeep]":
    from bots.slack.handoff.alone import Alone
    from bots.slack.handoff.handover import Handover
    from bots.slack.handoff.owners import Owners
    from bots.slack.identity.accounts import Accounts
    from bots.slack.notices.askers_told import AskerNotices
    from bots.slack.notices.hand_overs import HandOverNotices
    from bots.slack.notices.owners_told import OwnerNotices
    from bots.slack.notices.posting import NoticePoster
    from bots.slack.notices.sending import NoticeSender

    permissions = open_permissions(settings, ledger)
    accounts = Accounts(slack.api, slack.people, slack.people.mapped,
                        lambda group: people_of(permissions.permissions().directory, group, now()), slack.groups)

    def of_documents() -> DocumentOwners:
        storage = open_storage(settings)
        return DocumentOwners(open_live_index(settings, storage), storage.permissions)

    named = SlackOwners(ledger.slack_channels, owner_tags(settings))
    looked_after = Lazy(of_documents)
    owners = Owners(accounts, slack.conversations, named, looked_after, owner_tags(settings))
    documents, own = HumanAnswers(home, ledger), own_answers(settings, ledger)
    alone = Alone(ledger, slack.people, accounts, owners, lambda *given: own().near(*given), still)

    def announced(changed: bool) -> None:
        if changed:
            send(DocumentsChanged(source=NAME, at=now()))

    def decided(draft: str, state: str, by: str) -> Draft:
        done, changed = documents.decide(draft, state, by, now())
        announced(changed)
        return done

    handover = Handover(ledger, slack.people, accounts, slack.conversations, owners, decided, now,
                        settings.slack.handoffs_per_hour, alone)
    sender = NoticeSender(slack.api, accounts)
    told_owners = OwnerNotices(sender, lambda tag, documents: looked_after().readable(tag, documents, now()))
    poster = NoticePoster(ledger, {
        **HandOverNotices(sender, ledger, accounts, owners, alone).kinds(),
        **told_owners.kinds(), **AskerNotices(sender, ledger).kinds(),
    }, now)
    return handover, Upkeep(poster.step, lambda: announced(documents.settle(now())))


def build_personal(settings: Settings, slack: Slack, ledger: Ledger, reach: "AnswersInReach") -> "Personal":
    from bots.slack.personal.app_home import Personal

    return Personal(slack.api, slack.people, own_answers(settings, ledger),
                    lambda user, answer: reach.is_gone(user, reach.question_of(answer)),
                    lambda user, answer: reach.is_hidden(user, reach.question_of(answer)), settings.slack.prompts)


def own_answers(settings: Settings, ledger: Ledger) -> Lazy[OwnAnswers]:
    """Opens the index when somebody first looks."""
    def opened() -> OwnAnswers:
        storage = open_storage(settings)
        index = open_live_index(settings, storage)
        return OwnAnswers(ledger, storage.permissions, index, lambda: index.version().documents(), now, SLACK)

    return Lazy(opened)
