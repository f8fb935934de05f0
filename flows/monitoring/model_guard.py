"""Puts the former model back where the one that serves crosses its control limits. Safe to repeat."""

import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any, Literal

from flows.shared.noted_runs import noted
from flows.shared.shadows import Shadows
from vouch.adapters.ledger import Ledger
from vouch.adapters.ledger.registry.going_back import SHIPPED, Fits, rollback_notices, together, way_back
from vouch.adapters.ledger.registry.model_rows import GUARD, Move, served_before
from vouch.adapters.ledger.usage.answer_figures import PLANNED_BY, MadeBy
from vouch.errors import Conflict, Damaged, Usage, VouchError
from vouch.learning.promotion.control import FIGURES, Figure, Limit, compare
from vouch.plurals import count

Owners = Callable[[datetime], Sequence[str]]
_log = logging.getLogger(__name__)
Outcome = Literal["holds", "too few", "worse", "put back", "moved meanwhile", "cannot be checked"]
FIELD = {"fusion": "fused_by", "evaluator": "judged_by", "agent": PLANNED_BY}  # of an answer's JSON, by kind of model
_TRIES = 5                              # to find a former model that nobody retires meanwhile
PLANNED_DROP = "planned_drop"           # of an evaluator's report: how many more questions it is meant to decline
FIGURES_OF: Mapping[str, Collection[Figure]] = {
    "fusion": FIGURES,
    "evaluator": ("votes", "answers", "citations"),     # another one means another thing by its probabilities
    "agent": FIGURES,
}


@dataclass(frozen=True, slots=True)
class GuardLimits:
    """`acts`: whether a model is put back, or only said to be worse. `baseline`, `fewest` and `per_person` count
    answers, and votes for themselves: a figure with fewer than `fewest` values of either model decides nothing."""

    acts: bool
    false_alarms: float
    tolerance: float
    baseline: int
    fewest: int
    per_person: int


@dataclass(frozen=True, slots=True)
class Checked:
    """What was found out about the model of a kind that serves. `reason`: which limits were crossed, and how.
    `left_out`: answers, of whichever model, that cannot be read."""

    kind: str
    model: str
    former: str | None
    outcome: Outcome
    answers: int
    reason: str
    limits: Sequence[Limit]
    left_out: int = 0

    def row(self) -> dict[str, Any]:
        """The JSON object `vouch models check --json` prints."""
        return {**asdict(self), "limits": [asdict(limit) for limit in self.limits]}

    @property
    def told(self) -> str:
        who = f"{self.kind} {self.model} against {self.former or SHIPPED}, {count(self.answers, 'answer')} so far"
        gone = f"{count(self.left_out, 'answer')} cannot be read and {'is' if self.left_out == 1 else 'are'} left out"
        return f"{self.outcome}: {who}" + (f": {self.reason}" if self.reason else "") + (
            f"; {gone}" if self.left_out else "")


def nobody(now: datetime) -> Sequence[str]:
    """No owner is named."""
    return ()


@dataclass(frozen=True)
class GuardComponents:
    """`shipped`: by kind what answers call the model that comes with vouch; a registered one they call by its name.
    `fits` tells what can be put back. Each of `owners` is told."""

    ledger: Ledger
    shadows: Shadows
    shipped: Mapping[str, str]
    limits: GuardLimits
    fits: Fits
    owners: Owners = nobody

    def made_by(self, kind: str, model: str | None, **which: Any) -> MadeBy:
        """The model's answers, None being what comes with vouch, or `which` of them."""
        return MadeBy(FIELD[kind], model or self.shipped[kind], self.limits.per_person, **which)


def check_models(guard: GuardComponents, now: datetime) -> list[Checked]:
    """One for each kind whose model was promoted by a person or a gate.

    A reranker is judged with the evaluator that was trained with it. Whoever
    moves a pointer meanwhile wins. A message to each owner waits from the
    moment on in which a model is put back. What the turns of a shadow decided
    is kept once its time is over.
    """
    with noted(guard.ledger, "guard"):
        checked_models = _check(guard, now)
        guard.shadows.keep_decision()
    return checked_models


def _check(guard: GuardComponents, now: datetime) -> list[Checked]:
    found = [_of_kind(guard, kind, now) for kind in FIELD]
    checked_models = [checked for checked in found if checked is not None]
    unreadable = guard.ledger.answer_figures.unreadable() if checked_models else 0
    checked_models = [replace(checked, left_out=unreadable) for checked in checked_models]
    for checked in checked_models:
        if checked.left_out or checked.outcome in ("worse", "put back", "cannot be checked"):
            _log.warning("%s", checked.told)
    return checked_models


def _of_kind(guard: GuardComponents, kind: str, now: datetime) -> Checked | None:
    """None where no model is to be checked."""
    serves, models = None, guard.ledger.models
    try:
        serves, moves = models.pointer(kind).model, models.moves(kind)
        promotion = _promotion(moves)
        if promotion is None or promotion.model is None or promotion.model != serves:
            return None
        checked = _compared(guard, promotion, _ended(moves, now))
        acts = checked.outcome == "worse" and guard.limits.acts
        return _put_back(guard, checked, now) if acts else checked
    except Damaged as error:            # the other kinds are looked at all the same
        return Checked(kind, serves or "?", None, "cannot be checked", 0, error.cause, [])


def _promotion(moves: Sequence[Move]) -> Move | None:
    """The newest move, if the model came after the former one, and did not come back in its place."""
    if not moves or moves[-1].by == GUARD:
        return None
    former = [None, *served_before(moves)][-1]
    return moves[-1] if moves[-1].former == former else None


def _ended(moves: Sequence[Move], now: datetime) -> datetime | None:
    """When the model that serves was replaced last: what it answered before does not count. None: it never was.

    Where that is to come, by a clock that was ahead, when it was promoted again.
    """
    ends = [move.at for move in moves[:-1] if move.former == moves[-1].model]
    if not ends:
        return None
    return ends[-1] if ends[-1] <= now else min(ends[-1], moves[-1].at)


def _compared(guard: GuardComponents, move: Move, ended: datetime | None) -> Checked:
    """The former model's answers count until the new one's first, since slow workers go on with it, or until the
    promotion, if that is later; all of them where these are too few, as one moment may be an odd one."""
    limits, figures = guard.limits, guard.ledger.answer_figures
    new = guard.made_by(move.kind, move.model, since=ended)
    former = guard.made_by(move.kind, move.former, last=limits.baseline)
    first = figures.first(new)
    until = first and max(first, move.at)
    since, before = figures.of(new), figures.of(replace(former, before=until))
    if len(before["answers"]) < limits.fewest:
        before = figures.of(former)
    comparisons = compare(
        before, since, false_alarms=limits.false_alarms, tolerance=limits.tolerance + _planned(guard.ledger, move),
        figures=FIGURES_OF[move.kind],
    )  # fmt: skip
    number = len(since["answers"])
    crossed = [
        limit for limit in comparisons
        if limit.crossed is not None and min(limit.values_before, limit.values_since) >= limits.fewest
    ]  # fmt: skip
    few = min(number, len(before["answers"])) < limits.fewest
    outcome: Outcome = "too few" if few else "worse" if crossed else "holds"
    reason = "; ".join(map(_why, crossed)) if outcome == "worse" else ""
    return Checked(move.kind, move.model or "", move.former, outcome, number, reason, comparisons)


def _planned(ledger: Ledger, move: Move) -> float:
    """A share, 0 where nothing was planned: who promotes an evaluator that declines more has seen in its report that
    it does, and by how much. Of a damaged row nothing counts as planned, so that what is worse goes back."""
    try:
        drop = ledger.models.get(move.model or "").report.get(PLANNED_DROP, 0.0)
    except Damaged:
        return 0.0
    return min(max(float(drop), 0.0), 1.0) if isinstance(drop, int | float) else 0.0


def _why(limit: Limit) -> str:
    return (
        f"{limit.figure} {limit.since:.3f} instead of {limit.before:.3f}, less than {limit.least:.3f}, "
        f"which {limit.crossed} of {limit.values_since} showed"
    )


def _put_back(guard: GuardComponents, checked: Checked, now: datetime) -> Checked:
    """What comes with vouch serves where the former model cannot be used."""
    ledger, fits = guard.ledger, guard.fits
    for _ in range(_TRIES):
        pointers = {kind: ledger.models.pointer(kind) for kind in together(checked.kind)}
        if pointers[checked.kind].model != checked.model:
            break
        try:
            changes = way_back(ledger.models, checked.kind, fits)      # the nearest that may still serve
            expected = {kind: pointers[kind].moves for kind in together(checked.kind)}
            reason = checked.reason + _instead(ledger, checked.kind, changes, fits)
            move = Move(checked.kind, checked.model, changes[checked.kind], reason, GUARD, now)
            notices = rollback_notices(move, expected[checked.kind] + 1, _people(guard.owners, now))
            seen = guard.shadows.to_keep(pointers[checked.kind])
            ledger.models.move_together(
                changes, expected=expected, reason=reason, by=GUARD, at=now, notices=notices,
                seen={checked.kind: seen} if seen is not None else None, back=True)
        except Conflict:
            break
        except Usage:                   # somebody retired it meanwhile: look again
            continue
        return replace(checked, outcome="put back", reason=reason)
    return replace(checked, outcome="moved meanwhile")


def _people(owners: Owners, now: datetime) -> Sequence[str]:
    """Who cannot be found out is not told, and the model is put back all the same."""
    try:
        return owners(now)
    except VouchError as error:
        _log.warning("no owner is told that a model is put back: %s", error)
        return ()


def _instead(ledger: Ledger, kind: str, changes: Mapping[str, str | None], fits: Fits) -> str:
    """Why what comes with vouch serves, and not the former model; empty where that one does, or is none."""
    former = None if changes[kind] is not None else ledger.models.former(kind)
    return f"; {former} cannot be used: {fits.unusable(former)}" if former is not None else ""
