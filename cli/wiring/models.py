"""The registry of models, and what serves by it and by the settings."""

from typing import TYPE_CHECKING

from cli.wiring.settings import command_settings
from composition import models
from composition.ranking import learned_fusion
from services import wiring
from vouch.errors import VouchError

if TYPE_CHECKING:
    from services.models.models import ModelService


def open_models() -> "ModelService":
    return wiring.open_models(command_settings())


def try_fusion() -> str:
    """What fuses the two lists. Raises BadInput or Usage for a learned fusion that cannot be used."""
    settings = command_settings()
    chosen = learned_fusion(settings)
    if chosen is not None:
        return f"{chosen.name}, of the file {settings.fusion.model}"
    return _registered("fusion") or "reciprocal ranks; no model is registered for it"


def try_evaluator() -> str:
    """What judges. Raises BadInput or Usage for an evaluator that cannot be used."""
    settings = command_settings()
    registered = None if settings.evaluator.model else _registered("evaluator")
    if registered is not None:
        return registered
    where = f"of the file {settings.evaluator.model}" if settings.evaluator.model else "as it comes with vouch"
    return f"{models.load_evaluator(settings).fingerprint}, {where}"


def _registered(kind: str) -> str | None:
    """The current model of the registry; None if there is none. Raises BadInput or Usage if it cannot be used."""
    service = open_models()
    name = service.ledger.models.pointer(kind).model
    if name is None:
        return None
    try:
        service.fit(service.ledger.models.get(name))
    except VouchError as error:
        instead = "reciprocal ranks serve" if kind == "fusion" else "the one that comes with vouch serves"
        raise type(error)(f"{error.cause}; {instead}", cure=f"vouch models rollback {kind}") from error
    last = service.ledger.models.moves(kind)[-1]
    return f"{name}, {last.reason} by {last.by} on {last.at:%Y-%m-%d}"
