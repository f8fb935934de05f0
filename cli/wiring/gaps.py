"""What finds gaps."""

from typing import TYPE_CHECKING

from cli.wiring.settings import command_settings
from services import wiring

if TYPE_CHECKING:
    from services.labeling.gaps import GapService


def open_gaps() -> "GapService":
    return wiring.open_gap_service(command_settings())
