"""Labels that people bring from elsewhere: those of passages that there are, and that the question's readers may read.

Others would let a model learn from what these must not see, or from what was purged.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from vouch.adapters.ledger import Ledger
from vouch.errors import BadAccess, Busy, Overtaken
from vouch.learning.labels.label import CONVERSATION, Label
from vouch.ports.index import Readable

_TRIES = 3


@dataclass(frozen=True, slots=True)
class Imported:
    """`left_out`: of passages that no kept version holds, or that readers of the question may not read; `older` than a
    judgment that is there."""

    taken: int
    left_out: int
    older: int = 0


@dataclass(frozen=True)
class LabelImport:
    """`held`: those of some chunk ids that a kept version of the index holds. `visible_to`: those that all of some
    readers, by their tags, may read in the current one."""

    ledger: Ledger
    held: Callable[[Collection[str]], Collection[str]]
    visible_to: Callable[[Sequence[str], Sequence[str]], Readable]

    def take(self, labels: Sequence[Label]) -> Imported:
        """Keeps all judgments that can be kept, or none; where a newer one of the same person is there, that stays.

        Raises what `held` raises, and Busy if documents are purged always.
        """
        for _ in range(_TRIES):
            began = self.ledger.answers.erasures()          # before the look: a purge after it is noticed
            there = set(self.held({label.chunk_id for label in labels}))
            usable_labels = self._readable([label for label in labels if label.chunk_id in there])
            try:
                older = self.ledger.labels.put(usable_labels, began, keep_newer=True)
            except Overtaken:
                continue
            return Imported(len(usable_labels) - older, len(labels) - len(usable_labels), older)
        raise Busy("documents are being purged all the time", cure="import again later")

    def _readable(self, labels: Sequence[Label]) -> list[Label]:
        """Who is in a conversation is not known here: what was asked there is not looked at."""
        asked: dict[tuple[str, ...], set[str]] = {}
        for label in labels:
            asked.setdefault(label.audience, set()).add(label.chunk_id)
        seen = {audience: self._visible(audience, ids) for audience, ids in asked.items()}
        return [label for label in labels if label.chunk_id in seen[label.audience]]

    def _visible(self, audience: Sequence[str], chunk_ids: Collection[str]) -> Collection[str]:
        tags = [tag for tag in audience if not tag.startswith(CONVERSATION)]
        try:
            return self.visible_to(tags, sorted(chunk_ids)).chunk_ids if tags else chunk_ids
        except BadAccess:                   # a reader whom nobody knows may read nothing
            return ()
