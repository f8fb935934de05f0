"""The home and its ledger, which most commands need and which need no index."""

from pathlib import Path

from vouch.adapters.access.watched import WatchedPermissions
from vouch.adapters.filesystem.home import open_home
from vouch.adapters.ledger import Ledger, open_ledger
from vouch.settings import Settings


def open_home_and_ledger(settings: Settings) -> tuple[Path, Ledger]:
    """Both open; whoever asks closes the ledger. Raises LedgerDown."""
    home = open_home(settings.home)
    return home, open_ledger(settings.ledger.url or home / "ledger.sqlite")


def open_permissions(settings: Settings, ledger: Ledger) -> WatchedPermissions:
    """The permissions in force by that ledger and the access files it names."""
    return WatchedPermissions(ledger.sources, ledger.access, watch=settings.access.watch)
