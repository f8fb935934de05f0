"""What measures answers, retrieval and the evaluator over what is served, and keeps the reports."""

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any

from cli.wiring.administration import home_folder
from cli.wiring.evaluation.answers import FoldedAnswers, Other, ask_golden, keep_answers
from cli.wiring.evaluation.circumstances import SEED, circumstances
from cli.wiring.settings import command_settings
from cli.wiring.training.fitting import scorers, serving_of
from composition.model_registry.serving import Serving, fact_ranking, recipe_of, reranker_of
from composition.ranking import ranking_models
from flows.runs import evaluate
from flows.shared.home_files.evaluation_reports import Kind, save_evaluation
from flows.shared.home_files.golden_file import golden_file
from flows.shared.reporting import Progress
from flows.wiring.ingesting import build_temporary_components
from services.models.evaluation import not_public
from services.models.golden import GoldenService
from services.wiring.answering import open_search_service
from vouch.adapters.data_files.golden_questions import read_golden
from vouch.adapters.data_files.public import read_beir, read_pair_groups, read_pairs
from vouch.errors import NotFound, Usage
from vouch.learning.collections.golden import GoldenQuestion
from vouch.learning.evaluator import evaluator_figures
from vouch.settings import Settings


def by_recipe(settings: Settings, named: Sequence[str]) -> dict[str, Settings]:
    """Settings by the name of each recipe, which shows no path. Raises Usage for a missing or wrong recipe, or equal
    names.
    """
    found: dict[str, Settings] = {}
    for one in named:
        chosen = settings.model_copy(update={"recipe": one})
        name = recipe_of(chosen).name
        if name in found:
            raise Usage(f"two recipes are called {name}", cure='give one of them another name = "…" in its file')
        found[name] = chosen
    return found


Measured = tuple[dict[str, Any], Path]  # figures, and the folder with the report


def evaluate_evaluator(
    pairs: Path, by: str, questions: Path | None, readers: Mapping[str, str], progress: Progress
) -> Measured:
    """Figures of the evaluator in use on labeled pairs; with `questions` also what it says of those over what is
    served."""
    settings = command_settings()
    serving = serving_of(settings)
    with_it = replace(scorers(), reranker=reranker_of(serving, settings))
    groups = read_pair_groups(pairs, by)
    report = dict(evaluator_figures.evaluate_evaluator(read_pairs(pairs), serving.judge().evaluator, with_it, groups))
    if questions is not None:
        asked = ask_golden(settings, read_golden(questions), readers, None, progress)
        report["figures"] = {**report["figures"], "verdicts": asked.verdicts()}
    return saved("evaluator", pairs, report, settings, serving)


def evaluate_answers(
    questions: Path, readers: Mapping[str, str], limit: int | None, out: Path | None, against: Path | None,
    progress: Progress, folds: bool = False, failures: bool = False,
) -> Measured:  # fmt: skip
    """Figures of the answers to questions with known ones; grade and answer of each go to `out`, a line each.

    With `folds` each is asked with the evaluator calibrated on the questions about other documents. With `failures`
    the figures hold each question that went wrong; the report does not, as it has no word of a document.
    """
    return measure_answers("answers", questions, readers, limit, out, against, progress, folds, failures)


def questions_of(file: Path, readers: Mapping[str, str]) -> list[GoldenQuestion]:
    """The questions of a file. Raises Usage for a reader of a corpus that no question has: the public would ask them
    all.
    """
    golden = read_golden(file)
    corpora = {one.corpus for one in golden if one.corpus}
    if strange := sorted(readers.keys() - corpora):
        told = f"; there are {', '.join(sorted(corpora))}" if corpora else ", as none names its corpus"
        raise Usage(f"--reader {strange[0]}: no question of {file} is of this corpus{told}",
                    cure='name a corpus of the questions, or give each question a "reader"')
    return golden


def measure_answers(
    kind: Kind, questions: Path, readers: Mapping[str, str], limit: int | None, out: Path | None, against: Path | None,
    progress: Progress, folds: bool = False, failures: bool = False,
) -> Measured:  # fmt: skip
    """The same as a report of that kind."""
    settings = command_settings()
    other = Other(against) if against is not None else None
    golden = questions_of(questions, readers)[:limit]
    if folds:
        folded = FoldedAnswers(settings, golden, readers)
        answers = keep_answers(folded.run(progress), len(golden), out, progress)
        report = answers.report()
        report["figures"] |= folded.told()
    else:
        answers = ask_golden(settings, golden, readers, out, progress)
        report = answers.report()
    report["figures"]["asked_by_others"] = not_public([one.question for one in answers.graded], readers)
    if other is not None:
        report["figures"]["against"] = other.against(answers, readers, progress)
    figures, folder = saved(kind, questions, report, settings, serving_of(settings))
    return {**figures, **({"failures": answers.failures} if failures else {})}, folder


def evaluate_retrieval(
    folder: Path, qrels: Path, limit: int | None, rerank: bool, progress: Progress, recipes: Sequence[str] = ()
) -> Measured:
    """Figures per stage for a BEIR folder, in an index of its own that is deleted afterwards; of `recipes` instead,
    where some are named."""
    settings = command_settings()
    searched_by = by_recipe(settings, recipes)
    data = read_beir(folder, qrels)
    data = replace(data, queries=dict(islice(data.queries.items(), limit)))
    with tempfile.TemporaryDirectory(prefix="evaluate-", dir=home_folder()) as index_folder:
        serving = serving_of(settings)
        judges = ranking_models(settings, lambda: serving)()
        usual = fact_ranking(settings, serving.fusion)
        ranking = usual if rerank else replace(usual, rerank=0)
        rankings = {name: fact_ranking(chosen, serving.fusion) for name, chosen in searched_by.items()}
        components = build_temporary_components(settings, Path(index_folder))
        figures = evaluate.evaluate_retrieval(components, judges, ranking, data, progress, rankings)
    return saved("retrieval", folder, {"figures": figures}, settings, serving)


def saved(
    kind: Kind, of: Path, report: Mapping[str, Any], settings: Settings, serving: Serving, seed: int = SEED
) -> Measured:
    """The figures, and the folder of the home that keeps the report with what it was made with."""
    named = of.name or of.absolute().name
    whole = {**report, "made_with": circumstances(settings, serving, seed)}
    return dict(report["figures"]), save_evaluation(home_folder(), kind, named, datetime.now(UTC), whole)


def open_golden(file: Path | None) -> GoldenService:
    """The golden questions of the file, or of the home if none is named."""
    return GoldenService(open_search_service(command_settings()), file or golden_file(home_folder()))


def evaluate_golden(
    file: Path | None, out: Path | None, against: Path | None, progress: Progress, failures: bool = False
) -> Measured:
    """Figures of the company's own questions. Raises NotFound if there are none yet."""
    chosen = file or golden_file(home_folder())
    if not chosen.exists():
        raise NotFound(f"{chosen} is not there", cure="add questions: vouch golden add")
    return measure_answers("golden", chosen, {}, None, out, against, progress, failures=failures)
