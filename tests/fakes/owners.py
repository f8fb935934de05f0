"""Owners in a mapping, for tests of what asks for them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class OwnersByPath:
    """The owners of each path, in whatever source."""

    of: Mapping[str, Sequence[str]]

    def owners_of(self, source: str, path: str) -> tuple[str, ...]:
        return tuple(sorted(self.of.get(path, ())))

    def named(self) -> tuple[str, ...]:
        return tuple(sorted({tag for tags in self.of.values() for tag in tags}))
