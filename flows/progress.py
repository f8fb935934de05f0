"""How long work tells how far it is."""

from collections.abc import Callable

Progress = Callable[[str, int, int], None]
"""Called with the stage's name, how much of it is done, and how much there is."""


def silent(stage: str, done: int, total: int) -> None:
    """A listener for runs that nobody watches."""
