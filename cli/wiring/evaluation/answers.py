"""Questions with known answers: asked, asked by folds of a calibration, and compared."""

import json
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

from cli.wiring.settings import changed_settings
from flows.shared.reporting import Progress
from services.wiring.evaluation import open_answer_evaluation, open_calibration
from vouch.adapters.data_files.public import json_rows, reading
from vouch.learning.collections.asked import Asked, Spans, told_spans
from vouch.learning.collections.golden import GoldenQuestion, Graded, figures
from vouch.learning.evaluation.comparing import Kept, compared, kept, kept_of
from vouch.learning.evaluation.failed_questions import failed
from vouch.learning.evaluation.golden_retrieval import Places, confusion, places, retrieval_figures
from vouch.learning.evaluator.calibration import Calibration, calibrate
from vouch.learning.evaluator.calibration_figures import FOLDS, fold_of
from vouch.learning.evaluator.evaluator_figures import sureness
from vouch.settings import Settings

_CURE = "give a file that vouch evaluate answers --out wrote, or settings in a file named .toml"


@dataclass
class GoldenAnswers:
    """What is kept of each answer, in the order of the questions."""

    graded: list[Graded] = field(default_factory=list)
    places: list[Places] = field(default_factory=list)
    spans: list[Spans] = field(default_factory=list)
    said: list[str] = field(default_factory=list)       # the evaluator's word
    failures: list[dict[str, Any]] = field(default_factory=list)    # with words of documents: no report holds them

    def report(self) -> dict[str, Any]:
        rows = zip([one.question for one in self.graded], self.places, strict=True)
        retrieval = retrieval_figures(rows)
        found = {**figures(self.graded), "spans": told_spans(self.spans)}
        return {"figures": {**found, "retrieval": retrieval} if retrieval else found, **sureness(self.graded)}

    def verdicts(self) -> dict[str, dict[str, int]]:
        return confusion(zip([one.question for one in self.graded], self.places, self.said, strict=True))

    def kept(self) -> dict[str, Kept]:
        """What is kept of each answer, by the id of its question."""
        return {one.question.id: kept(one, where) for one, where in zip(self.graded, self.places, strict=True)}


def ask_golden(
    settings: Settings, golden: Sequence[GoldenQuestion], readers: Mapping[str, str], out: Path | None,
    progress: Progress, stage: str = "answer",
) -> GoldenAnswers:  # fmt: skip
    """Grade and answer of each go to `out`, a line each. Raises NotFound for a reader nobody knows."""
    progress(stage, 0, len(golden))
    return keep_answers(open_answer_evaluation(settings).run(golden, readers), len(golden), out, progress, stage)


def keep_answers(
    asked: Iterable[tuple[Graded, Asked]], total: int, out: Path | None, progress: Progress, stage: str = "answer"
) -> GoldenAnswers:
    """Keeps what the report needs of each answer, as soon as it is there."""
    answers = GoldenAnswers()
    with (out.open("w", encoding="utf-8") if out else nullcontext()) as file:
        for grade, outcome in asked:
            answers.graded.append(grade)
            answers.places.append(places(grade.question, outcome))
            answers.spans.append(outcome.spans)
            answers.said.append(outcome.answer.verdict.kind if outcome.answer.verdict else "none")
            answers.failures += filter(None, [failed(grade, answers.places[-1], outcome.answer)])
            _write(file, answers, outcome.answer.model_dump(mode="json"))
            progress(stage, len(answers.graded), total)
    return answers


def _write(file: TextIO | None, found: GoldenAnswers, answer: dict[str, Any]) -> None:
    if file is not None:
        graded = found.graded[-1]
        row = {"id": graded.question.id, **kept(graded, found.places[-1]).as_row(), "answer": answer}
        file.write(json.dumps(row) + "\n")


class Other:
    """What answers are compared with: a file that `--out` wrote, or settings in a TOML file. What is wrong with the
    file is told at once, before anything is asked."""

    def __init__(self, file: Path) -> None:
        """Raises BadInput, Usage."""
        self._settings = changed_settings(file) if file.suffix == ".toml" else None
        self._kept = {} if self._settings else _kept_in(file)

    def against(
        self, mine: GoldenAnswers, readers: Mapping[str, str], progress: Progress
    ) -> dict[str, Any]:
        """The comparison; with settings the same questions are asked again by them."""
        golden = [one.question for one in mine.graded]
        theirs = self._kept
        if self._settings is not None:
            theirs = ask_golden(self._settings, golden, readers, None, progress, "answer by the other settings").kept()
        return compared(golden, mine.kept(), theirs)


def _kept_in(file: Path) -> dict[str, Kept]:
    found = {}
    for where, row in json_rows(file, cure=_CURE):
        with reading(where, _CURE):
            found[str(row["id"])] = kept_of(row)
    return found


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
