"""Drafts of documents that people's answers left, for whoever runs vouch."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from vouch.adapters.ledger import Draft, Ledger
from vouch.adapters.ledger.handoffs import APPROVED
from vouch.adapters.sources.human_answers import NAME, HumanAnswers


@dataclass(frozen=True)
class DraftService:
    """`announce` says that documents of a source have changed."""

    ledger: Ledger
    documents: HumanAnswers
    announce: Callable[[str], object]
    clock: Callable[[], datetime]

    def list(self, state: str | None = None) -> list[dict[str, Any]]:
        """The drafts, oldest first; expired ones are marked."""
        self._settle()
        return [draft_row(draft) for draft in self.ledger.drafts.list((state,) if state else ())]

    def get(self, id_: str) -> dict[str, Any]:
        """A draft with its question and text. Raises NotFound, Usage."""
        draft = self.ledger.drafts.get(id_)
        return {**draft_row(draft), "question": draft.question, "text": draft.text}

    def decide(self, id_: str, state: str, by: str) -> dict[str, Any]:
        """Approved: it is ingested like any document, for its readers, until its day. Refused: it is none any more.

        Raises NotFound, Guarded, Usage if it was decided otherwise or has expired.
        """
        draft, changed = self.documents.decide(id_, state, by, self.clock())
        if changed:
            self.announce(NAME)
        return draft_row(draft)

    def _settle(self) -> None:
        if self.documents.settle(self.clock()):
            self.announce(NAME)


def draft_row(draft: Draft) -> dict[str, Any]:
    """A draft without its words."""
    return {
        "id": draft.id, "state": draft.state, "by": draft.by, "made_at": draft.made_at.isoformat(),
        "expires_at": draft.expires_at.isoformat(), "readers": list(draft.access),
        "document": f"{NAME}:{draft.path}" if draft.state == APPROVED else None,
        "decided_by": draft.decided_by, "decided_at": draft.decided_at.isoformat() if draft.decided_at else None,
        "answer": draft.answer_id,
    }  # fmt: skip
