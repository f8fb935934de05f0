"""What answers call the models that ranked or judged them."""

from collections.abc import Iterable, Sequence

from pydantic import ValidationError

from vouch.adapters.ledger.model_rows import RegisteredModel
from vouch.learning.evaluator_model import EvaluatorModel, load_evaluator
from vouch.learning.fusion_model import FusionModel
from vouch.retrieval.fusion import ReciprocalRanks

_SHORT = len("fusion:") + 12            # of a fingerprint, as LearnedFusion.name has it


def names_in_answers(registered: Iterable[RegisteredModel]) -> dict[tuple[str, str | None], Sequence[str]]:
    """By kind and name; None is what comes with vouch."""
    shipped: dict[tuple[str, str | None], Sequence[str]] = {
        ("fusion", None): (ReciprocalRanks().name,),
        ("evaluator", None): (load_evaluator().fingerprint,),
    }
    return {**shipped, **{(one.kind, one.name): (one.name, *_fingerprints(one)) for one in registered}}


def _fingerprints(one: RegisteredModel) -> Sequence[str]:
    """None for a model that this vouch cannot read: it has made no answers since."""
    kind = FusionModel if one.kind == "fusion" else EvaluatorModel
    try:
        whole = kind.model_validate(one.body).fingerprint
    except ValidationError:
        return ()
    return whole, whole[:_SHORT]
