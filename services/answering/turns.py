"""Whose turn it is to ask, where a surface counts that itself."""

from typing import Protocol


class Turns(Protocol):
    def take(self, who: str) -> None:
        """Raises Guarded for one question too many."""
        ...


class Unlimited:
    def take(self, who: str) -> None:
        """Everybody has a turn."""
