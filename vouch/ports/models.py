"""What texts are compared, ordered and judged by: analyser, encoder, reranker, evaluator."""

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from vouch.values.candidate import Candidate

Vector = NDArray[np.float32]
Analyse = Callable[[str], list[str]]
"""The terms of a text, as `Analyser.terms` gives them."""


class Encoder(Protocol):
    """Sentence vectors. A text's numbers do not depend on its neighbors or their order, bit for bit."""

    @property
    def fingerprint(self) -> str:
        """Changes whenever a vector of an equal text could change (weights, dtype, shapes, pooling)."""
        ...

    @property
    def dimensions(self) -> int: ...

    def passages(self, texts: Sequence[str]) -> Vector:
        """float32, shape (len(texts), dimensions), rows of unit length, in the order of `texts`."""
        ...

    def questions(self, texts: Sequence[str]) -> Vector: ...


MAXSIM = "maxsim"                       # names the one on the encoder's token vectors, where a model's name would stand


class Reranker(Protocol):
    """Scores how well passages match questions, many pairs at once."""

    @property
    def fingerprint(self) -> str: ...

    def scores(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """One score per (question, passage), higher is better; a pair's score ignores its neighbors."""
        ...


@runtime_checkable
class Foresees(Protocol):
    """A reranker that can read passages before they are scored."""

    def foresee(self, needed: Sequence[str], likely: Iterable[str]) -> None:
        """Afterwards `needed` are read, and of `likely` what fits beside them. No score depends on it."""
        ...


class Evaluator(Protocol):
    """Judges from a candidate's features how likely its passage holds the answer."""

    @property
    def fingerprint(self) -> str: ...

    @property
    def judged_with(self) -> str:
        """Which judge has to read the passages for it; empty if none."""
        ...

    @property
    def thresholds(self) -> tuple[float, float]:
        """(lower, upper): below lower is incorrect, from upper on correct, between ambiguous."""
        ...

    def probabilities(self, question: str, candidates: Sequence[Candidate]) -> list[float]:
        """Calibrated P(passage answers question), one per candidate, in [0, 1]."""
        ...


class Analyser(Protocol):
    """Turns text into index terms; one instance of one kind for documents and questions."""

    @property
    def fingerprint(self) -> str: ...

    def terms(self, text: str) -> list[str]:
        """Terms in order, repeats kept, stop words left out; there are no blanks in a term."""
        ...
