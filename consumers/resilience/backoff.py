"""How long to wait before the next try."""

import random
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Backoff:
    """Doubles from `first_s` up to `most_s`; a random half of it keeps many waiters from returning together."""

    first_s: float = 0.2
    most_s: float = 30.0

    def seconds(self, failures: int) -> float:
        """The wait after that many failures in a row, from 1."""
        full = min(self.most_s, self.first_s * 2.0 ** min(failures - 1, 30))
        return full * random.uniform(0.5, 1.0)  # noqa: S311
