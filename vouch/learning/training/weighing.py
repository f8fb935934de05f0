"""What a label counts in a fit: by where its passage stood, and by who and which day it is of.

Labels must name who is behind them: of a citation, who asked. Those without a name are one person together.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from vouch.learning.labels.caps import cap_weights
from vouch.learning.labels.influence import cap_influence
from vouch.learning.labels.label import Label
from vouch.learning.labels.looks import looks_of
from vouch.learning.labels.propensity import correct, estimate
from vouch.learning.training.training_split import Material, Weigh

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Shares:
    """The most that one person and one day may hold, and that a place may multiply."""

    person: float
    day: float
    clip: float


def weigher(material: Material, shares: Shares) -> Weigh:
    """Corrects positions first and caps afterwards, so that no correction lifts anybody over a cap.

    How likely each place is looked at is estimated from the very labels that
    are weighed, and the answers they are about.
    """

    def weigh(labels: Sequence[Label]) -> Sequence[Label]:
        ordered = sorted(labels, key=lambda label: label.key)
        answers = {label.answer_id for label in ordered if label.answer_id}
        propensities = estimate(looks_of(ordered, _of(material.recorded, answers), _of(material.swapped, answers)))
        corrected = correct(ordered, propensities, shares.clip)
        capped = cap_weights(corrected, person_share=shares.person, day_share=shares.day)
        return cap_influence(capped, person_share=shares.person, day_share=shares.day)

    return weigh


def _of(rows: Mapping[str, T], answers: set[str]) -> dict[str, T]:
    return {name: rows[name] for name in sorted(answers) if name in rows}
