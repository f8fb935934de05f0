"""Where the command asks and votes, and where it tells the log of changes."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from typing import TYPE_CHECKING

from cli.wiring.settings import command_settings
from services import wiring

if TYPE_CHECKING:
    from services.answering.asking import AskClient
    from services.documents.announcing import Announcer


@contextmanager
def open_ask_client() -> "Iterator[AskClient]":
    """Asks and, if no worker does, answers. Closed at the end, whatever happens."""
    with closing(wiring.open_ask_client(command_settings())) as client:
        yield client


def open_announcer() -> "AbstractContextManager[Announcer]":
    return wiring.open_announcer(command_settings())
