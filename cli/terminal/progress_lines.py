"""How far a long command is, as plain lines on standard error: for a pipe, a file or a log, where no line can move."""

import time
from collections.abc import Callable

from cli.terminal.output import complain, on_one_line

EVERY_S, NEXT_S = 10.0, 2.0


class ProgressLines:
    """A listener that prints each step of the work whose length nobody knows, such as looking at a source.

    Of work whose length is known it prints a line every ten seconds, and its
    beginning unless the line before is just two seconds old: short work ends
    without one.
    """

    def __init__(
        self, tell: Callable[[str], None] = complain, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._tell, self._clock = tell, clock
        self._stage, self._kind, self._said = "", "", clock()

    def __call__(self, stage: str, done: int, total: int) -> None:
        if self._due(stage, total):
            share = f" ({min(done * 100 // total, 100)} %)" if total else ""
            self._tell(on_one_line(stage) + share)
            self._stage, self._kind, self._said = stage, kind_of(stage), self._clock()

    def _due(self, stage: str, total: int) -> bool:
        if not total:
            return stage != self._stage
        waited = self._clock() - self._said
        return waited >= EVERY_S or (waited >= NEXT_S and kind_of(stage) != self._kind)


def kind_of(stage: str) -> str:
    """The kind of work: the first word of what a stage is called, as in "embedding 3 of 40 passages"."""
    return stage.partition(" ")[0]
