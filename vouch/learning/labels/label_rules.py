"""How much each kind of label counts, and when behaviour says something. The settings say the same."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta

DOWN: Mapping[str, float] = {"not_asked": 0.5, "wrong": 0.4, "outdated": 0.2, "other": 0.3}


@dataclass(frozen=True)
class LabelRules:
    """Weights count beside that of a judgment. `down` is by the category of the vote; `other` for one without any."""

    judged: float = 1.0
    cited: float = 0.2
    caution: float = 0.25               # of `cited`, where the answer was given with caution
    shown: float = 0.1                  # given to the writer, which did not cite it
    up: float = 0.5
    down: Mapping[str, float] = field(default_factory=lambda: DOWN)
    rephrased: float = 0.1
    rephrased_share: float = 0.5        # of the terms of two questions that both must have
    rephrased_within: timedelta = timedelta(minutes=10)
    rephrased_among: int = 50           # of the asker's next questions within that time, the first so many
    ended: float = 0.1
    quiet: timedelta = timedelta(days=1)
