"""Asks questions as people would ask them, to measure the answers. Nothing is stored or sent."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime, timedelta

from vouch.access import PUBLIC
from vouch.correction.outcome import Outcome
from vouch.filters import EVERYTHING, Filters
from vouch.learning.collections.asked import Asked, looked_at
from vouch.messages import TERMINAL, QuestionAsked, TagsAudience
from vouch.ports.index import Index
from vouch.ports.permission_store import PermissionStore

HELD = 4                                # questions at a time: their texts share the passes of the models


@dataclass(frozen=True, slots=True)
class Wanted:
    """`tag`: who asks."""

    id: str
    text: str
    tag: str = PUBLIC
    filters: Filters = EVERYTHING


@dataclass(frozen=True)
class Asker:
    """Over what an index serves, through the code that answers people."""

    answer: Callable[[QuestionAsked], Outcome]
    index: Index
    permissions: PermissionStore
    clock: Callable[[], datetime]
    join: Callable[[], AbstractContextManager[None]]

    def ask(self, questions: Sequence[Wanted]) -> Iterator[Asked]:
        """In their order."""
        with ThreadPoolExecutor(HELD) as pool:
            yield from pool.map(self._asked, questions)

    def _asked(self, wanted: Wanted) -> Asked:
        now = self.clock()
        message = QuestionAsked(
            id=f"golden-{wanted.id}", text=wanted.text, surface=TERMINAL, asker=wanted.tag,
            audience=TagsAudience(tags=(wanted.tag,)), asked_at=now, deadline=now + timedelta(hours=1),
            filters=wanted.filters,
        )
        with self.join():
            outcome = self.answer(message)
        audience = self.permissions.permissions().directory.audience([wanted.tag], self.clock())
        ids = [row["chunk_id"] for row in outcome.candidates] + [one.chunk_id for one in outcome.answer.citations]
        shown = self.index.visible(audience, ids) if ids else frozenset[str]()
        return looked_at(outcome.answer, outcome.candidates, self.index.view(audience), shown)
