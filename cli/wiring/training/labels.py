"""Judging passages and the labels that come of it; gaps, and who is shown in them."""

from collections.abc import Callable, Collection, Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cli.wiring.settings import command_settings
from composition.storage import open_home_and_ledger
from flows.shared.reporting import Progress
from services.wiring import labeling as labeling_wiring
from vouch.adapters.data_files.labels import (
    qrels_of,
    read_labels,
    read_qrels,
    row_of,
    write_labels,
    write_qrels,
    write_topics,
)
from vouch.learning.labels.label import Label, Source

if TYPE_CHECKING:
    from flows.training.material import Collected
    from services.labeling.gaps import ExampleService, GapService
    from services.labeling.judging import Labeling
    from services.labeling.label_import import Imported, TakenBack


def open_labeling(pool: int | None) -> "Labeling":
    """Over the current version; the models are loaded when the first question is searched."""
    return labeling_wiring.open_labeling(command_settings(), pool)


def collect(progress: Progress) -> "Collected":
    """Makes the labels of every recorded answer anew."""
    return labeling_wiring.collect_labels(command_settings(), progress)


def export(path: Path, questions: Path | None, sources: Collection[Source]) -> int:
    """How many lines were written; as qrels if there is a file for the questions."""
    labels = _labels(sources)
    return write_labels(labels, path) if questions is None else write_qrels(labels, path, questions)


def exported_rows(sources: Collection[Source]) -> Iterator[dict[str, Any]]:
    """What `export` would write."""
    return map(row_of, _labels(sources))


def exported_qrels(questions: Path, sources: Collection[Source]) -> list[str]:
    """The lines of the qrels; their questions are written."""
    lines, topics = qrels_of(_labels(sources))
    write_topics(topics, questions)
    return lines


def _labels(sources: Collection[Source]) -> list[Label]:
    with closing(open_home_and_ledger(command_settings())[1]) as ledger:
        return ledger.labels.list(sources)


def take_in(path: Path, questions: Path | None) -> "Imported":
    """How many of the file's judgments were taken; all that can be are kept, or none."""
    service = labeling_wiring.open_label_import(command_settings())
    return service.take(_read(path, questions, service.stranger()))


def take_back(path: Path, questions: Path | None) -> "TakenBack":
    """How many of the file's judgments were there, and are no more."""
    return labeling_wiring.open_label_import(command_settings()).take_back(_read(path, questions, lambda tag: ""))


def _read(path: Path, questions: Path | None, stranger: Callable[[str], str]) -> list[Label]:
    weight, now = command_settings().labels.judged, datetime.now(UTC)
    if questions is None:
        return read_labels(path, weight, now, stranger)
    return read_qrels(path, questions, weight, now)


def open_gaps() -> "GapService":
    return labeling_wiring.open_gap_service(command_settings())


def open_examples() -> "ExampleService":
    return labeling_wiring.open_examples(command_settings())
