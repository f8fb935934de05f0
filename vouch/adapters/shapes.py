"""Fixed batch shapes: why a text's vector never depends on the texts beside it.

Matrix kernels choose their order of additions by shape. So every batch has
one of a few shapes, chosen by the text's own length alone, and rows without
a text are filled with an empty one.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_WIDTHS = (16, 32, 48, 64, 96, 128, 160, 192, 224, 256, 320, 384, 448, 512)


@dataclass(frozen=True)
class Shapes:
    """The table of (width in tokens, rows). A text goes to the narrowest width that leaves one token free."""

    table: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, limit: int, device: str) -> "Shapes":
        """For inputs of at most `limit` tokens.

        Measured on 2 cores with bfloat16: 4 rows of 96 or more tokens are as
        fast per token as 16 (20,000 a second), and a single text wastes less.
        """
        widths = [w for w in _WIDTHS if w < limit + 1]
        widths += [w for w in range(512 + 256, limit + 1, 256) if w > _WIDTHS[-1]]
        top = limit + 1
        return cls(tuple((w, _rows(w, device)) for w in [*widths, top]))

    @property
    def fingerprint(self) -> str:
        return ",".join(f"{width}x{rows}" for width, rows in self.table)

    def place(self, length: int) -> tuple[int, int]:
        """(width, rows) of the batch an input of `length` tokens goes to."""
        return next((width, rows) for width, rows in self.table if length < width)

    def batches(self, lengths: Sequence[int]) -> Iterator[tuple[int, int, list[int]]]:
        """(width, rows, positions of the inputs in it), every position once, at most `rows` to a batch."""
        groups: dict[tuple[int, int], list[int]] = {}
        for position, length in enumerate(lengths):
            groups.setdefault(self.place(length), []).append(position)
        for (width, rows), members in sorted(groups.items()):
            for start in range(0, len(members), rows):
                yield width, rows, members[start : start + rows]


def _rows(width: int, device: str) -> int:
    if device == "cuda":
        return 64
    return 8 if width <= 64 else 4
