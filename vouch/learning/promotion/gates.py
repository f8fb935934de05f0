"""Gates: what a model must show before it may serve. One that was not looked at counts as not passed."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from vouch.learning.models.fusion_model import FusionModel
from vouch.learning.models.model_file import DIGITS, LARGEST_WEIGHT, coarse
from vouch.plurals import count

REQUIRED_GATES = (
    "questions", "held out", "askers", "labels", "against the current model", "against reciprocal ranks",
    "golden questions", "weights", "two worlds",
)  # fmt: skip
GATES_OF_FILES = ("golden questions", "weights", "two worlds")     # beside what its own held-out questions said
GATES_OF_JUDGED = ("golden questions", "two worlds")       # of an evaluator, whose file bounds its weights
_DIGITS = 4


@dataclass(frozen=True, slots=True)
class Gate:
    """`found` and `least` are numbers of the same kind; None where there was nothing to measure."""

    name: str
    passed: bool
    found: float | None = None
    least: float | None = None
    told: str = ""

    def row(self) -> dict[str, Any]:
        return asdict(self)


def at_least(name: str, found: float | None, least: float, told: str = "") -> Gate:
    """What could not be measured is not passed."""
    return Gate(name, found is not None and found >= least, found, least, told)


def weights_gate(model: FusionModel) -> Gate:
    """Each finite, in bounds and rounded. A file of a model is checked for the first two whenever it is read, too."""
    sizes = [abs(term.weight) for term in model.terms.values()]
    fine = bool(sizes) and all(size <= LARGEST_WEIGHT and size == round(size, _DIGITS) for size in sizes)
    spread = np.array([(term.mean, term.scale) for term in model.terms.values()]).ravel()
    fine = fine and bool((spread == coarse(spread)).all())
    told = (f"{len(sizes)} weights of at most {LARGEST_WEIGHT}, rounded to {_DIGITS} places; means and deviations to "
            f"{DIGITS} digits")
    return Gate("weights", fine, max(sizes, default=None), None, told)


def golden_gate(
    gain: float | None, questions: int, figure: str = "nDCG@10", *, unfound: Mapping[str, int] | None = None,
    public_only: bool = False,
) -> Gate:  # fmt: skip
    """`gain` over the current model in as many golden `questions`; None: none was measured, which passes where there
    are none. `unfound`: how many more there are, by reader, for whom nothing that answers them is found."""
    name, without = "golden questions", _unfound(unfound or {})
    if gain is None and (questions or without):
        return Gate(name, False, told="; ".join(filter(None, ("no question could be measured", without))))
    if gain is None:
        asked = "that the public asks, and VOUCH_TRAINING__PUBLIC_ONLY leaves out others" if public_only else ""
        return Gate(name, True, told=f"VOUCH_TRAINING__GOLDEN names none {asked}".rstrip())
    told = f"gain in {figure} over the current model, {count(questions, 'question')}"
    return at_least(name, gain, 0.0, "; ".join(filter(None, (told, without))))


def _unfound(unfound: Mapping[str, int]) -> str:
    """Persons are not named: the report of a training holds nobody's name."""
    readers: Counter[str] = Counter()
    for tag, number in sorted(unfound.items()):
        readers["a person" if tag.startswith("user:") else tag] += number
    return "; ".join(f"{count(number, 'question')} left out, for which nothing that answers is found as {reader}"
                     for reader, number in readers.items())


def two_worlds_gate(differences: int, compared: int) -> Gate:
    """`differences` among `compared` scores of what a reader may see, where only hidden documents are others."""
    told = f"{compared} scores compared between two worlds that differ in what the reader may not see"
    return Gate("two worlds", compared > 0 and differences == 0, differences, None, told)


def refusal(gates: Sequence[Gate], required: Sequence[str] = REQUIRED_GATES) -> str:
    """Why a model with these gates must not serve; empty if it may."""
    missing = [name for name in required if name not in {gate.name for gate in gates}]
    failed = [_told(gate) for gate in gates if not gate.passed]
    return "; ".join([*failed, *(f"{name}: not looked at" for name in missing)])


def _told(gate: Gate) -> str:
    if gate.least is None:
        return f"{gate.name}: {gate.told if gate.found is None else f'{gate.found} ({gate.told})'}"
    return f"{gate.name}: {'none' if gate.found is None else gate.found}, at least {gate.least} needed"
