"""The report of a training as files below the home: a page, pictures and the numbers."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from flows.shared.report_folders import REPORTS, report_folder
from vouch.errors import Unavailable
from vouch.learning.training.training_pictures import pictures
from vouch.learning.training.training_report import markdown


def write_report(home: Path, name: str, report: Mapping[str, Any]) -> Path:
    """The folder HOME/reports/NAME with report.md, report.json and SVG files; what was there of the name is replaced.

    Raises Damaged for a link, Unavailable.
    """
    folder = report_folder(home, REPORTS, name)
    drawn = pictures(report)
    page = markdown(name, report, [(what, f"{what}.svg") for what in drawn])
    texts = {"report.md": page, "report.json": json.dumps(report, indent=1, sort_keys=True) + "\n",
             **{f"{what}.svg": picture for what, picture in drawn.items()}}
    try:
        for file, text in texts.items():
            draft = folder / f".{file}.new"
            draft.write_text(text, encoding="utf-8")
            draft.replace(folder / file)
    except OSError as error:
        raise Unavailable(f"{folder}: {error.strerror}", cure="check disk space and the permissions of it") from error
    return folder
