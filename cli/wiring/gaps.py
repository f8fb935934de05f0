"""What finds gaps, and who lets questions be shown in them."""

from typing import TYPE_CHECKING

from cli.wiring.settings import command_settings
from services import wiring

if TYPE_CHECKING:
    from services.labeling.examples import ExampleService
    from services.labeling.gaps import GapService


def open_gaps() -> "GapService":
    return wiring.open_gap_service(command_settings())


def open_examples() -> "ExampleService":
    return wiring.open_examples(command_settings())
