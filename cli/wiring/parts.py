"""What most commands work with."""

from cli.parts import Parts
from cli.wiring.settings import command_settings
from composition.storage import open_storage


def most_people_removed() -> float:
    """The share of a directory's people that may go without a word."""
    return command_settings().access.max_removed_share


def open_parts() -> Parts:
    """Ledger, index store and permissions; no model."""
    storage = open_storage(command_settings())
    return Parts(storage.home, storage.ledger, storage.index, storage.permissions)
