"""The report of a training as files below the home, for its owner alone: a page, pictures and the numbers."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from flows.shared.home_files.folders import TRAININGS, report_folder
from vouch.adapters.filesystem.private_files import replace_private
from vouch.errors import Unavailable
from vouch.learning.drift.drift_look import Drift
from vouch.learning.drift.drift_report import drift_lines, drift_picture, drift_row
from vouch.learning.training.training_report import markdown, pictures

_DRIFT = "drift.svg"


def write_report(home: Path, name: str, report: Mapping[str, Any], drift: Drift | None = None) -> Path:
    """The folder HOME/trainings/NAME with report.md, report.json and SVG files; what was there of the name is replaced.

    The page and a picture tell the `drift` of that moment as well. Raises Damaged for a link, Unavailable.
    """
    drawn = pictures(report)
    page = markdown(name, report, [(what, f"{what}.svg") for what in drawn])
    if drift is not None:
        page += "\n".join(["", "## Drift", "", *drift_lines(drift_row(drift), _DRIFT), ""])
        drawn |= {"drift": drift_picture(drift)} if drift.columns else {}
    texts = {"report.md": page, "report.json": json.dumps(report, indent=1, sort_keys=True) + "\n",
             **{f"{what}.svg": picture for what, picture in drawn.items()}}
    return write_files(home, name, texts)


def write_files(home: Path, name: str, texts: Mapping[str, str]) -> Path:
    """The same for texts by the name of their file."""
    folder = report_folder(home, TRAININGS, name)
    try:
        for file, text in texts.items():
            replace_private(folder / file, text)
    except OSError as error:
        raise Unavailable(f"{folder}: {error.strerror}", cure="check disk space and the permissions of it") from error
    return folder
