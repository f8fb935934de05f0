"""What puts the best passages first."""

from collections.abc import Sequence
from typing import Protocol

MAXSIM = "maxsim"                       # names the one on the encoder's token vectors, where a model's name would stand


class Reranker(Protocol):
    """Scores how well passages match questions, many pairs at once."""

    @property
    def fingerprint(self) -> str: ...

    def scores(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """One score per (question, passage), higher is better; a pair's score ignores its neighbours."""
        ...
