"""When to merge: the newest folders grow together like digits of a binary number.

An older neighbour at least twice the size stays apart. So there are about
log₂(n) folders, each row is copied about log₂(n) times in its life, and a
publish costs what its change costs, most of the time.
"""

from collections.abc import Sequence


def first_to_merge(sizes: Sequence[int], new: int) -> int:
    """From which of the folders (oldest first) on everything is merged with the `new` rows; len(sizes) for none."""
    first, size = len(sizes), new
    while first and sizes[first - 1] < 2 * size:
        first -= 1
        size += sizes[first]
    return first
