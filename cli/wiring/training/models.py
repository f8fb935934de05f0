"""The registry of models, and what serves by it and by the settings."""

from pathlib import Path
from typing import TYPE_CHECKING

from cli.wiring.administration import home_folder
from cli.wiring.settings import command_settings
from composition import models
from composition.model_registry.serving import learned_fusion
from flows.shared.reporting import Progress
from services.models.model_rows import scores_of
from services.wiring import models as models_wiring
from vouch.errors import Usage
from vouch.settings import Settings

if TYPE_CHECKING:
    from services.models.registry import ModelService
    from vouch.learning.models.evaluator_model import EvaluatorModel


def open_models() -> "ModelService":
    return models_wiring.open_models(command_settings())


def fetch_encoder(name: str, progress: Progress) -> tuple[Path, bool]:
    """The encoder's folder, and whether it was there already."""
    from vouch.adapters.models.fetching.fetch import fetch

    settings = command_settings()
    return fetch(name, home_folder(), settings.encoder.repository, progress)


def try_fusion() -> str:
    """What merges the two lists. Raises BadInput or Usage for a learned fusion that cannot be used."""
    settings = command_settings()
    chosen = learned_fusion(settings)
    if chosen is not None:
        return f"{chosen.name}, of the file {settings.fusion.model}"
    return _registered("fusion") or "reciprocal ranks; no model is registered for it"


def try_reranker() -> str:
    """What puts passages in order. Raises ModelDown or Usage for one that cannot be used, or not with the evaluator."""
    settings = command_settings()
    weights = models.reranker_weights(settings)
    if settings.reranker.model:
        return f"{weights}, of the folder {settings.reranker.model}"
    service = open_models()
    reranker, evaluator = _pair(settings, service)
    if reranker is None:
        return f"{weights}, the encoder's token vectors; no model is registered for it"
    why = service.fits.apart(reranker, evaluator)
    if why:
        raise Usage(f"{reranker} cannot be used: {why}; the encoder's token vectors serve",
                    cure="vouch models rollback reranker")
    return _moved(service, "reranker", reranker)


def try_evaluator() -> str:
    """What judges. Raises BadInput or Usage for an evaluator that cannot be used."""
    settings = command_settings()
    service = open_models()
    reranker, evaluator = _pair(settings, service)
    serving = None if reranker is None or service.fits.apart(reranker, evaluator) else reranker
    if evaluator is not None:
        why = service.fits.apart(serving, evaluator)
        if why:
            raise Usage(f"{evaluator} cannot be used: {why}; the one that comes with vouch serves",
                        cure="vouch models rollback evaluator")
        return _moved(service, "evaluator", evaluator)
    where = f"of the file {settings.evaluator.model}" if settings.evaluator.model else "as it comes with vouch"
    return f"{_evaluator(settings, service, serving).fingerprint}, {where}"


def try_agent() -> str:
    """What plans steps. Raises BadInput or Usage for an agent that cannot be used."""
    return _registered("agent", "the rules that come with vouch") or "the rules that come with vouch"


def _pair(settings: Settings, service: "ModelService") -> tuple[str | None, str | None]:
    """What the registry points at, where the settings name nothing else."""
    pointers = service.ledger.models.pointers()
    reranker, evaluator = (pointers.get(kind) for kind in ("reranker", "evaluator"))
    return (None if settings.reranker.model or reranker is None else reranker.model,
            None if settings.evaluator.model or evaluator is None else evaluator.model)


def _registered(kind: str, otherwise: str = "reciprocal ranks") -> str | None:
    """The current model of the registry; None if there is none. Raises Usage if it cannot be used."""
    service = open_models()
    name = service.ledger.models.pointer(kind).model
    if name is None:
        return None
    if why := service.fits.unusable(name):
        raise Usage(f"{why}; {otherwise} serve", cure=f"vouch models rollback {kind}")
    return _moved(service, kind, name)


def _moved(service: "ModelService", kind: str, name: str) -> str:
    last = service.ledger.models.moves(kind)[-1]
    return f"{name}, {last.reason} by {last.by} on {last.at:%Y-%m-%d}"


def _evaluator(settings: Settings, service: "ModelService", reranker: str | None) -> "EvaluatorModel":
    """That of the settings, beside a registered reranker or none."""
    return models.load_evaluator(settings, scores_of(service.ledger.models.get(reranker)) if reranker else None)
