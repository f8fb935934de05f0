"""What becomes of a candidate after its training: it shadows, and later, if the settings say so, it serves."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import datetime

from flows.shared.shadows import Shadows
from vouch.adapters.ledger import Ledger, Pointer, RegisteredModel
from vouch.adapters.ledger.registry.model_rows import CANDIDATE, FUSION, GUARD, REFUSED, RETIRED
from vouch.errors import BadInput, Usage
from vouch.learning.models.model_file import same_weights
from vouch.learning.training.training_report import AGAINST, gain_of

BY = "flow:train"
LOST = "it lost to the current model where both took turns"
STALE = "its gates were judged against another model than the one that serves now"
UNTOLD = "nobody knows against which model its gates were judged: a person promotes it"
WORSE = "it ranked held-out questions worse than the current model"
_REASON = "its gates are passed and it has shadowed for long enough"


@dataclass(frozen=True)
class Registrar:
    """`fit` raises for a model that cannot be used with the settings; `serves` is the fingerprint of what ranks now,
    empty for reciprocal ranks. `automatic`: it promotes by itself, as `by`."""

    ledger: Ledger
    shadows: Shadows
    fit: Callable[[RegisteredModel], object]
    serves: Callable[[], str]
    automatic: bool
    by: str = BY


@dataclass(frozen=True, slots=True)
class Advanced:
    """Names of models, empty where there is none; `waits` says why what shadowed was not promoted, `unfit` why the
    candidate may not shadow."""

    promoted: str
    shadows: str
    waits: str
    unfit: str = ""

    def row(self) -> dict[str, str]:
        return asdict(self)


def advance(registrar: Registrar, candidate: RegisteredModel | None, now: datetime) -> Advanced:
    """The shadow is promoted if it may be; then `candidate`, whose gates were judged just now, shadows if nothing does.

    A shadow that lost, or whose weights were refused since, is refused. One that only an older model was judged
    against, or that the guard put away, makes room for `candidate`.

    Each is one compare-and-swap. Raises Conflict if somebody moved the pointer meanwhile.
    """
    pointer = registrar.ledger.models.pointer(FUSION)
    promoted = waits = unfit = ""
    if pointer.shadow is not None:
        anew = candidate is not None and candidate.name == pointer.shadow
        registrar.shadows.keep_decision()
        shadow = registrar.ledger.models.get(pointer.shadow)
        refused = "" if anew else _refused_since(registrar, shadow)
        worse = _put_away(registrar, shadow.name)
        waits = refused or worse or _why_not(registrar, shadow, pointer, anew)
        if not waits:
            promoted, pointer = pointer.shadow, _promote(registrar, pointer, now)
        elif refused or waits == LOST:
            pointer = _dismiss(registrar, pointer, waits, now)
        elif candidate is not None and (worse or waits in (STALE, UNTOLD) or (waits == WORSE and not anew)):
            pointer = registrar.ledger.models.shadow(
                FUSION, None, expected=pointer.moves, at=now, seen=registrar.shadows.to_keep(pointer))
    if pointer.shadow is None and candidate is not None:
        unfit = _unfit(registrar, candidate, pointer)
        if not unfit:
            pointer = registrar.ledger.models.shadow(FUSION, candidate.name, expected=pointer.moves, at=now)
    return Advanced(promoted, pointer.shadow or "", waits, unfit)


def _refused_since(registrar: Registrar, shadow: RegisteredModel) -> str:
    """Why its weights must not serve by what was found out later; empty if they may."""
    same = [model for model in registrar.ledger.models.list(FUSION) if _same_weights(model, shadow)]
    for one in same:
        if one.state == RETIRED or (one.state == REFUSED and one.made_at >= shadow.made_at):
            return f"these are the weights of {one.name}, which is {one.state}: {one.reason}"
    return ""


def _same_weights(one: RegisteredModel, other: RegisteredModel) -> bool:
    return one.name != other.name and same_weights(one.name, other.name)


def _why_not(registrar: Registrar, model: RegisteredModel, pointer: Pointer, anew: bool) -> str:
    """Why the shadow is not promoted; empty if it is to be. `anew`: its gates were judged just now."""
    try:
        registrar.fit(model)
        seen = registrar.shadows.seen(model, pointer)
        turns = seen["interleaving"]
        if turns and turns["decided_at"] and turns["share_of_wins_interval"][1] < 0.5:
            return LOST
        if not registrar.automatic:
            return "a person promotes: VOUCH_TRAINING__PROMOTE"
        against = model.report.get(AGAINST)
        if not anew and isinstance(against, str) and against != registrar.serves():    # by name: clocks differ
            return STALE
        if (gain_of(model.report) or 0) < 0:
            return WORSE
        registrar.shadows.refuse_early(model, pointer)
        if not anew and not isinstance(against, str):   # from a file, or of an earlier release
            return UNTOLD
        if not seen["answers"] and not turns:
            return "no answer was compared with it yet"
    except (BadInput, Usage) as error:
        return error.cause
    return ""


def _promote(registrar: Registrar, pointer: Pointer, now: datetime) -> Pointer:
    return registrar.ledger.models.move(
        FUSION, pointer.shadow, expected=pointer.moves, reason=_REASON, by=registrar.by, at=now,
        seen=registrar.shadows.to_keep(pointer))


def _dismiss(registrar: Registrar, pointer: Pointer, why: str, now: datetime) -> Pointer:
    return registrar.ledger.models.dismiss(
        FUSION, expected=pointer.moves, reason=why, at=now, seen=registrar.shadows.to_keep(pointer))


def _unfit(registrar: Registrar, candidate: RegisteredModel, pointer: Pointer) -> str:
    """Why it may not shadow; empty if it may. Its state is asked for anew: it may have changed since."""
    model = registrar.ledger.models.get(candidate.name)
    if model.state != CANDIDATE:
        return f"{model.name} is {model.state}" + (f": {model.reason}" if model.reason else "")
    if model.name == pointer.model:
        return f"{model.name} serves already"
    if worse := _put_away(registrar, model.name):
        return worse
    try:
        registrar.fit(model)
    except (BadInput, Usage) as error:
        return error.cause
    return ""


def _put_away(registrar: Registrar, name: str) -> str:
    """Why nobody but a person lets these weights serve again, under whatever name; empty if the guard never put them
    away."""
    for move in registrar.ledger.models.moves(FUSION):
        if move.by == GUARD and move.former and same_weights(move.former, name):
            which = "" if move.former == name else f"{name} has the weights of {move.former}: "
            return f"{which}{move.former} was worse than the model before it, and was replaced by that"
    return ""
