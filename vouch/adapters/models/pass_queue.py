"""What waits for the model: texts, and the order in which passes of one form take them."""

from dataclasses import dataclass, field
from typing import Generic, TypeVar

from vouch.adapters.models.shapes import Form, fill

Ids = tuple[int, ...]
R = TypeVar("R")                        # what the model makes of a text


@dataclass(eq=False, slots=True)
class QueuedText(Generic[R]):
    """A text on its way through the model; callers with an equal text share one."""

    ids: Ids
    since: float
    urgent: bool                        # a person waits for it
    result: R | None = None
    error: Exception | None = None

    @property
    def done(self) -> bool:
        return self.result is not None or self.error is not None


@dataclass(slots=True)
class PassQueue(Generic[R]):
    """Urgent tickets stand before the others, each kind in the order in which they came."""

    tickets: list[QueuedText[R]] = field(default_factory=list)
    urgents: int = 0
    size: int = 0

    @property
    def others_since(self) -> float | None:
        """Since when the first ticket waits that is not urgent; None if there is none."""
        return self.tickets[self.urgents].since if self.urgents < len(self.tickets) else None

    def add(self, ticket: QueuedText[R], size: int) -> None:
        """`size` is the room it takes in a pass."""
        self.tickets.insert(self.urgents if ticket.urgent else len(self.tickets), ticket)
        self.urgents += ticket.urgent
        self.size += size

    def take(self, form: Form, *, others_first: bool = False) -> list[QueuedText[R]]:
        """What one pass takes, in the order of the queue or with urgent tickets last."""
        order = [*self.tickets[self.urgents :], *self.tickets[: self.urgents]] if others_first else self.tickets
        chosen = [order[i] for i in fill(form, [len(ticket.ids) for ticket in order])]
        gone = set(map(id, chosen))
        self.tickets = [ticket for ticket in self.tickets if id(ticket) not in gone]
        self.urgents = sum(ticket.urgent for ticket in self.tickets)
        self.size -= sum(form.size(len(ticket.ids)) for ticket in chosen)
        return chosen

    def bring_forward(self, ticket: QueuedText[R]) -> None:
        if not ticket.urgent and ticket in self.tickets:
            self.tickets.remove(ticket)
            ticket.urgent = True
            self.add(ticket, size=0)    # its room is counted already
