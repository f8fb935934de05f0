"""Judging passages and the labels that come of it; gaps, and who is shown in them."""

from collections.abc import Collection
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from cli.wiring.settings import command_settings
from composition.storage import open_home_and_ledger
from flows.shared.reporting import Progress
from services.wiring import labeling as labeling_wiring
from vouch.adapters.data_files.labels import read_labels, read_qrels, write_labels, write_qrels
from vouch.learning.labels.label import Source

if TYPE_CHECKING:
    from flows.training.material import Collected
    from services.labeling.gaps import ExampleService, GapService
    from services.labeling.judging import Labeling
    from services.labeling.label_import import Imported


def open_labeling(pool: int | None) -> "Labeling":
    """Over the current version; the models are loaded when the first question is searched."""
    return labeling_wiring.open_labeling(command_settings(), pool)


def collect(progress: Progress) -> "Collected":
    """Makes the labels of every recorded answer anew."""
    return labeling_wiring.collect_labels(command_settings(), progress)


def export(path: Path, questions: Path | None, sources: Collection[Source]) -> int:
    """How many lines were written; as qrels if there is a file for the questions."""
    with closing(open_home_and_ledger(command_settings())[1]) as ledger:
        labels = ledger.labels.list(sources)
    return write_labels(labels, path) if questions is None else write_qrels(labels, path, questions)


def take_in(path: Path, questions: Path | None) -> "Imported":
    """How many of the file's judgments were taken; all that can be are kept, or none."""
    settings, now = command_settings(), datetime.now(UTC)
    weight = settings.labels.judged
    labels = read_labels(path, weight, now) if questions is None else read_qrels(path, questions, weight, now)
    return labeling_wiring.open_label_import(settings).take(labels)


def open_gaps() -> "GapService":
    return labeling_wiring.open_gap_service(command_settings())


def open_examples() -> "ExampleService":
    return labeling_wiring.open_examples(command_settings())
