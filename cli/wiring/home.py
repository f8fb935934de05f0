"""The home folder, and the ledger that belongs to it."""

from contextlib import closing
from pathlib import Path

from cli.wiring.settings import command_settings
from vouch.adapters.home import open_home
from vouch.adapters.ledger import Ledger, open_ledger
from vouch.adapters.ledger.schema import HEAD
from vouch.settings import Settings


def home_folder() -> Path:
    return open_home(command_settings().home)


def home_and_ledger(settings: Settings) -> tuple[Path, Ledger]:
    """Both open; whoever asks closes the ledger."""
    home = open_home(settings.home)
    return home, open_ledger(settings.ledger.url or home / "ledger.sqlite")


def migrated_ledger() -> tuple[str, str]:
    """(where the ledger lies, its revision), once its tables are those this vouch knows."""
    settings = command_settings()
    with closing(open_ledger(settings.ledger.url or open_home(settings.home) / "ledger.sqlite")) as ledger:
        return ledger.name, HEAD
