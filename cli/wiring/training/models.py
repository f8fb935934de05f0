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
from vouch.adapters.ledger.registry.going_back import TOGETHER
from vouch.adapters.ledger.registry.model_rows import EVALUATOR, JUDGE, RERANKER
from vouch.errors import Usage

if TYPE_CHECKING:
    from services.models.registry import ModelService


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
    return _beside(RERANKER, "the encoder's token vectors serve") or (
        f"{weights}, the encoder's token vectors; no model is registered for it")


def try_judge() -> str:
    """What reads passages for the evaluator. Raises ModelDown or Usage for one that cannot be used, or not with it."""
    settings = command_settings()
    weights = models.judge_weights(settings)
    if own := models.own_judge(settings):
        return f"{weights}, of the folder {own}" if weights else "none, by the settings"
    return _beside(JUDGE, "the judge that comes with vouch serves") or f"{weights}, as it comes with vouch"


def try_evaluator() -> str:
    """What judges. Raises BadInput or Usage for an evaluator that cannot be used."""
    settings = command_settings()
    service = open_models()
    names = _registered_names(service)
    whole = not service.fits.apart(names)
    name = names[EVALUATOR]
    if name is not None:
        why = "" if whole else service.fits.apart({EVALUATOR: name})
        if why:
            raise Usage(f"{name} cannot be used: {why}; the one that comes with vouch serves",
                        cure="vouch models rollback evaluator")
        return _moved(service, EVALUATOR, name)
    where = f"of the file {settings.evaluator.model}" if settings.evaluator.model else "as it comes with vouch"
    beside = [names[kind] if whole else None for kind in (RERANKER, JUDGE)]
    weights = [scores_of(service.ledger.models.get(one), "") if one else None for one in beside]
    return f"{models.load_evaluator(settings, *weights).fingerprint}, {where}"


def try_agent() -> str:
    """What plans steps. Raises BadInput or Usage for an agent that cannot be used."""
    return _registered("agent", "the rules that come with vouch") or "the rules that come with vouch"


def _beside(kind: str, otherwise: str) -> str | None:
    """The registered one that serves with the evaluator; None if there is none. Raises Usage if it cannot be used."""
    service = open_models()
    names = _registered_names(service)
    name = names[kind]
    if name is None:
        return None
    if why := service.fits.apart(names):
        raise Usage(f"{name} cannot be used: {why}; {otherwise}", cure=f"vouch models rollback {kind}")
    return _moved(service, kind, name)


def _registered_names(service: "ModelService") -> dict[str, str | None]:
    """By kind what the registry points at, where the settings name nothing else."""
    pointers = service.ledger.models.pointers()
    return {kind: None if service.files[kind] or kind not in pointers else pointers[kind].model for kind in TOGETHER}


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
