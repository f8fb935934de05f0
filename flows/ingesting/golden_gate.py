"""The gate of golden questions: a version by which they find their passages more rarely is not served."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from indexers.publishing.index_store import IndexStore, OpenVersion
from indexers.search.view import LiveView
from indexers.search.visibility import Visibility
from vouch.access import PUBLIC, Permissions
from vouch.adapters.golden_questions import read_golden
from vouch.errors import Damaged, Guarded
from vouch.learning.collections.golden import GoldenQuestion
from vouch.learning.evaluation.golden_retrieval import place
from vouch.retrieval.query import form_query
from vouch.retrieval.ranking import Ranking, RankingModels, rank

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
        had, has = (self._found(one, questions, permissions, models, how) for one in (before, version))
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
        found = 0
        for one in questions:
            audience = permissions.directory.audience([one.reader or PUBLIC], now)
            view = LiveView(version, permissions.epoch, visibility.rows(version, permissions, audience, now))
            passages = [c.passage for c in rank(view, form_query(one.text, models.analyser), models, how).candidates]
            found += place(one, passages[:FIRST]) is not None
        return found
