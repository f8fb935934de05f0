"""Where people ask and read, and what is brought to them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol


@dataclass(frozen=True, slots=True)
class Delivery:
    """An answer on its way to the surface it was asked on.

    `until`, of `time.monotonic`: what its readers may read was looked up so
    recently that a post may begin. A surface that has to wait first, for a
    lock of its own, posts no later than that.
    """

    question_id: str
    thread: str | None
    answer: Mapping[str, Any]
    until: float | None = None


AfterDoubt = Literal["ask", "repeat"]
"""What to do when a post may or may not have arrived.

ask      the receiver tells whether it has the question id: `has` is called, and `post` only if it has not
repeat   the receiver cannot be asked, but keeps the first post of a question id and drops others: `post` is called
"""


class Surface(Protocol):
    """A place where people ask and read. The question id travels with each post, for the receiver to know it by.

    A receiver that can neither be asked nor drops repeats is none: nobody
    could promise that an answer comes once.
    """

    @property
    def after_doubt(self) -> AfterDoubt: ...

    def has(self, delivery: Delivery) -> bool:
        """Whether the answer to this question is there already. Raises Unavailable where nobody can tell now."""
        ...

    def post(self, delivery: Delivery) -> None:
        """Afterwards it is there for people to see, with the question id. One attempt, within a minute.

        Raises Unavailable when the receiver is down or slow, and whenever it
        may or may not have arrived; Denied where nobody may ever post it;
        BadInput where the receiver refuses this answer and might take another.
        """
        ...
