"""Passes of fixed form: why numbers never depend on texts beside them, and who waits for which pass.

Matrix kernels choose their order of additions by shape. So every pass of a
model has one of a few forms, chosen by the text's own length alone, and what
the texts of a pass leave free is filled up with padding.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

_WIDTHS = (16, 32, 48, 64, 96, 128, 160, 192, 224, 256, 320, 384, 448, 512)
_SHORT = 32                             # tokens; nearly every question is shorter
_SLOTS = (512, 2816)                    # of a pass of short and of other texts


@dataclass(frozen=True, slots=True, order=True)
class Form:
    """A kind of pass for texts of fewer than `width` tokens, until its `room` is used up.

    Packed, a text takes as much room as it has tokens: texts lie end to end.
    Otherwise a text is a row of `width` tokens and takes 1.
    """

    width: int
    room: int
    packed: bool

    def size(self, length: int) -> int:
        return length if self.packed else 1


@dataclass(frozen=True)
class Shapes:
    """The forms there are, by rising width. A text goes to the narrowest one it fits in."""

    forms: tuple[Form, ...]

    @classmethod
    def of(cls, limit: int, device: str, *, packed: bool) -> "Shapes":
        """For inputs of at most `limit` tokens.

        Chosen on 2 cores with bfloat16, where time goes by tokens alone from
        about 300 a pass on (24,000 a second): the slots are the fewest with
        which sixteen questions together need a quarter of their passes.
        """
        return cls(tuple(_packed(limit, device) if packed else _rows(limit, device)))

    @property
    def fingerprint(self) -> str:
        return ",".join(f"{form.width}{'/' if form.packed else 'x'}{form.room}" for form in self.forms)

    def place(self, length: int) -> Form:
        """The form of a pass that takes an input of `length` tokens."""
        return next(form for form in self.forms if length < form.width)

    def fitting(self, needed: Sequence[int], likely: Sequence[int]) -> list[int]:
        """Positions of those of `likely`, the first first, that passes of `needed` or one of each form have room for.

        Both are lengths.
        """
        used = dict.fromkeys(self.forms, 0)
        for length in needed:
            used[self.place(length)] += self.place(length).size(length)
        left = {form: max(form.room, -(-size // form.room) * form.room) - size for form, size in used.items()}
        chosen = []
        for position, length in enumerate(likely):
            form = self.place(length)
            if form.size(length) <= left[form]:
                left[form] -= form.size(length)
                chosen.append(position)
        return chosen


def fill(form: Form, lengths: Sequence[int]) -> list[int]:
    """Positions that one pass takes: the first, and each later one that still fits."""
    chosen, left = [], form.room
    for position, length in enumerate(lengths):
        size = form.size(length)
        if size <= left:
            chosen.append(position)
            left -= size
    return chosen


def _packed(limit: int, device: str) -> Iterator[Form]:
    more = 4 if device == "cuda" else 1
    short, long = (slots * more for slots in _SLOTS)
    if limit > _SHORT:
        yield Form(_SHORT + 1, short, True)
    yield Form(limit + 1, max(long, -(-limit // 64) * 64), True)


def _rows(limit: int, device: str) -> Iterator[Form]:
    """One token of the width stays free: without any padding libraries take another kernel, with other bits."""
    widths = [w for w in _WIDTHS if w < limit + 1]
    widths += [w for w in range(512 + 256, limit + 1, 256) if w > _WIDTHS[-1]]
    for width in [*widths, limit + 1]:
        yield Form(width, 64 if device == "cuda" else 8 if width <= 64 else 4, False)


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
