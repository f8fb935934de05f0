"""The home folder, and the ledger that belongs to it."""

from contextlib import closing
from pathlib import Path

from cli.wiring.settings import command_settings
from composition.ledger import open_home_and_ledger
from vouch.adapters.filesystem.home import open_home
from vouch.adapters.ledger.engine.schema import HEAD


def home_folder() -> Path:
    return open_home(command_settings().home)


def migrated_ledger() -> tuple[str, str]:
    """(where the ledger lies, its revision), once its tables are those this vouch knows."""
    with closing(open_home_and_ledger(command_settings())[1]) as ledger:
        return ledger.name, HEAD
