"""How long work tells how far it is."""

from collections.abc import Callable
from dataclasses import dataclass

Progress = Callable[[str, int, int], None]
"""Called with what is being done, how much of the work is done, and how much there is; 0 where that is not known."""

_READ, _EMBED, _PUBLISH = 1, 9, 1       # what a document takes of each, roughly


def silent(stage: str, done: int, total: int) -> None:
    """A listener for runs that nobody watches."""


@dataclass(frozen=True, slots=True)
class StepProgress:
    """How far a whole step is: all of it, whatever is just done, told on one scale.

    Batches hold `batch` documents of the `documents` there are, the last one what is left.
    """

    tell: Progress
    documents: int
    batch: int

    def read(self, number: int, done: int) -> None:
        """Of batch `number`, from 0 on, `done` documents are read."""
        before = number * self.batch
        self._say(f"reading {before + done} of {self.documents} documents", before * (_READ + _EMBED) + done * _READ)

    def embedded(self, number: int, done: int, total: int) -> None:
        """Of what batch `number` must have embedded, `done` of `total` passages are."""
        before = number * self.batch
        size = min(self.batch, self.documents - before)
        share = size * _EMBED * done // total if total else size * _EMBED
        told = f"embedding {done} of {total} passages" if total else "nothing to embed"
        self._say(told, before * (_READ + _EMBED) + size * _READ + share)

    def publishes(self) -> None:
        self._say("publishing", self.documents * (_READ + _EMBED))

    def _say(self, stage: str, done: int) -> None:
        self.tell(stage, done, max(self.documents, 1) * (_READ + _EMBED + _PUBLISH))
