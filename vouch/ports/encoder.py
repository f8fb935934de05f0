"""What a text's meaning is compared by."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float32]


class Encoder(Protocol):
    """Sentence vectors. A text's numbers do not depend on its neighbours or their order, bit for bit."""

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
