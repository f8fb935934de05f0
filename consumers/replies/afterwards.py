"""What a surface posts by itself once an answer was sent, or could not be."""

from typing import Protocol

from vouch.adapters.ledger import NewNotice, OutboxRow


class Afterwards(Protocol):
    """Each tells what is to be posted, if anything. It is in the ledger in the same moment as what became of the row,
    so that a crash loses neither, and whoever posts it reads it from there."""

    def sent(self, row: OutboxRow) -> NewNotice | None: ...

    def failed(self, row: OutboxRow, reason: str) -> NewNotice | None:
        """Nobody tries again. `reason` is why, and holds no words of question or answer."""
        ...
