"""What one person may look at again: own questions, how they were answered, and how much there is to read.

Everything is looked at with the rights of this moment.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Protocol

from vouch.access import Audience
from vouch.access_check.directory import is_known
from vouch.adapters.ledger import Ledger, SentAnswer
from vouch.answering.answer import REMOVED
from vouch.answering.partly_told import asked_alone, cites_only, kind_alone
from vouch.answering.standing import stands
from vouch.errors import Damaged, Denied, IndexDown, NotFound
from vouch.ports.index import Index
from vouch.ports.stores import PermissionStore
from vouch.values.candidate import Passage

_SINCE = timedelta(days=30)
_MOST_NEAR = 3                          # documents
_WORDLESS = ("id", "action", "timings_ms", "model", "index_version")


class Held(Protocol):
    """A document of the index."""

    @property
    def source(self) -> str: ...

    @property
    def path(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Looked:
    """A passage that was looked at for an answer, and what was found: its row among the candidates.

    Without numbers where something that the answer was made from may not be read any more.
    """

    passage: Passage
    row: Mapping[str, Any]


@dataclass(frozen=True)
class OwnAnswers:
    """`asker` is the name that a person asks under, `rights` the access tag that says what the person may read."""

    ledger: Ledger
    permissions: PermissionStore
    index: Index
    documents: Callable[[], Iterable[Held]]
    clock: Callable[[], datetime]
    surface: str

    def recent(self, asker: str, rights: str, limit: int) -> list[tuple[SentAnswer, bool]]:
        """The person's latest questions, and whether the answers may still be shown to this person."""
        found = self.ledger.asked_by.recent(asker, self.surface, self.clock() - _SINCE, limit)
        return [(one, self._may_see(rights, one)) for one in found if one.question.text != REMOVED]

    def trace(self, asker: str, rights: str, named: str) -> tuple[Mapping[str, Any], list[Looked]] | None:
        """The JSON of the answer with that id and the passages looked at, as far as the person may read them now.

        Where the person may not read all any more that it was made from, no words of it are left, nor numbers. None
        for an answer to somebody else's question, one that cites what the person may not read any more, and where
        there is none: nobody can tell these apart.
        """
        sent = self.ledger.asked_by.find(named)
        if sent is None or (sent.question.asker, sent.question.surface) != (asker, self.surface):
            return None
        if sent.question.text == REMOVED:
            return None
        body, rows = sent.body, self.ledger.answers.candidates(sent.body["id"])
        try:
            seen = self.index.visible(self._audience(rights), [*sent.given, *(row["chunk_id"] for row in rows)])
            shown = [row for row in rows if row["chunk_id"] in seen]
            passages = self.index.view(self._audience(rights)).passages([row["chunk_id"] for row in shown])
        except (Denied, NotFound):      # not any more, or nothing is indexed
            return None
        if not cites_only(body, seen):
            return None
        if not seen.issuperset(sent.given):
            body = _partly_told(body)
            shown = [{name: row[name] for name in ("position", "cited")} for row in shown]
        return body, [Looked(passage, row) for passage, row in zip(passages, shown, strict=True)]

    def near(self, asker: str, rights: str, named: str) -> list[str]:
        """Documents, SOURCE:PATH, of the passages that `trace` tells, the best first; of many, the first."""
        found = self.trace(asker, rights, named)
        looked = sorted(found[1] if found else [], key=lambda one: one.row.get("position") or 10_000)
        return list(dict.fromkeys(f"{one.passage.source}:{one.passage.path}" for one in looked))[:_MOST_NEAR]

    def knows(self, rights: str) -> bool:
        """Whether the directory names whom these rights are of; who reads public documents by rule is known as that."""
        return is_known(self.permissions.permissions().directory, rights)

    def readable(self, rights: str) -> dict[str, int]:
        """Source → documents in it that the person may read, without sources that have none."""
        try:
            view = self.index.view(self._audience(rights))
        except NotFound:
            return {}
        counted = Counter(one.source for one in self.documents() if view.of_document(one.source, one.path))
        return dict(sorted(counted.items()))

    def _may_see(self, rights: str, sent: SentAnswer) -> bool:
        try:
            audience = self._audience(rights)
            seen = self.index.visible(audience, sent.given).issuperset(sent.given)
            return seen and stands(sent, self.index.view(audience))
        except (Damaged, IndexDown, NotFound):
            return not sent.given

    def _audience(self, rights: str) -> Audience:
        return self.permissions.permissions().directory.audience([rights], self.clock())


def _partly_told(body: Mapping[str, Any]) -> dict[str, Any]:
    """Of steps, and of parts that they left open, only how many there were."""
    counted = {name: [""] * len(body.get(name, ())) for name in ("steps", "open_parts")}
    plain = {name: body[name] for name in _WORDLESS}
    return asked_alone(body) | kind_alone(body) | plain | counted | {"stopped": body.get("stopped", "")}
