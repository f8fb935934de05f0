"""Where the command asks and votes."""

from collections.abc import Iterator
from contextlib import closing, contextmanager

from cli.wiring.settings import command_settings
from consumers.desk import Desk
from consumers.wiring.desk import build_desk


@contextmanager
def open_desk() -> Iterator[Desk]:
    """A desk that asks and, if no worker does, answers. Closed at the end, whatever happens."""
    with closing(build_desk(command_settings())) as desk:
        yield desk
