"""What trains, calibrates and guards the models."""

import tempfile
from collections.abc import Callable, Mapping
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from cli.wiring.administration import home_folder
from cli.wiring.settings import command_settings
from composition import models
from composition.model_registry.registry import Registry
from composition.model_registry.serving import Serving, fact_ranking
from composition.storage import open_home_and_ledger
from flows.monitoring import model_guard
from flows.runs import evaluate
from flows.shared.reporting import Progress
from flows.training.retraining import gated
from flows.wiring.ingesting import build_temporary_components
from flows.wiring.monitoring import build_guard
from flows.wiring.training import build_training, golden_questions
from services.models.training import judged_candidates
from services.wiring import answering, evaluation
from services.wiring import models as models_wiring
from vouch.adapters.analyser import SnowballAnalyser
from vouch.adapters.data_files.golden_questions import read_golden
from vouch.adapters.data_files.public import read_beir, read_training_data
from vouch.learning.agent.loop import Plan
from vouch.learning.collections.judged_lists import Scorers
from vouch.learning.evaluator import evaluator_training
from vouch.learning.models.model_file import check_place, write_model
from vouch.learning.training import fusion_training
from vouch.learning.training.fusion_training import JudgedCandidates
from vouch.settings import Settings

Measured = tuple[dict[str, Any], Path]  # figures, and the folder with the report


def train_evaluator(passages: Path, squad: Path, out: Path, seed: int, progress: Progress) -> dict[str, Any]:
    """Trains, writes the model to `out` and returns its thresholds and figures."""
    check_place(out)
    data = read_training_data(passages, squad)
    today = datetime.now(UTC).date()
    model = evaluator_training.train_evaluator(data, scorers(), seed=seed, today=today, progress=progress)
    write_model(model, out)
    return {"lower": model.lower, "upper": model.upper, **model.figures}


def train_evaluator_from_questions(
    questions: Path, readers: Mapping[str, str], out: Path, progress: Progress
) -> dict[str, Any]:
    """Trains over the served documents, writes the model to `out` and returns its thresholds and figures."""
    check_place(out)
    training = models_wiring.open_evaluator_training(command_settings())
    today = datetime.now(UTC).date()
    model = training.run(list(read_golden(questions)), readers, [questions.name], today, progress)
    write_model(model, out)
    return {"lower": model.lower, "upper": model.upper, **model.figures}


def train_fusion(
    questions: Path | None, readers: Mapping[str, str], folder: Path | None, qrels: Path | None, out: Path, seed: int,
    progress: Progress,
) -> dict[str, Any]:  # fmt: skip
    """Trains on questions over the served documents, on a BEIR folder or on both, and returns its figures.

    The gates of a training from labels that need no labels look at it, too: one that fails one is written as refused.
    """
    check_place(out)
    settings = command_settings()
    golden_questions(settings)          # a file that cannot be read is told before all searches
    lists = candidates_of_questions(settings, questions, readers, progress) if questions is not None else []
    if folder is not None and qrels is not None:
        lists += candidates_of_folder(settings, folder, qrels, progress)
    encoder = models.encoder(settings)()
    made_with = {"encoder": encoder.fingerprint, "weights": models.encoder_weights(settings),
                 "analyser": SnowballAnalyser().fingerprint}
    data = [str(path.name) for path in (questions, folder) if path is not None]
    components = build_training(settings)
    with closing(components.ledger):
        current = components.current()
        model = fusion_training.train_fusion(
            lists, data=data, seed=seed, today=datetime.now(UTC).date(), fingerprints=made_with,
            current=current.terms if current else None,
        )
        model, gates = gated(components, model, progress)
    write_model(model, out)
    gate_results = {"gates": {gate.name: "passed" if gate.passed else "not passed" for gate in gates}} if gates else {}
    return {"features": model.features, **model.figures["held out"], **gate_results, "refused": model.refused}


def train_from_labels(out: Path | None, seed: int, progress: Progress) -> dict[str, Any]:
    """Trains on the labels in the ledger and registers the model; its report with what comes next."""
    return models_wiring.open_retraining(command_settings()).train(seed, out, progress)


def train_agent(
    questions: Path, validation: Path | None, readers: Mapping[str, str], plan: Plan, out: Path | None,
    progress: Progress, tell: Callable[[str], None],
) -> dict[str, Any]:  # fmt: skip
    """Trains over the served documents and registers the agent; its report with what comes next."""
    held = None if validation is None else read_golden(validation)
    data = [one.name for one in (questions, validation) if one is not None]
    training = models_wiring.open_agent_training(command_settings())
    return training.run(read_golden(questions), held, readers, plan, data, out, progress, tell)


def candidates_of_questions(
    settings: Settings, questions: Path, readers: Mapping[str, str], progress: Progress
) -> list[JudgedCandidates]:
    """Those of a file of questions, over the documents that are served."""
    finder = answering.open_search_service(settings)
    return list(judged_candidates(finder, list(read_golden(questions)), readers, progress))


def candidates_of_folder(settings: Settings, folder: Path, qrels: Path, progress: Progress) -> list[JudgedCandidates]:
    """Those of a BEIR folder, in an index of its own that is deleted afterwards."""
    data, ranking = read_beir(folder, qrels), fact_ranking(settings)
    with tempfile.TemporaryDirectory(prefix="train-", dir=home_folder()) as place:
        encoder = models.encoder(settings)()
        components = build_temporary_components(settings, Path(place))
        return list(evaluate.judged_candidates(
            components, encoder, SnowballAnalyser(), ranking.top, data, progress))


def serving_of(settings: Settings) -> Serving:
    """The models that answers are made with now."""
    _, ledger = open_home_and_ledger(settings)
    with closing(ledger):
        return Registry(settings, ledger.models)()


def scorers() -> Scorers:
    """The models that compute the features of pairs."""
    settings = command_settings()
    encoder = models.encoder(settings)()
    reranker, which = models.load_reranker(settings), models.reranker_weights(settings)
    return Scorers(encoder, reranker, SnowballAnalyser(), models.encoder_weights(settings), which)


def calibrate_evaluator(
    questions: Path | None, readers: Mapping[str, str], out: Path | None, progress: Progress
) -> dict[str, Any]:
    """Registers the calibrated evaluator, writes it to `out`, and returns its figures."""
    golden = list(read_golden(questions)) if questions is not None else []
    return evaluation.open_calibration(command_settings()).run(golden, readers, progress, out)


def check_models() -> list[model_guard.Checked]:
    """Compares promoted models with former ones, and rolls back if the settings say so."""
    guard = build_guard(command_settings())
    with closing(guard.ledger):
        return model_guard.check_models(guard, datetime.now(UTC))
