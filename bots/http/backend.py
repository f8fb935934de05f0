"""What the service is given to work with. Whoever implements it checks what each reader may see, at every call."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from vouch.filters import EVERYTHING, Filters


class Questions(Protocol):
    """Asks for readers whose identity was proven before; the first of them is the asker."""

    def ask(
        self, text: str, readers: Sequence[str], once: str | None = None, follows: str | None = None,
        share_question: bool = False, filters: Filters = EVERYTHING, *, asker: str = "",
        acts_for: Collection[str] = (), stranger: str = "", steps: int | None = None,
    ) -> str:  # fmt: skip
        """The question's id, once it is on the log. With `once`, a repeat of the same request has the same id.

        `follows` names an answer that it follows up on; `share_question`: its words may be shown to owners of
        documents, which counts only of somebody who is signed in; `filters` narrow what answers it. With `asker` a
        program asks for the readers, and is none of them, as far as it `acts_for` them all: else Denied.
        `stranger`: the address of somebody who is not known, who is counted by it. `steps`: further ones it may
        take; None: as is set. Raises what `look` raises for that, Conflict while what it follows up on is being made,
        BadInput for a text that is no question, Guarded for one too many, Unavailable.
        """
        ...

    def is_sent(self, question_id: str) -> bool:
        """Whether its answer may be looked at. It may not be this reader's: `look` tells."""
        ...

    def sent_among(self, question_ids: Sequence[str]) -> Collection[str]:
        """Those of them that `is_sent` is true of."""
        ...

    def when_sent(self, tell: Callable[[str], None]) -> None:
        """From now on `tell` is called with the question's id, in any thread, after this process sent its answer.
        Others may send some, too."""
        ...

    def look(self, named: str, reader: str, acts_for: Collection[str] = ()) -> Mapping[str, Any] | None:
        """The answer with this id or to this question, as its JSON, if the reader may still read it; None: not yet.

        Its citations are told as what they cite stands now.

        A program that asked for others looks for them, while it `acts_for` them.
        Raises NotFound for one that this reader could not have asked for, as
        if there were none; Denied if what it was made from may not be read any more.
        """
        ...

    def history(self, reader: str, acts_for: Collection[str] = ()) -> Sequence[Mapping[str, Any]]:
        """What this reader asked last and may still look at, newest first: `id` of the answer, `question`, `action`,
        `answered_at`. A program that asked for others may, while it `acts_for` them."""
        ...

    def thread(self, named: str, reader: str) -> Sequence[Mapping[str, Any]]:
        """What an answer that `look` gave this reader follows up on, oldest first, as far as the reader may look at it:
        `id`, `question`, and `answer`, its first words."""
        ...

    def made_for(self, named: str, reader: str) -> Sequence[str]:
        """Everybody an answer that `look` gave this reader was made for, as they were named; empty for who may not."""
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


class Traces(Protocol):
    """How answers were made, as far as whoever looks may read now what they were made from."""

    def trace(self, named: str, readers: Sequence[str], *, operates: bool = False) -> dict[str, Any]:
        """Raises NotFound for the answer of somebody else, as if there were none, and Denied as `look` does.

        `operates`: the reader is an operator, who is told of the answers of others too, without their words.
        """
        ...

    def closest(self, named: str, reader: str) -> dict[str, Any]:
        """Of an answer that `look` gave this reader: how much was looked at, and the closest passages."""
        ...


class Library(Protocol):
    """Passages and documents. Unknown and hidden ones raise the same Denied."""

    def search(
        self, text: str, tags: Sequence[str], top: int, mode: str | None, filters: Filters = EVERYTHING
    ) -> dict[str, Any]:
        """Without a mode, by the best that this process can do. Raises Usage for one that it cannot."""
        ...

    def show(self, chunk_id: str, tags: Sequence[str], around: int) -> dict[str, Any]: ...

    def document(self, source: str, path: str, tags: Sequence[str], after: int, most: int) -> dict[str, Any]:
        """`most` passages beyond the first `after`, and the `count` of all; a larger document costs no more."""
        ...

    def documents(self, tags: Sequence[str], after: tuple[str, str], most: int) -> dict[str, Any]: ...


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened while a question was answered; `chunks` are the passages that its words come from."""

    number: int
    kind: Literal["stage", "sentence"]
    data: Mapping[str, Any]
    chunks: tuple[str, ...] = ()


class Progress(Protocol):
    """How far questions are, as far as this process hears. It checks nobody's permissions."""

    def after(self, question_id: str, number: int) -> Sequence[Event]:
        """What happened after the event with that number, in order."""
        ...

    def when_noted(self, tell: Callable[[str], object]) -> None:
        """From now on `tell` is called with a question's id once something happened to it, in any thread."""
        ...


class Standing(Protocol):
    """How the process is."""

    def unready(self) -> Sequence[str]:
        """What it waits for, in words that tell of no document; empty once it can answer."""
        ...

    def sick(self) -> Sequence[str]:
        """What of it hangs; empty while it works."""
        ...
