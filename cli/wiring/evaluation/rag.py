"""What measures answers by what they were written from, and keeps the report."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from cli.wiring.evaluation.served import Measured, questions_of, saved
from cli.wiring.settings import command_settings
from cli.wiring.training.fitting import serving_of
from composition import models
from composition.language_model import language_models
from flows.shared.reporting import Progress
from services.models.evaluation import not_public
from services.wiring.evaluation import open_answer_evaluation
from vouch.adapters.language_model.rag_judge import LanguageModelRagJudge
from vouch.errors import ModelDown, Usage
from vouch.learning.evaluation.rag import OfflineRagJudge, RagCase, RagJudge, RagJudged, rag_case, rag_figures
from vouch.settings import Settings

JudgedBy = Literal["offline", "language-model"]


def evaluate_rag(
    questions: Path, readers: Mapping[str, str], limit: int | None, judged_by: JudgedBy, progress: Progress
) -> Measured:
    """Figures of answers by their passages. Raises Usage if no language model is set to judge, ModelDown if it judged
    nothing.
    """
    settings = command_settings()
    judge = _judge(settings, judged_by)
    golden = questions_of(questions, readers)[:limit]
    rows: list[tuple[RagCase, RagJudged | None]] = []
    failures: list[ModelDown] = []
    progress("answer and judge", 0, len(golden))
    for grade, asked in open_answer_evaluation(settings).run(golden, readers):
        case = rag_case(grade.question, asked)
        rows.append((case, _judged(judge, case, failures)))
        progress("answer and judge", len(rows), len(golden))
    _check(rows, failures)
    figures = {"judged by": judge.name, "asked_by_others": not_public(golden, readers), **rag_figures(rows)}
    return saved("rag", questions, {"figures": figures}, settings, serving_of(settings))


def _judge(settings: Settings, judged_by: JudgedBy) -> RagJudge:
    if judged_by == "language-model":
        asked = language_models(settings)
        if asked is None:
            raise Usage("no language model is set that could judge",
                        cure="set VOUCH_WRITER__KIND=openai, with its address and model, or leave --judge out")
        return LanguageModelRagJudge(asked, models.encoder(settings)())
    return OfflineRagJudge(models.load_models(settings).closeness, models.load_judge(settings))


def _judged(judge: RagJudge, case: RagCase, failures: list[ModelDown]) -> RagJudged | None:
    """None where it gave nothing: nobody else judges instead, as figures of two judges do not go together."""
    try:
        return judge.judge(case)
    except ModelDown as down:
        failures.append(down)
        return None


def _check(rows: Sequence[tuple[RagCase, RagJudged | None]], failures: Sequence[ModelDown]) -> None:
    if failures and all(judged is None for _, judged in rows):
        raise failures[0]
