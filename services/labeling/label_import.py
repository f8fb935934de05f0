"""Labels that people bring from elsewhere: those of passages that there are, and that the question's readers may read.

Others would let a model learn from what these must not see, or from what was purged. What is there already is not taken
again: a file of judgments without names, such as exported qrels, would count as one person more.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from vouch.access import Directory
from vouch.access_check.directory import unknown
from vouch.adapters.ledger import Ledger
from vouch.errors import BadAccess, Busy, Overtaken
from vouch.learning.labels.label import CONVERSATION, Label
from vouch.ports.index import Readable

_TRIES = 3


@dataclass(frozen=True, slots=True)
class Imported:
    """`left_out`: of passages that no kept version holds, or that readers of the question may not read; `older` than a
    judgment that is there; `there`: already, with the same relevance."""

    taken: int
    left_out: int
    older: int = 0
    there: int = 0


@dataclass(frozen=True, slots=True)
class TakenBack:
    """`left`: lines that are not there as the file says them: never taken, or judged anew since."""

    gone: int
    left: int


@dataclass(frozen=True)
class LabelImport:
    """`held`: those of some chunk ids that a kept version of the index holds. `visible_to`: those that all of some
    readers, by their tags, may read in the current one."""

    ledger: Ledger
    held: Callable[[Collection[str]], Collection[str]]
    visible_to: Callable[[Sequence[str], Sequence[str]], Readable]
    directory: Callable[[], Directory] = Directory

    def stranger(self) -> Callable[[str], str]:
        """Says of a person's tag why they are nobody who judges; nothing where no directory is loaded."""
        directory = self.directory()
        return lambda tag: unknown(directory, tag) if directory.people else ""

    def take(self, labels: Sequence[Label]) -> Imported:
        """Keeps all judgments that can be kept, or none; where a newer one of the same person is there, that stays.

        Raises what `held` raises, and Busy if documents are purged always.
        """
        for _ in range(_TRIES):
            began = self.ledger.answers.erasures()          # before the look: a purge after it is noticed
            there = set(self.held({label.chunk_id for label in labels}))
            usable_labels = self._readable([label for label in labels if label.chunk_id in there])
            new = _without_known(usable_labels, self.ledger.labels.list(["judged"]))
            try:
                older = self.ledger.labels.put(new, began, keep_newer=True)
            except Overtaken:
                continue
            return Imported(len(new) - older, len(labels) - len(usable_labels), older, len(usable_labels) - len(new))
        raise Busy("documents are being purged all the time", cure="import again later")

    def take_back(self, labels: Sequence[Label]) -> TakenBack:
        """Deletes those that are there as they are given; what the same person judged anew since stays."""
        there = {label.key: label for label in self.ledger.labels.list(["judged"])}
        same = [label.key for label in labels
                if (known := there.get(label.key)) and known.relevance == label.relevance and known.at <= label.at]
        gone = self.ledger.labels.delete(same)
        return TakenBack(gone, len(labels) - gone)

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


def _without_known(labels: Sequence[Label], there: Sequence[Label]) -> list[Label]:
    """Those that change something. Whoever is not named may be anybody who judged the passage so."""
    mine = {label.key: label for label in there}
    said = {(label.question_key, label.chunk_id, label.relevance) for label in there}
    return [label for label in labels if not (
        _same(label, mine[label.key]) if label.key in mine else
        label.person is None and (label.question_key, label.chunk_id, label.relevance) in said)]


def _same(label: Label, known: Label) -> bool:
    of_text = label.text_hash is None or label.text_hash == known.text_hash
    return of_text and (label.relevance, label.weight) == (known.relevance, known.weight)
