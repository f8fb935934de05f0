"""Posts what waits in the ledger, in its order, tried again until Slack takes it or it is given up."""

import logging
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from bots.slack.api import ChannelDown, NotTaken, OddRefusal, refused_for, told
from vouch.adapters.ledger import Ledger, Notice
from vouch.adapters.ledger.notices import DROPPED, POSTED
from vouch.errors import BadInput, Denied, NotFound, Unavailable

_AGAIN = timedelta(seconds=5)
_MOST_TRIES = 200                       # some days, at the longest pause
_MOST_REFUSED = 20                      # some hours: in words that are not known, Slack says that it does not
_LONGEST = timedelta(minutes=30)
_log = logging.getLogger(__name__)
Post = Callable[[Notice], bool]


@dataclass(frozen=True)
class NoticePoster:
    """The ledger says what is due; whoever claims it posts it. Several bots may run at once.

    `kinds`: what posts a notice of each kind. It returns whether anybody was told, raises Unavailable while that is
    open, and whatever a row or a reply may cause.
    """

    ledger: Ledger
    kinds: Mapping[str, Post]
    clock: Callable[[], datetime]
    refused: Counter[str] = field(default_factory=Counter[str])     # how often this process met that, of each notice

    def step(self) -> bool:
        """Posts one that is due; False if there is none. Raises LedgerDown."""
        notice = self.ledger.notices.claim(self.clock())
        if notice is None:
            return False
        try:
            self.ledger.notices.finish(notice.id, POSTED if self._post(notice) else DROPPED)
            self.refused.pop(notice.id, None)
        except NotTaken as error:
            self._later(notice, error)
        except (Denied, NotFound, BadInput) as error:
            _log.warning("slack: a message is given up: %s", error)
            self.ledger.notices.finish(notice.id, DROPPED)
        except Exception as error:                  # whatever is odd about one, the others are posted
            self._later(notice, error)
        return True

    def _post(self, notice: Notice) -> bool:
        if notice.kind not in self.kinds:
            raise BadInput("a message of a kind that this version does not know", cure="update vouch")
        return self.kinds[notice.kind](notice)

    def _later(self, notice: Notice, error: Exception) -> None:
        if isinstance(error, NotTaken | OddRefusal) and not isinstance(error, ChannelDown):
            self.refused[notice.id] += 1    # an outage before it does not count
        if self.refused[notice.id] >= _MOST_REFUSED or notice.tries >= _MOST_TRIES:
            self.refused.pop(notice.id, None)
            _log.warning("slack: a message is given up: %s: %s", notice.id, told(error))
            self.ledger.notices.finish(notice.id, DROPPED)
            return
        if not isinstance(error, Unavailable):
            _log.warning("slack: a message is tried again later: %s", told(error))
        asked = timedelta(seconds=refused_for(error) or 0.0)
        pause = min(_AGAIN * 2 ** min(notice.tries, 10), _LONGEST)
        self.ledger.notices.later(notice.id, self.clock() + max(asked, pause))
