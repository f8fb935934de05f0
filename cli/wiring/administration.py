"""What most commands work with."""

from typing import TYPE_CHECKING

from cli.wiring.settings import command_settings
from services import wiring

if TYPE_CHECKING:
    from services.documents.administration import Administration


def most_people_removed() -> float:
    """The share of a directory's people that may go without a word."""
    return command_settings().access.max_removed_share


def open_administration() -> "Administration":
    """Ledger, index store and permissions; no model."""
    return wiring.open_administration(command_settings())
