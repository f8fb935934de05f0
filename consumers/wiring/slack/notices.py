"""What posts the messages that wait in the ledger, and the thread that does."""

import logging
import threading
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from consumers.process import now
from consumers.wiring.surfaces import Slack
from vouch.adapters.ledger import Ledger
from vouch.errors import VouchError

if TYPE_CHECKING:
    from bots.slack.handoff.alone import Alone
    from bots.slack.handoff.owners import Owners
    from bots.slack.identity.accounts import Accounts
    from bots.slack.notices.posting import NoticePoster

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


def build_poster(
    slack: Slack, ledger: Ledger, accounts: "Accounts", owners: "Owners", alone: "Alone",
    readable: Callable[[str, Collection[str]], Collection[str]],
) -> "NoticePoster":  # fmt: skip
    from bots.slack.notices.askers_told import AskerNotices
    from bots.slack.notices.hand_overs import HandOverNotices
    from bots.slack.notices.owners_told import OwnerNotices
    from bots.slack.notices.posting import NoticePoster
    from bots.slack.notices.sending import NoticeSender

    sender = NoticeSender(slack.api, accounts)
    return NoticePoster(ledger, {
        **HandOverNotices(sender, ledger, accounts, owners, alone).kinds(),
        **OwnerNotices(sender, readable).kinds(), **AskerNotices(sender, ledger).kinds(),
    }, now)
