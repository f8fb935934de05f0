"""How answers were made, from the ledger and the current version."""

from typing import TYPE_CHECKING

from cli.wiring.settings import command_settings
from services import wiring

if TYPE_CHECKING:
    from services.answering.traces import TraceService


def open_traces() -> "TraceService":
    """No model is loaded."""
    return wiring.open_traces(command_settings())
