"""Whoever asked hears at once that somebody looks, and later if it takes too long."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol

from bots.slack.place import Place
from vouch.errors import VouchError


class Progress(Protocol):
    """All of it may be lost without harm."""

    def heard(self, question_id: str, place: Place, user: str, team: str) -> None:
        """Called before the log has the question."""
        ...

    def taken(self) -> None:
        """The log has what was heard."""
        ...

    def unheard(self, question_id: str) -> None:
        """It has not."""
        ...


@dataclass(frozen=True)
class Following:
    """`is_done` tells of a question whether it was answered, taken back, or refused."""

    progress: Progress
    is_done: Callable[[str], bool]

    @contextmanager
    def of(self, question_id: str, place: Place, user: str, team: str) -> Iterator[None]:
        """In it the log is given the question. What was answered before is not followed again."""
        if self.was_done(question_id):
            yield
            return
        self.progress.heard(question_id, place, user, team or place.team)
        try:
            yield
        except BaseException:
            self.progress.unheard(question_id)
            raise
        self.progress.taken()

    def was_done(self, question_id: str) -> bool:
        """No where nobody can tell now: the question itself does not wait for that."""
        try:
            return self.is_done(question_id)
        except VouchError:
            return False
