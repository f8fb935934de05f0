"""What waits for the model: texts, and the order in which passes of one form take them."""

from dataclasses import dataclass, field

from vouch.adapters.models.forward import Encoded
from vouch.adapters.models.shapes import Form, fill

Ids = tuple[int, ...]


@dataclass(eq=False, slots=True)
class Ticket:
    """A text on its way through the model; callers with an equal text share one."""

    ids: Ids
    since: float
    first: bool                         # asked by the company
    result: Encoded | None = None
    error: Exception | None = None

    @property
    def done(self) -> bool:
        return self.result is not None or self.error is not None


@dataclass(slots=True)
class PassQueue:
    """The company's tickets stand before the others', each kind in the order in which they came."""

    tickets: list[Ticket] = field(default_factory=list)
    firsts: int = 0
    size: int = 0

    def add(self, ticket: Ticket) -> None:
        self.tickets.insert(self.firsts if ticket.first else len(self.tickets), ticket)
        self.firsts += ticket.first

    def take(self, form: Form, *, others_first: bool = False) -> list[Ticket]:
        """What one pass takes, in the order of the queue or with the company's tickets last."""
        order = [*self.tickets[self.firsts :], *self.tickets[: self.firsts]] if others_first else self.tickets
        chosen = [order[i] for i in fill(form, [len(ticket.ids) for ticket in order])]
        gone = set(map(id, chosen))
        self.tickets = [ticket for ticket in self.tickets if id(ticket) not in gone]
        self.firsts = sum(ticket.first for ticket in self.tickets)
        self.size -= sum(form.size(len(ticket.ids)) for ticket in chosen)
        return chosen

    def bring_forward(self, ticket: Ticket) -> None:
        if not ticket.first and ticket in self.tickets:
            self.tickets.remove(ticket)
            ticket.first = True
            self.add(ticket)
