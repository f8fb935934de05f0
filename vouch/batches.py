"""Long lists in parts."""

from collections.abc import Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")


def batches(values: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    """All of them in their order, `size` at a time; the last part may be shorter."""
    for start in range(0, len(values), size):
        yield values[start : start + size]
