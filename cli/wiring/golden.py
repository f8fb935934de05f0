"""The company's own questions, and how they are answered."""

from pathlib import Path

from cli.wiring.evaluations import Measured, measure_answers
from cli.wiring.home import home_folder
from cli.wiring.settings import command_settings
from flows.shared.golden_file import golden_file
from flows.shared.progress import Progress
from services.models.golden import GoldenService
from services.wiring import open_search_service
from vouch.errors import NotFound


def open_golden(file: Path | None) -> GoldenService:
    """Of the file, or else of the home."""
    return GoldenService(open_search_service(command_settings()), file or golden_file(home_folder()))


def evaluate_golden(file: Path | None, out: Path | None, against: Path | None, progress: Progress) -> Measured:
    """Raises NotFound where there are no questions yet."""
    chosen = file or golden_file(home_folder())
    if not chosen.exists():
        raise NotFound(f"{chosen} is not there", cure="add questions: vouch golden add")
    return measure_answers("golden", chosen, {}, None, out, against, progress)
