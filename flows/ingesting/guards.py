"""What stops a step: the loss of many documents at once, and golden questions that find less."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from flows.ingesting.plan import Plan
from indexers.publishing.index_store import IndexStore, OpenVersion
from indexers.search.view import LiveView
from indexers.search.visibility import Visibility
from vouch.access import PUBLIC, Permissions
from vouch.adapters.data_files.golden_questions import read_golden
from vouch.adapters.sources.human_answers import NAME as HUMAN_ANSWERS
from vouch.documents.document import DocumentRecord
from vouch.errors import Damaged, Guarded
from vouch.learning.collections.golden import GoldenQuestion
from vouch.learning.evaluation.golden_retrieval import place
from vouch.retrieval.question.query import form_query
from vouch.retrieval.ranking import Ranking, rank
from vouch.retrieval.recipe.step import RankingModels


@dataclass(frozen=True, slots=True)
class Loss:
    """Of the documents of a source, those that a step takes from its readers."""

    known: int
    removed: int = 0
    unreadable: int = 0
    emptied: int = 0

    @property
    def counted(self) -> int:
        """A single document that breaks stops nobody; many at once are rather a fault of the place."""
        withdrawn = self.unreadable + self.emptied
        return self.removed + (withdrawn if withdrawn > 1 else 0)

    def __str__(self) -> str:
        parts = ((self.removed, "removed"), (self.unreadable, "withdrawn as unreadable"), (self.emptied, "emptied"))
        told = " and ".join(f"{number} {what}" for number, what in parts if number)
        if self.counted == self.removed:
            return f"{self.removed} of {self.known} documents would be removed"
        return f"{self.counted} of {self.known} documents would be lost, {told}"


def excessive(plan: Plan, most: float, records: Sequence[DocumentRecord] = ()) -> dict[str, Guarded]:
    """Sources that would lose more than the share `most` of their documents; none where that is allowed.

    `records` are what the plan's changes were read as; without them it is not known what cannot be read.
    """
    if plan.allow_removals:
        return {}
    # What goes from there was withdrawn by an owner or has expired, as the ledger says.
    kept_by_itself = {HUMAN_ANSWERS}
    known, mine = defaultdict[str, set[str]](set), defaultdict[str, list[DocumentRecord]](list)
    for header in plan.parent.headers if plan.parent else ():
        known[header.source].add(header.path)
    for record in records:
        mine[record.source].append(record)
    before, names = _before(plan), plan.scans.keys() - plan.begun_anew - kept_by_itself
    lost = {name: _loss(plan, name, known[name], mine[name], before) for name in plan.scans if name in names}
    return {
        name: Guarded(
            f"{loss}, more than {most:.0%}",
            cure="if that is right, run again with --allow-removals; vouch ingest --dry-run names them",
        )
        for name, loss in lost.items()
        if loss.known and loss.counted / loss.known > most
    }


def withdrawn(plan: Plan, records: Iterable[DocumentRecord]) -> list[DocumentRecord]:
    """Those of `records` that cannot be read, and could be in the version before."""
    before = _before(plan)
    return [r for r in records if r.state == "quarantined" and before(r)]


def _loss(
    plan: Plan, name: str, known: Collection[str], mine: Sequence[DocumentRecord],
    before: Callable[[DocumentRecord], bool],
) -> Loss:  # fmt: skip
    changes = plan.scans[name].changes
    kept = {path for change in changes if change.operation != "remove" for path in (change.path, change.old_path)}
    gone = set(known) - kept if plan.rebuild else {change.path for change in changes if change.operation == "remove"}
    emptied = sum(r.state == "indexed" and not r.chunks and before(r) for r in mine)
    return Loss(len(known), len(gone), sum(r.state == "quarantined" and before(r) for r in mine), emptied)


def _before(plan: Plan) -> Callable[[DocumentRecord], bool]:
    """Tells of a record whether the version before has words of that document, perhaps at another path."""
    held = {header.place: header for header in plan.parent.headers} if plan.parent else {}
    came = {(name, change.path): change.old_path for name, change in plan.changes}

    def had_words(record: DocumentRecord) -> bool:
        former = held.get((record.source, came.get((record.source, record.path)) or record.path))
        return former is not None and former.chunks > 0

    return had_words


FIRST = 5                               # passages among which that of a question has to be


@dataclass(frozen=True)
class GoldenGate:
    """Searches the new version and the one that is served as each question's reader would, under today's permissions.

    `ranked` loads what it gives. `loss`: the most that may be lost, as a share of the questions.
    """

    store: IndexStore
    permissions: Callable[[], Permissions]
    ranked: Callable[[], tuple[RankingModels, Ranking]]
    file: Path
    loss: float

    def __call__(self, version: OpenVersion) -> None:
        """Raises Guarded where more is lost, BadInput for a file that cannot be read."""
        questions = self._questions()
        before = self._served(version) if questions else None
        if before is None:
            return
        (models, how), permissions = self.ranked(), self.permissions()      # of one moment, for both versions
        had, has = (self._found(opened, questions, permissions, models, how) for opened in (before, version))
        if (had - has) / len(questions) > self.loss:
            raise Guarded(
                f"the new version finds the passage of {has} of {len(questions)} golden questions among the first "
                f"{FIRST}, the one that is served that of {had}: more is lost than {self.loss:.0%}",
                cure="mend the documents, take out questions that nothing answers any more, or raise "
                     "VOUCH_INGEST__GOLDEN_LOSS",
            )

    def _questions(self) -> list[GoldenQuestion]:
        there = self.file.exists() and self.file.stat().st_size
        return [one for one in read_golden(self.file) if one.answerable] if there else []

    def _served(self, version: OpenVersion) -> OpenVersion | None:
        """None where there is none to compare with: no sound one, or one of another encoder."""
        try:
            before = self.store.open_current()
        except Damaged:
            return None
        makers = [one.manifest.fingerprints.get("encoder") for one in (before, version) if one is not None]
        return before if len(makers) == 2 and makers[0] == makers[1] else None

    def _found(
        self, version: OpenVersion, questions: Sequence[GoldenQuestion], permissions: Permissions,
        models: RankingModels, how: Ranking,
    ) -> int:  # fmt: skip
        """How many questions. A reader nobody knows finds nothing, in either version."""
        now, visibility = datetime.now(UTC), Visibility()
        hits = 0
        for golden in questions:
            audience = permissions.directory.audience([golden.reader or PUBLIC], now)
            view = LiveView(version, permissions.epoch, visibility.rows(version, permissions, audience, now))
            passages = [c.passage for c in rank(view, form_query(golden.text, models.analyser), models, how).candidates]
            hits += place(golden, passages[:FIRST]) is not None
        return hits
