"""How answers were made, from the ledger and the current version."""

from typing import TYPE_CHECKING

from cli.wiring.settings import command_settings
from services import wiring

if TYPE_CHECKING:
    from services.answering.replay import ReplayService
    from services.answering.traces import TraceService


def open_traces() -> "TraceService":
    """No model is loaded."""
    return wiring.open_traces(command_settings())


def open_replay(version: int | None) -> "ReplayService":
    """On this version of the index; None: the current one. Models are loaded when something is run."""
    return wiring.open_replay(command_settings(), version)
