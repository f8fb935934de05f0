"""Labels that people bring from elsewhere: those of passages that a kept version holds."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from vouch.adapters.ledger import Ledger
from vouch.errors import Busy, Overtaken
from vouch.learning.labels.label import Label

_TRIES = 3


@dataclass(frozen=True, slots=True)
class Imported:
    """`left_out`: of passages that no kept version of the index holds; `older` than a judgment that is there."""

    taken: int
    left_out: int
    older: int = 0


@dataclass(frozen=True)
class LabelImport:
    """`held`: those of some chunk ids that a kept version of the index holds."""

    ledger: Ledger
    held: Callable[[Collection[str]], Collection[str]]

    def take(self, labels: Sequence[Label]) -> Imported:
        """Keeps all judgments that can be kept, or none; where a newer one of the same person is there, that stays.

        Raises what `held` raises, and Busy if documents are purged always.
        """
        for _ in range(_TRIES):
            began = self.ledger.answers.erasures()          # before the look: a purge after it is noticed
            there = set(self.held({label.chunk_id for label in labels}))
            usable_labels = [label for label in labels if label.chunk_id in there]
            try:
                older = self.ledger.labels.put(usable_labels, began, keep_newer=True)
            except Overtaken:
                continue
            return Imported(len(usable_labels) - older, len(labels) - len(usable_labels), older)
        raise Busy("documents are being purged all the time", cure="import again later")
