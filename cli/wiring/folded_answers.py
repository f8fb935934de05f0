"""Questions with known answers, each asked with the evaluator calibrated on the questions about other documents."""

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from flows.shared.progress import Progress
from services.wiring import open_answer_evaluation, open_calibration
from vouch.learning.collections.asked import Asked
from vouch.learning.collections.golden import GoldenQuestion, Graded
from vouch.learning.evaluator.calibration import Calibration, calibrate
from vouch.learning.evaluator.calibration_figures import FOLDS, fold_of
from vouch.settings import Settings


class FoldedAnswers:
    """Five folds: nothing is fitted on the fold that it is measured on.

    A question belongs to the first document that answers it; one that nothing answers stands for itself.
    """

    def __init__(self, settings: Settings, golden: Sequence[GoldenQuestion], readers: Mapping[str, str]) -> None:
        self._settings, self._golden, self._readers = settings, golden, readers
        self.thresholds: list[dict[str, float]] = []

    def run(self, progress: Progress) -> Iterator[tuple[Graded, Asked]]:
        """In the order of the folds. Raises BadInput for too few questions to calibrate with, NotFound for a reader
        nobody knows."""
        folds = [[one for one in self._golden if fold_of(_document(one)) == fold] for fold in range(FOLDS)]
        with tempfile.TemporaryDirectory(prefix="folds-") as place:
            for fold, made in enumerate(self._calibrations(progress)):
                file = self._file(Path(place) / f"{fold}.json", made)
                evaluator = self._settings.evaluator.model_copy(update={"model": str(file)})
                settings = self._settings.model_copy(update={"evaluator": evaluator})
                yield from open_answer_evaluation(settings).run(folds[fold], self._readers)

    def _calibrations(self, progress: Progress) -> list[Calibration]:
        """Of each fold, made from the others."""
        service = open_calibration(self._settings)
        self._model = service.current()
        # Nearly the same question is about the same document, or is one of a fold by itself.
        by_text = {one.text: _document(one) for one in self._golden}
        lists = service.golden_lists(self._golden, self._readers, by_text, progress).values()
        made = [calibrate([one for one in lists if fold_of(one.group) != fold], service.rules.costs)
                for fold in range(FOLDS)]
        self.thresholds = [{"lower": one.lower, "upper": one.upper} for one in made]
        return made

    def _file(self, file: Path, made: Calibration) -> Path:
        file.write_text(made.on(self._model).model_dump_json(), encoding="utf-8")
        return file

    def told(self) -> dict[str, Any]:
        return {"folds": self.thresholds}


def _document(question: GoldenQuestion) -> str:
    return f"{question.corpus} {question.gold[0][0].path}" if question.gold else question.text
