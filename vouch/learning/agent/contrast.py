"""Sequences that did well beside those that did badly, in counts: what a comparator is told."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean

from vouch.learning.agent.run_summary import Ran


@dataclass(frozen=True, slots=True)
class FormUse:
    """Shares of sequences that use the form, that begin with it, and of its steps that are idle or bring something."""

    form: str
    used_well: float
    used_badly: float
    first_well: float
    first_badly: float
    steps: int
    idle: float
    brought: float


@dataclass(frozen=True, slots=True)
class Contrast:
    """`ended`: by the way it ended, the share of those that did well and of those that did badly.

    `last_idle`: of the sequences with steps, how many end with one that brought nothing new.
    """

    well: int
    badly: int
    forms: tuple[FormUse, ...]
    ended: dict[str, tuple[float, float]]
    steps: tuple[float, float]
    last_idle: float

    def apart(self, ended: str) -> float:
        """How much more of those that did badly than of those that did well ended so."""
        well, badly = self.ended.get(ended, (0.0, 0.0))
        return badly - well

    def badly_ended(self, ended: str) -> float:
        return self.ended.get(ended, (0.0, 0.0))[1]


def contrast(well: Sequence[Ran], badly: Sequence[Ran]) -> Contrast:
    runs = [*well, *badly]
    forms = dict.fromkeys(action.form for one in runs for action in one.actions)
    stepped = [one for one in runs if one.actions]
    return Contrast(
        len(well), len(badly), tuple(_use(form, well, badly) for form in forms),
        {end: (_share(well, _ends(end)), _share(badly, _ends(end))) for end in sorted({one.ended for one in runs})},
        (_mean_steps(well), _mean_steps(badly)), _share(stepped, lambda one: one.actions[-1].idle),
    )


def told_contrast(found: Contrast) -> str:
    """As a comparator that is a language model reads it: labels and shares, and nothing else."""
    lines = [f"{found.well} questions were done well, {found.badly} badly.",
             f"steps on average: well {found.steps[0]:.1f}, badly {found.steps[1]:.1f}",
             f"the last step brought nothing new: {found.last_idle:.0%}"]
    lines += [f"ended as {end}: well {well:.0%}, badly {badly:.0%}" for end, (well, badly) in found.ended.items()]
    lines += [
        f"action {use.form}: used by well {use.used_well:.0%}, badly {use.used_badly:.0%}; first in well "
        f"{use.first_well:.0%}, badly {use.first_badly:.0%}; brought nothing new {use.idle:.0%}, brought what was "
        f"expected {use.brought:.0%} of {use.steps} steps" for use in found.forms
    ]
    return "\n".join(lines)


def _use(form: str, well: Sequence[Ran], badly: Sequence[Ran]) -> FormUse:
    def used(one: Ran) -> bool:
        return any(action.form == form for action in one.actions)

    def first(one: Ran) -> bool:
        return bool(one.actions) and one.actions[0].form == form

    steps = [action for one in (*well, *badly) for action in one.actions if action.form == form]
    return FormUse(
        form, _share(well, used), _share(badly, used), _share(well, first), _share(badly, first), len(steps),
        fmean(action.idle for action in steps), fmean(action.brought > 0 for action in steps),
    )


def _ends(end: str) -> Callable[[Ran], bool]:
    return lambda one: one.ended == end


def _share(runs: Sequence[Ran], of: Callable[[Ran], bool]) -> float:
    return fmean(of(one) for one in runs) if runs else 0.0


def _mean_steps(runs: Sequence[Ran]) -> float:
    return fmean(len(one.actions) for one in runs) if runs else 0.0
