"""Questions with known answers, asked over what is served, and compared with another asking of them."""

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

from cli.wiring.changed_settings import changed_settings
from flows.shared.progress import Progress
from services.wiring import open_answer_evaluation
from vouch.adapters.datasets import json_rows, reading
from vouch.learning.collections.asked import Asked, Spans, told_spans
from vouch.learning.collections.golden import GoldenQuestion, Graded, figures
from vouch.learning.evaluation.comparing import Kept, compared, kept, kept_of
from vouch.learning.evaluation.golden_retrieval import Places, confusion, places, retrieval_figures
from vouch.learning.evaluator.reliability import sureness
from vouch.settings import Settings

_CURE = "give a file that vouch evaluate answers --out wrote, or settings in a file named .toml"


@dataclass
class GoldenAnswers:
    """What is kept of each answer, in the order of the questions."""

    graded: list[Graded] = field(default_factory=list)
    places: list[Places] = field(default_factory=list)
    spans: list[Spans] = field(default_factory=list)
    said: list[str] = field(default_factory=list)       # the evaluator's word

    def report(self) -> dict[str, Any]:
        rows = zip([one.question for one in self.graded], self.places, strict=True)
        retrieval = retrieval_figures(rows)
        found = {**figures(self.graded), "spans": told_spans(self.spans)}
        return {"figures": {**found, "retrieval": retrieval} if retrieval else found, **sureness(self.graded)}

    def verdicts(self) -> dict[str, dict[str, int]]:
        return confusion(zip([one.question for one in self.graded], self.places, self.said, strict=True))

    def kept(self) -> dict[str, Kept]:
        """By id."""
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
    """Of each what is told about it, as soon as it is there."""
    found = GoldenAnswers()
    with (out.open("w", encoding="utf-8") if out else nullcontext()) as file:
        for grade, one in asked:
            found.graded.append(grade)
            found.places.append(places(grade.question, one))
            found.spans.append(one.spans)
            found.said.append(one.answer.verdict.kind if one.answer.verdict else "none")
            _write(file, found, one.answer.model_dump(mode="json"))
            progress(stage, len(found.graded), total)
    return found


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
