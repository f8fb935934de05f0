"""Administration, announcements and drafts, built from the settings."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from typing import TYPE_CHECKING

from vouch.settings import Settings

if TYPE_CHECKING:
    from services.documents.administration import Administration
    from services.documents.announcing import Announcer
    from services.documents.drafts import DraftService


def open_administration(settings: Settings) -> "Administration":
    """Ledger, index store and permissions; no model."""
    from composition.storage import open_storage
    from services.documents.administration import Administration

    storage = open_storage(settings)
    return Administration(storage.home, storage.ledger, storage.index, storage.permissions)


@contextmanager
def open_announcer(settings: Settings) -> "Iterator[Announcer]":
    from composition.log import open_log
    from composition.storage import open_home_and_ledger
    from consumers.monitoring.telemetry import Telemetry
    from consumers.process import now
    from consumers.wiring.status import watch_shown
    from services.documents.announcing import Announcer

    home, ledger = open_home_and_ledger(settings)
    with closing(ledger), closing(open_log(settings, home).producer()) as producer:
        telemetry = Telemetry()
        yield Announcer(ledger, producer, now, telemetry, partial(watch_shown, settings, home, telemetry))


@contextmanager
def open_drafts(settings: Settings) -> "Iterator[DraftService]":
    """Drafts of documents, and what puts them in place and announces them."""
    from services.documents.drafts import DraftService
    from vouch.adapters.sources.human_answers import HumanAnswers

    home = settings.home
    with open_announcer(settings) as announcer:
        ledger = announcer.ledger
        yield DraftService(ledger, HumanAnswers(home, ledger), partial(announcer.send, paths=None), announcer.clock)
