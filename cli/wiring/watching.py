"""What notices changes of documents, and what tells the log of them."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial

from cli.notices import Notices
from cli.wiring.settings import command_settings
from composition.log import open_log
from composition.storage import open_home_and_ledger
from consumers.vitals import Vitals
from consumers.wiring.clock import now
from consumers.wiring.standing import watch_shown


@contextmanager
def open_notices() -> Iterator[Notices]:
    settings = command_settings()
    home, ledger = open_home_and_ledger(settings)
    with closing(ledger), closing(open_log(settings, home).producer()) as producer:
        vitals = Vitals()
        yield Notices(ledger, producer, now, vitals, partial(watch_shown, settings, home, vitals))
