"""What the service is given to work with. Whoever implements it checks what each reader may see, at every call."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol


class Questions(Protocol):
    """Asks for readers whose identity was proven before; the first of them is the asker."""

    def ask(self, text: str, readers: Sequence[str], once: str | None = None) -> str:
        """The question's id, once it is on the log. With `once`, a repeat of the same request has the same id.

        Raises BadInput for a text that is no question, Guarded for one too many, Unavailable.
        """
        ...

    def is_sent(self, question_id: str) -> bool:
        """Whether its answer may be looked at. It may not be this reader's: `look` tells."""
        ...

    def look(self, named: str, reader: str) -> Mapping[str, Any] | None:
        """The answer with this id or to this question, as its JSON, if the reader may still read it; None: not yet.

        Raises NotFound for one that this reader could not have asked for, as
        if there were none; Denied if what it was made from may not be read any more.
        """
        ...

    def is_asker(self, question_id: str, reader: str) -> bool:
        """Whether this reader asked the question with this id, answered or not."""
        ...

    def may_read(self, reader: str, chunk_ids: Sequence[str]) -> bool:
        """Whether the reader may read every one of the chunks at this moment."""
        ...

    def vote(
        self, answer_id: str, reader: str, vote: str, reason: str | None, category: str | None = None
    ) -> None:
        """Puts the vote on the log. Raises what `look` raises, BadInput for a reason or category that cannot be."""
        ...


class Library(Protocol):
    """Passages and documents. Unknown and hidden ones raise the same Denied."""

    def search(self, text: str, tags: Sequence[str], top: int, mode: str) -> dict[str, Any]: ...

    def show(self, chunk_id: str, tags: Sequence[str], around: int) -> dict[str, Any]: ...

    def document(self, source: str, path: str, tags: Sequence[str]) -> dict[str, Any]: ...


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened while a question was answered; `chunks` are the passages that its words come from."""

    number: int
    kind: Literal["stage", "sentence"]
    data: Mapping[str, Any]
    chunks: tuple[str, ...] = ()


class Progress(Protocol):
    """How far questions are that this process answers. It checks nobody's permissions."""

    def after(self, question_id: str, number: int) -> Sequence[Event]:
        """What happened after the event with that number, in order."""
        ...


class Standing(Protocol):
    """How the process is."""

    def unready(self) -> Sequence[str]:
        """What it waits for, in words that tell of no document; empty once it can answer."""
        ...

    def sick(self) -> Sequence[str]:
        """What of it hangs; empty while it works."""
        ...


class Administrators(Protocol):
    """Who may look at what tells of all documents, and what that is."""

    def is_one(self, reader: str) -> bool: ...

    def versions(self) -> list[dict[str, Any]]: ...
