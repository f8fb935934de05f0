"""What calibrates the evaluator."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cli.wiring.settings import command_settings
from flows.shared.progress import Progress
from services import wiring
from vouch.adapters.golden_questions import read_golden


def calibrate_evaluator(
    questions: Path | None, readers: Mapping[str, str], out: Path | None, progress: Progress
) -> dict[str, Any]:
    """Registers what is made, writes it to `out`, and returns its figures."""
    golden = list(read_golden(questions)) if questions is not None else []
    return wiring.open_calibration(command_settings()).run(golden, readers, progress, out)
