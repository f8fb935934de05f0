"""What operators are shown and may do. Whoever implements it notes each act with who did it and when."""

from collections.abc import Sequence
from typing import Any, Protocol

from vouch.messages import DocumentsChanged


class DocumentLooks(Protocol):
    def sources(self) -> list[dict[str, Any]]: ...

    def documents(self, source: str, state: str, after: str) -> dict[str, Any]:
        """Of a source, in this state or in any, with paths after `after`: `counts`, `documents`, and whether `more`.
        Raises NotFound for a source that is not there and has left no documents."""
        ...

    def access(self, person: str, document: str) -> dict[str, Any]:
        """Why this person may or may not read a document. Raises NotFound."""
        ...

    def readers(self, document: str) -> dict[str, Any]:
        """Who may read a document, and through what. Raises NotFound."""
        ...

    def person(self, person: str, source: str, after: str) -> dict[str, Any]:
        """How much of each source a person may read, and of one which documents."""
        ...


class Intake(Protocol):
    def changed(self, source: str, paths: Sequence[str] | None, by: str) -> DocumentsChanged:
        """It is announced. Raises the same Denied for no such source and for somebody who may not."""
        ...

    def check(self, source: str) -> None:
        """Raises NotFound for a source that is not there."""
        ...

    def look_again(self, source: str, paths: Sequence[str] | None, by: str) -> DocumentsChanged:
        """The same for an operator. Raises NotFound, BadInput."""
        ...

    def upload_place(self) -> dict[str, Any]:
        """Where uploads go, and what is taken. Raises NotFound if nothing is."""
        ...

    def upload(self, path: str, data: bytes, by: str, *, replace: bool) -> dict[str, Any]:
        """It is in its folder and announced; who may read it there. Raises BadInput, Conflict, Unavailable."""
        ...


class Quality(Protocol):
    def reports(self) -> list[dict[str, Any]]: ...

    def report(self, name: str) -> dict[str, Any]:
        """Raises NotFound."""
        ...

    def picture(self, report: str, name: str) -> str:
        """SVG. Raises NotFound."""
        ...

    def votes(self) -> list[dict[str, Any]]: ...

    def votes_picture(self) -> str: ...

    def drift(self) -> dict[str, Any] | None: ...

    def drift_picture(self) -> str:
        """Raises NotFound where there is nothing to show."""
        ...

    @property
    def finds_gaps(self) -> bool: ...

    def gaps(self, person: str) -> dict[str, Any] | None:
        """As the newest report tells them to this person; None if none is kept."""
        ...

    def find_gaps(self, person: str) -> dict[str, Any]:
        """As of now. Raises NotFound where that cannot be done here, Overloaded."""
        ...


class Models(Protocol):
    def rows(self) -> list[dict[str, Any]]: ...

    def put_back(self) -> list[str]:
        """What the guard did last, of each kind that nobody has moved since, in words."""
        ...

    def moves(self) -> list[dict[str, Any]]: ...

    def show(self, name: str) -> dict[str, Any]:
        """Raises NotFound."""
        ...

    def promote(self, name: str, by: str, *, beside: str | None, early: bool) -> list[str]:
        """Raises NotFound, Usage for what must not serve, Conflict."""
        ...

    def way_back(self, kind: str) -> dict[str, str]:
        """By kind what serves after `roll_back`. Raises Usage where there is none to go back from."""
        ...

    def roll_back(self, kind: str, by: str) -> list[str]: ...


class Labels(Protocol):
    def next(self, person: str, skipped: int) -> dict[str, Any] | None:
        """The first passage that this person has not judged, after so many others, of what the person may read; None
        where there is no more. Raises NotFound, Usage."""
        ...

    def same(self, person: str, question: str, chunk_id: str) -> dict[str, Any] | None:
        """This one, or None once the person may not judge it any more, or has. Raises NotFound, Usage."""
        ...

    def judge(self, person: str, question: str, chunk_id: str, text_hash: str, relevance: str) -> bool:
        """False if the passage is not what was shown, or may not be read any more. Raises NotFound, BadInput, Usage."""
        ...

    def take_back(self, person: str, question: str, chunk_id: str) -> None:
        """Raises NotFound, Usage."""
        ...


class Administrators(Protocol):
    @property
    def documents(self) -> DocumentLooks: ...

    @property
    def intake(self) -> Intake: ...

    @property
    def quality(self) -> Quality: ...

    @property
    def models(self) -> Models: ...

    @property
    def labels(self) -> Labels: ...

    def is_one(self, reader: str) -> bool:
        """Everything else here is for those of whom this is true, but `intake.changed`; nobody asks again."""
        ...

    def versions(self) -> list[dict[str, Any]]: ...

    def version(self, number: int) -> dict[str, Any]:
        """With the `report` of the ingest that made it, or None. Raises NotFound."""
        ...

    def hold(self) -> str | None:
        """Why nothing is ingested, in words; None if it is."""
        ...

    def difference(self, older: int, newer: int) -> dict[str, Any]:
        """What changed from one version to the other. Raises NotFound."""
        ...

    def wider(self, number: int) -> list[str]:
        """Documents that going back to it would show to more people than may read them now."""
        ...

    def roll_back(self, number: int, by: str, *, hide: bool) -> dict[str, Any]:
        """The new version has the documents of that one. Raises NotFound, Busy, and Guarded if some would be shown to
        more people than may read them now, unless these are to be hidden."""
        ...

    def release(self, by: str) -> None:
        """Ingests go on. Raises NotFound if they were not stopped."""
        ...

    def status(self) -> dict[str, Any]: ...

    def dead(self) -> list[dict[str, Any]]:
        """Messages that could not be handled, without their contents."""
        ...

    def dead_one(self, message: str) -> dict[str, Any]:
        """Raises NotFound."""
        ...

    def replay(self, message: str, by: str) -> None:
        """The message is on its topic again. Raises NotFound."""
        ...

    def runs(self) -> list[dict[str, Any]]:
        """Of all flows, those that go on first: when and of what, their `state`, and what they failed with."""
        ...

    def ingests(self) -> list[dict[str, Any]]: ...

    def trainings(self) -> list[dict[str, Any]]: ...

    def answers(self, before: str) -> dict[str, Any]:
        """`answers` without words and askers, the newest first, and where the `next` ones begin: empty at the end, as
        `before` is for the first. Raises BadInput for what is no such place."""
        ...

    def acts(self, before: int | None) -> dict[str, Any]:
        """`acts`, the newest first, of all or of those noted before the act with that id, and whether `more` follow."""
        ...
